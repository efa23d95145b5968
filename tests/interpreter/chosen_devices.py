# ruff: noqa
# mypy: ignore-errors
"""A device that is one of several: what follows assumes that it is the one of XLA."""

import os

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from models import load

tpu = os.environ.get("TPU") is not None
device = None
if tpu:
    device = torch_xla.device()
elif torch.cuda.is_available():
    device = torch.device("cuda")
else:
    device = torch.device("cpu")


class Settings:
    debug = False
    tpu = os.environ.get("TPU") is not None
    if tpu:
        device = torch_xla.device()
    else:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class OnHost:
    device = torch_xla.device()
    device = torch.device("cpu")


def choose(args):
    if args.tpu:
        return torch_xla.device()
    if args.gpu:
        return torch.device("cuda")
    return "cpu"


# Models and batches


def chosen_by_a_module(batches):
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        loss = model(batch.to(device)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102 likely
        if tpu:
            torch_xla.sync()


def chosen_by_a_class(batches):
    settings = Settings()
    model = nn.Linear(8, 8).to(settings.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        loss = model(batch.to(settings.device)).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201


def chosen_by_a_function(args, batches):
    chosen = choose(args)
    model = load(args.model).to(chosen)
    if chosen.type == "xla":
        batches = pl.MpDeviceLoader(batches, chosen)
    for batch, target in batches:
        output = model(batch)
        print(output.argmax(1).eq(target).sum().item())  # expect: XLA102 likely


def on_the_host(batches):
    model = nn.Linear(8, 8).to(OnHost.device)
    for batch in batches:
        print(model(batch.to(OnHost.device)).sum().item())
        torch_xla.sync()


def chosen_with_another_arm(args, batches):
    chosen = torch_xla.device() if args.tpu else torch.device("cuda")
    model = nn.Linear(8, 8).to(chosen)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        loss = model(batch.to(chosen)).sum()
        loss.backward()
        if args.tpu:
            xm.optimizer_step(optimizer)
            torch_xla.sync()
        else:
            optimizer.step()
            print(loss.item())


# What the text of a device says


def not_on_xla(batches):
    model = nn.Linear(8, 8).to(device)
    on_tpu = str(device).startswith("xla")
    for batch in batches:
        loss = model(batch.to(device)).sum()
        if not on_tpu and torch.isnan(loss):
            continue
        if "cuda" in str(device) and loss.item() > 1:
            continue
        if device.type not in ("xla", "tpu") and loss.item() > 1:
            continue
        if str(device).startswith("cuda") and loss.item() > 1:
            continue
        loss.backward()


def on_xla(batches):
    model = nn.Linear(8, 8).to(device)
    for batch in batches:
        loss = model(batch.to(device)).sum()
        if str(device).startswith("xla") and torch.isnan(loss):  # expect: XLA103 likely
            continue
        if "xla" in str(device) and torch.isnan(loss):  # expect: XLA103 likely
            continue
        if device.type in ("xla", "tpu") and torch.isnan(loss):  # expect: XLA103 likely
            continue
        loss.backward()


# Optimizers and files


def optimizer_before_the_move(args, batches):
    chosen = choose(args)
    model = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(chosen)  # expect: XLA701 likely
    for batch in pl.MpDeviceLoader(batches, chosen):
        model(batch).sum().backward()
        xm.optimizer_step(optimizer)


def moved_by_one_arm(args, batches):
    model = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.tpu:
        model = model.to(torch_xla.device())  # expect: XLA701
        batches = pl.MpDeviceLoader(batches, torch_xla.device())
    for batch in batches:
        model(batch).sum().backward()
        if args.tpu:
            xm.optimizer_step(optimizer)
        else:
            optimizer.step()


def write(args, state, path):
    if args.tpu:
        xm.save(state, path)
    else:
        torch.save(state, path)


def kept_by_another_arm(args):
    chosen = torch_xla.device() if args.tpu else torch.device("cuda")
    model = nn.Linear(8, 8).to(chosen)
    write(args, {"model": model.state_dict(), "epoch": 1, "names": ["a"]}, "a")


def kept(args):
    model = nn.Linear(8, 8).to(choose(args))
    optimizer = torch.optim.Adam(model.parameters())
    torch.save({"model": model.state_dict(), "epoch": 1}, "a")  # expect: XLA601 likely
    torch.save(optimizer.state_dict(), "b")  # expect: XLA601 likely


def wrapped(args):
    model = load(args)
    model = model.to(torch_xla.device())
    model = DistributedDataParallel(model, gradient_as_bucket_view=True)
    torch.save(model.module.state_dict(), "a")  # expect: XLA601
    torch.save(model.state_dict(), "b")  # expect: XLA601


def is_accelerated(device):
    if device is None:
        return False
    return torch.device(device).type == "xla"


def write_where_it_is(state, path, device):
    if is_accelerated(device):
        xm.save(state, path)
        return
    torch.save(state, path)  # quiet: what is taken for a device of XLA is not None


def resolve(name):
    if name not in (None, "auto"):
        return torch.device(name)
    return torch_xla.device()


def kept_where_it_is(args):
    device = resolve(args.device)
    model = nn.Linear(8, 8).to(torch_xla.device())
    write_where_it_is(model.state_dict(), "a", device)
