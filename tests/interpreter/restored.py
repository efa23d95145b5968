# ruff: noqa
# mypy: ignore-errors
"""Which optimizers have a state when a checkpoint is restored."""

import torch
import torch_xla
from torch_xla.experimental.distributed_checkpoint import CheckpointManager, prime_optimizer

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
manager = CheckpointManager("checkpoints", 10)


def restore(optimizer):
    manager.restore(1, {"optimizer": optimizer.state_dict()})


def restored_below_work_and_a_cut(x):
    optimizer = torch.optim.Adam(model.parameters())  # expect: XLA607
    model(x.to(device))
    torch_xla.sync()
    return restore(optimizer)


def made_by_a_function():
    return torch.optim.Adam(model.parameters())  # expect: XLA607


def restored_by_who_calls():
    optimizer = made_by_a_function()
    manager.restore(1, {"optimizer": optimizer.state_dict()})


def primed_in_one_arm(flag):
    optimizer = torch.optim.Adam(model.parameters())
    if flag:
        prime_optimizer(optimizer)
    manager.restore(1, {"optimizer": optimizer.state_dict()})


def another_one_is_restored(other):
    optimizer = torch.optim.Adam(model.parameters())
    manager.restore(1, {"optimizer": other.state_dict()})
    return optimizer


def given_to_somebody(somebody):
    optimizer = torch.optim.Adam(model.parameters())
    somebody(optimizer)
    torch_xla.sync()
    manager.restore(1, {"optimizer": optimizer.state_dict()})
