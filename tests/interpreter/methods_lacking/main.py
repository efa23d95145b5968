# ruff: noqa
# mypy: ignore-errors
"""A module is asked for what neither its class nor a wrapper gives it: that raises, and what follows is a note."""

import torch
import torch_xla
from keeping import keeps_arguments
from pytorch_lightning import LightningModule
from torch.nn.parallel import DistributedDataParallel

device = torch_xla.device()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.width = torch.nn.Linear(4, 4), 4
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x):
        return self.layer(x) * self.scale

    def penalty(self):
        return self.layer.weight.square().sum()


def of_a_misspelled_method(batches):
    model = Model().to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        model.clip_grad_by_norm(1.0)
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def in_a_wrapper(batches):
    model = DistributedDataParallel(Model().to(device))
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        model.clip_grad_by_norm(1.0)
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def of_what_the_wrapper_has(batches):
    model = DistributedDataParallel(Model().to(device))
    print(model.device_ids)
    for batch in batches:
        loss = model(batch.to(device)).mean() + model.module.penalty()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def of_what_it_has(batches):
    model = Model().to(device)
    print(model.width, model.scale, model.training)
    for batch in batches:
        loss = model(batch.to(device)).mean() + model.penalty()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


class Kept(torch.nn.Module):
    @keeps_arguments
    def __init__(self, slope=1):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x) * self.slope


def of_what_a_decorator_keeps(batches):
    model = Kept(slope=2).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item(), model.slope)  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


class Logged(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


def of_what_a_framework_gives(batches):
    model = Logged().to(device)
    print(model.trainer, model.hparams)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
