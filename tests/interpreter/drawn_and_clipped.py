# ruff: noqa
# mypy: ignore-errors
"""Numbers drawn at random that are cut off at a border: they are still others in each step."""

import random

import numpy as np
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Conv2d(3, 3, 3).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batches = [(torch.randn(2, 3, 16, 16), torch.zeros(2))] * 4


def box(size):
    width = size[3]
    cut = int(width * np.sqrt(1 - np.random.beta(1.0, 1.0)))
    x = np.random.randint(width)
    return max(x - cut // 2, 0), min(x + cut // 2, width)


def mixed():
    for images, labels in pl.MpDeviceLoader(batches, device):
        left, right = box(images.shape)
        images[:, :, :, left:right] = images.flip(0)[:, :, :, left:right]  # expect: XLA402
        optimizer.zero_grad()
        model(images).square().mean().backward()
        optimizer.step()


def cropped():
    for images, labels in pl.MpDeviceLoader(batches, device):
        top = max(random.randint(-4, 8), 0)
        optimizer.zero_grad()
        model(images[:, :, top : top + 8]).square().mean().backward()  # expect: XLA402
        optimizer.step()


def scaled():
    for images, labels in pl.MpDeviceLoader(batches, device):
        weight = max(random.random(), 0.5)
        shift = min(random.randint(0, 8) - 4, 2)
        optimizer.zero_grad()
        model(images * weight + shift).square().mean().backward()
        optimizer.step()


def grown_to_its_size():
    for step, (images, labels) in enumerate(pl.MpDeviceLoader(batches, device)):
        rows = min(step + 4, 8)
        optimizer.zero_grad()
        model(images[:, :, :rows]).square().mean().backward()
        optimizer.step()


def whole_batches(loader):
    for step, images in enumerate(pl.MpDeviceLoader(loader, device)):
        left = random.randint(0, 8)
        images[:, :, :, left : left + 4] = 0  # expect: XLA402
        first = images[0]
        optimizer.zero_grad()
        model(images[..., step : step + 8]).square().mean().backward()  # expect: XLA402
        optimizer.step()


whole_batches([torch.randn(2, 3, 16, 16)] * 4)
