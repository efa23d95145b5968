# ruff: noqa
# mypy: ignore-errors
"""`to` without a device changes how numbers are stored, and leaves a model where it is."""

import argparse

import torch
import torch_xla
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--channels-last", action="store_true")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(4, 4, 1)
        self.weight = nn.Parameter(torch.ones(4, 4))

    def forward(self, x):
        return self.layer(x) @ self.weight.T


def on_another_device(batches, args):
    model = Net().to("cuda")
    if args.channels_last:
        model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step = 0
    while step < args.steps:
        for _ in range(args.parts):
            images = next(batches)
            if args.channels_last:
                images = images.to(memory_format=torch.channels_last)
            loss = model(images).mean()
            (loss / args.parts).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if step % 10 == 0:
            print(norm.item())
        optimizer.step()
        step += 1


def on_another_device_in_any_case(batches):
    model = Net().to("cuda").to(dtype=torch.bfloat16)
    for batch in batches:
        model(batch).mean().backward()


def on_the_device(batches, args):
    device = torch_xla.device()
    model = Net().to(device)
    if args.channels_last:
        model.to(memory_format=torch.channels_last)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def on_the_device_in_any_case(batches):
    device = torch_xla.device()
    model = Net().to(device).to(memory_format=torch.channels_last)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
