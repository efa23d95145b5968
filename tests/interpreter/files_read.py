# ruff: noqa
# mypy: ignore-errors
"""Which files are read before they are there, or by a function that does not follow their references."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.utils.serialization as xser

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def read_first():
    return torch.load("first.pt")


def read_other():
    return torch.load("other.pt")


def read_in_a_call_below_work(x):
    xm.save(model.state_dict(), "first.pt")  # expect: XLA504 likely
    xm.save(model.state_dict(), "second.pt")
    model(x.to(device))
    return read_first()


def another_file_is_read():
    xm.save(model.state_dict(), "first.pt")
    return read_other()


def all_meet_in_one_arm(flag):
    xm.save(model.state_dict(), "first.pt")
    if flag:
        xm.rendezvous("saved")
    return read_first()


def cut_between():
    xm.save(model.state_dict(), "first.pt")
    torch_xla.sync()
    return read_first()


def references_read_in_a_call_below_a_cut(x):
    xser.save(model.state_dict(), "first.pt")  # expect: XLA606
    model(x.to(device))
    torch_xla.sync()
    return read_first()


def references_overwritten_in_one_arm(flag):
    xser.save(model.state_dict(), "first.pt")
    if flag:
        xm.save(model.state_dict(), "first.pt")
    torch_xla.sync()
    return read_first()


def references_of_another_file():
    xser.save(model.state_dict(), "first.pt")
    torch_xla.sync()
    return read_other()


def replica(index):
    return cut_between()


def start():
    torch_xla.launch(replica)
