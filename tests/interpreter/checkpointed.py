"""Activation checkpointing calls what it is given."""

import functools

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.checkpoint import checkpoint
from torch_xla.utils.checkpoint import checkpoint as checkpoint_on_xla

try:
    from torch_xla.utils.checkpoint import checkpoint as chosen
except ImportError:
    from torch.utils.checkpoint import checkpoint as chosen

device = torch_xla.device()
loader = pl.MpDeviceLoader([], device)


class Deep(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])

    def forward(self, inputs):
        for block in self.blocks:
            inputs = checkpoint(block, inputs, use_reentrant=False)  # expect: XLA708
        return inputs


deep = Deep().to(device)


def a_model_that_checkpoints():
    for batch in loader:
        loss = deep(batch).sum()
        print(loss.item())  # expect: XLA102


def reading(inputs):
    scores = deep(inputs)
    print(scores.item())
    return scores


def a_function():
    for batch in loader:
        scores = checkpoint_on_xla(reading, batch)  # expect: XLA102
        print(scores.shape)


def what_is_imported_where_it_is_there(inputs):
    return chosen(reading, inputs)


def tensors_in_a_list():
    return checkpoint(torch.stack, [torch.ones(4, device=device)])  # expect: XLA708


def tensors_by_name():
    return checkpoint(deep, inputs=torch.ones(4, device=device), use_reentrant=False)


def without_it_where_it_raises(inputs):
    try:
        return checkpoint(deep, inputs.to(device), use_reentrant=False)  # quiet: the program goes on without it
    except AttributeError:
        return deep(inputs.to(device))


def checkpointed(function):
    @functools.wraps(function)
    def inner(*given):
        return checkpoint(function, *given, use_reentrant=False)  # expect: XLA708

    return inner


class Decorated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = torch.nn.Linear(4, 4)

    @checkpointed
    def part(self, inputs):
        return self.block(inputs)

    def forward(self, inputs):
        return self.part(self.block(inputs))


decorated = Decorated().to(device)


def a_model_with_a_decorator():
    return decorated(torch.ones(4, device=device)).shape
