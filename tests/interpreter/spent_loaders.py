"""Loaders that give their batches once: gone over again, made again, left early, or wrapped."""

import torch_xla
import torch_xla.distributed.parallel_loader as pl
from tqdm import tqdm

DEVICE = torch_xla.device()


def in_each_epoch(loader):
    batches = pl.ParallelLoader(loader, [DEVICE])  # expect: XLA002
    for epoch in range(10):
        for step, x in enumerate(tqdm(batches.per_device_loader(DEVICE))):  # expect: XLA814
            print(step, x.sum())


def made_again_in_some(loader, again):
    batches = pl.ParallelLoader(loader, [DEVICE])  # expect: XLA002
    total = 0
    for x in batches.per_device_loader(DEVICE):
        total += x.sum()
    if again:
        batches = pl.ParallelLoader(loader, [DEVICE])  # expect: XLA002
    for x in batches.per_device_loader(DEVICE):
        total += x.sum()
    return total


def left_early(loader):
    batches = pl.ParallelLoader(loader, [DEVICE]).per_device_loader(DEVICE)  # expect: XLA002
    total = 0
    for epoch in range(10):
        for step, x in enumerate(batches):
            if step == 100:
                break
            total += x.sum()
    return total


def beside_another(loader, others):
    batches = pl.ParallelLoader(loader, [DEVICE]).per_device_loader(DEVICE)  # expect: XLA002
    total = 0
    for epoch in range(10):
        for x, _ in zip(batches, others):
            total += x.sum()
    return total


def once_for_each_device(loader, devices):
    batches = pl.ParallelLoader(loader, devices)  # expect: XLA002
    total = 0
    for device in devices:
        for x in batches.per_device_loader(device):
            total += x.sum()
    return total


def starts_anew(loader):
    batches = pl.MpDeviceLoader(loader, DEVICE)
    total = 0
    for epoch in range(10):
        for x in batches:
            total += x.sum()
    return total
