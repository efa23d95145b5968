"""Precisions that accelerate takes on a TPU, and one that it wants a GPU for: it raises, and what follows is a note."""

import torch
import torch_xla.debug.metrics as met
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(accelerator, dataset):
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8)
    return accelerator.prepare(model, optimizer, loader)


def in_half(dataset):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = train(accelerator, dataset)
    for inputs, target in loader:
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        accelerator.backward(loss)
        optimizer.step()
        print(loss.item())  # expect: XLA102 likely
    print(met.metrics_report())


def by_default(dataset, precision="fp16"):
    accelerator = Accelerator(mixed_precision=precision)
    model, optimizer, loader = train(accelerator, dataset)
    for inputs, target in loader:
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        accelerator.backward(loss)
        optimizer.step()
        print(loss.item())  # expect: XLA102
    print(met.metrics_report())


def in_bfloat16(dataset):
    accelerator = Accelerator(mixed_precision="bf16")
    model, optimizer, loader = train(accelerator, dataset)
    for inputs, target in loader:
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        accelerator.backward(loss)
        optimizer.step()
        print(loss.item())  # expect: XLA102
    print(met.metrics_report())
