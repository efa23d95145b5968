# ruff: noqa
# mypy: ignore-errors
"""Classes that derive from `DataLoader`: a loop over one goes over its batches, unless it iterates in its own way."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils import data
from tqdm import tqdm

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class Dummies(data.DataLoader):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.collate_fn = collated


class MoreDummies(Dummies):
    pass


class Marking(data.DataLoader):
    def __iter__(self):
        for batch in super().__iter__():
            yield batch
            torch_xla.sync()


def collated(rows):
    return torch.rand(8, 4)


def trained(dataset):
    for batch in Dummies(dataset, batch_size=8):  # expect: XLA202
        model(batch.to(device)).mean().backward()
        optimizer.step()


def trained_and_counted(dataset):
    for number, batch in enumerate(tqdm(MoreDummies(dataset, batch_size=8))):  # expect: XLA202
        loss = model(batch.to(device)).mean()
        loss.backward()
        optimizer.step()
        if number % 10 == 0:
            print(loss.item())


def stepped_without_a_barrier(dataset):
    for batch in Dummies(dataset, batch_size=8):  # expect: XLA202
        model(batch.to(device)).mean().backward()
        xm.optimizer_step(optimizer)


def given_to_the_device(dataset):
    for batch in pl.MpDeviceLoader(MoreDummies(dataset, batch_size=8), device):
        model(batch).mean().backward()
        optimizer.step()


def marked_by_the_loader(dataset):
    for batch in Marking(dataset, batch_size=8):
        model(batch.to(device)).mean().backward()
        optimizer.step()


def prepared(dataset):
    from accelerate import Accelerator

    accelerator = Accelerator()
    net, stepping, loader = accelerator.prepare(model, optimizer, Dummies(dataset, batch_size=8))
    for batch in loader:
        accelerator.backward(net(batch).mean())
        stepping.step()
