# ruff: noqa
# mypy: ignore-errors
"""Of a model in FSDP each replica has a part of the gradients: PyTorch clips that by a norm of its own."""

import functools

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP


class Trainer:
    def __init__(self, batches, clip=1.0):
        self.device = torch_xla.device()
        self.model = FSDP(torch.nn.Linear(8, 4).to(self.device), compute_dtype=torch.bfloat16)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.batches = pl.MpDeviceLoader(batches, self.device)
        self.clip = clip

    def step(self, x):
        self.optimizer.zero_grad()
        self.model(x).square().mean().backward()
        self.clip_gradients()
        self.optimizer.step()

    def fit(self):
        for x in self.batches:
            self.step(x)


class ByTorch(Trainer):
    def clip_gradients(self):
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)  # expect: XLA508


class OfTheOptimizer(Trainer):
    def clip_gradients(self):
        parameters = [p for group in self.optimizer.param_groups for p in group["params"]]
        clip_grad_norm_(parameters, self.clip)  # expect: XLA508


class ByTheModel(Trainer):
    def clip_gradients(self):
        self.model.clip_grad_norm_(self.clip)


class NumberByNumber(Trainer):
    def clip_gradients(self):
        clip_grad_value_(self.model.parameters(), self.clip)


def of_either(index, batches, is_sharded):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 4).to(device)
    if is_sharded:
        model = FSDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in pl.MpDeviceLoader(batches, device):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        if is_sharded:
            model.clip_grad_norm_(1.0)
        else:
            clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def train(index, trainer, batches):
    trainer(batches).fit()


def by_torch(index, batches):
    ByTorch(batches).fit()


def of_the_optimizer(index, batches):
    OfTheOptimizer(batches).fit()


def by_the_model(index, batches):
    ByTheModel(batches).fit()


def number_by_number(index, batches):
    NumberByNumber(batches).fit()


def main(batches, is_sharded):
    torch_xla.launch(by_torch, args=(batches,))
    torch_xla.launch(of_the_optimizer, args=(batches,))
    torch_xla.launch(by_the_model, args=(batches,))
    torch_xla.launch(number_by_number, args=(batches,))
    torch_xla.launch(of_either, args=(batches, is_sharded))


if __name__ == "__main__":
    main([torch.ones(2, 8)], True)
