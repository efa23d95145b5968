# ruff: noqa
# mypy: ignore-errors
"""What `dataclasses.replace` gives is what it is given, but for some fields; what is called with other parameters is
called."""

import dataclasses

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


@dataclasses.dataclass
class State:
    model: torch.nn.Module
    loss: torch.Tensor = None
    step: int = 0


def start():
    return State(torch.nn.Linear(4, 4).to(device))


def save():
    state = dataclasses.replace(start(), step=3)
    torch.save(state.model.state_dict(), "state.pt")  # expect: XLA601


def save_another():
    state = dataclasses.replace(start(), model=torch.nn.Linear(4, 4))
    torch.save(state.model.state_dict(), "state.pt")  # quiet: this model stays on the host


def read(loader):
    state = start()
    for x in pl.MpDeviceLoader(loader, device):
        state = dataclasses.replace(state, loss=state.model(x).sum(), step=state.step + 1)
        print(state.step, state.loss.item())  # expect: XLA102


def read_after_a_cut(loader):
    state = start()
    for x in pl.MpDeviceLoader(loader, device):
        with torch_xla.step():
            state = dataclasses.replace(state, loss=state.model(x).sum())
        print(state.loss.item())  # quiet: the step has run it


def adapted(loader):
    model = torch.nn.Linear(4, 4).to(device)
    fast = dict(model.named_parameters())
    for x in pl.MpDeviceLoader(loader, device):
        loss = torch.func.functional_call(model, fast, (x,)).sum()
        print(loss.item())  # expect: XLA102


def adapted_by_one(loader):
    model = torch.nn.Linear(4, 4).to(device)
    fast = dict(model.named_parameters())
    for x in pl.MpDeviceLoader(loader, device):
        with torch_xla.step():
            loss = torch.func.functional_call(model, fast, x).sum()
        print(loss.item())  # quiet: the step has run it


def on_the_host(loader):
    model = torch.nn.Linear(4, 4)
    fast = dict(model.named_parameters())
    for x in loader:
        loss = torch.func.functional_call(model, fast, (torch.ones(4),)).sum()
        torch_xla.sync()
        print(loss.item())  # quiet: nothing of it is on the device
