# ruff: noqa
# mypy: ignore-errors
"""Models that well-known packages make, and distributions."""

import timm
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torchvision
from torch.distributions import Normal

device = torch_xla.device()
layer = torch.nn.Linear(4, 4).to(device)


def train(model, optimizer, batches):
    for x, y in pl.MpDeviceLoader(batches, device):
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def of_torchvision(batches):
    model = torchvision.models.resnet50(weights=None)
    optimizer = torch.optim.AdamW(model.parameters())
    model = model.to(device)  # expect: XLA701
    train(model, optimizer, batches)


def of_timm(batches):
    model = timm.create_model("vit")
    optimizer = torch.optim.AdamW(model.parameters())
    model.to(device)  # expect: XLA701
    train(model, optimizer, batches)


def one_of_many(args, batches):
    model = getattr(torchvision.models, args.model)()
    optimizer = getattr(torch.optim, args.optimizer)(model.parameters())
    model.to(device)  # expect: XLA701
    train(model, optimizer, batches)


def in_order(batches):
    model = timm.create_model("vit").to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    train(model, optimizer, batches)


def of_nobody_knows_where(build_model, batches):
    model = build_model("small")
    optimizer = torch.optim.AdamW(model.parameters())
    model = model.to(device)  # expect: XLA701 likely
    train(model, optimizer, batches)


def that_may_have_moved_before(build_model, batches):
    model = build_model("small").to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    model.to(device)
    train(model, optimizer, batches)


def held_by_a_function(batches):
    model = timm.create_model("vit")
    optimizer = torch.optim.AdamW(model.parameters())

    def step(x, y):
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)

    model.to(device)  # expect: XLA701
    for x, y in pl.MpDeviceLoader(batches, device):
        step(x, y)


def no_model(args):
    names = torchvision.models.list_models()
    if args.model in names and names:
        print(names)


# Distributions


def properties(batches):
    for x in pl.MpDeviceLoader(batches, device):
        spread = Normal(layer(x), 1.0)
        middle = spread.mean
        print(middle.cpu())  # expect: XLA102
        print(spread.stddev.mean().item())  # expect: XLA102


def methods(batches):
    for x in pl.MpDeviceLoader(batches, device):
        spread = Normal(layer(x), 1.0)
        print(spread.log_prob(spread.rsample()).sum().item())  # expect: XLA102


def on_the_host(batches):
    for x in pl.MpDeviceLoader(batches, device):
        print(layer(x).shape, Normal(0.0, 1.0).mean, Normal(0.0, 1.0).sample().item())
