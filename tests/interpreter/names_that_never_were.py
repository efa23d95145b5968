# ruff: noqa
# mypy: ignore-errors
"""A function that torch_xla never had raises where it is called, and what comes after it is a note."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

device = torch_xla.device()


def spread_by_nobody(batches):
    model = torch.nn.Linear(4, 4).to(device)
    batches = xr.DataParallel(batches, device_ids=[0, 1])
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def taken_from_a_module(batches):
    from torch_xla.runtime import DataParallel

    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def counted_in_vain(batches):
    model = torch.nn.Linear(4, 4).to(device)
    try:
        replicas = xm.world_size()
    except AttributeError:
        replicas = 1
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item(), replicas)  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def asked_first(batches):
    model = torch.nn.Linear(4, 4).to(device)
    replicas = xm.world_size() if hasattr(xm, "world_size") else 1
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item(), replicas)  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def with_what_is_there(batches):
    model = torch.nn.Linear(4, 4).to(device)
    torch_xla.set_custom_compile_options({"optimization_level": 1})  # Tenstorrent's build has it
    xm._settle()
    print(xr.world_size(), torch_xla._XLAC._get_git_revs())
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def imported_by_a_long_name(batches):
    package = __import__("torch_xla.core.xla_model")  # the package, which has no such marker
    model = torch.nn.Linear(4, 4).to(device)
    package.mark_step()
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def imported_with_a_list(batches):
    markers = __import__("torch_xla.core.xla_model", fromlist=["mark_step"])
    model = torch.nn.Linear(4, 4).to(device)
    markers.mark_step()
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
