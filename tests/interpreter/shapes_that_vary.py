# ruff: noqa
# mypy: ignore-errors
"""Tensors that have another shape in each step: by what, and what is computed of them."""

import random

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.ones(16, 4, device=device)
loader = DataLoader(torch.randn(64, 16, 4), batch_size=4, drop_last=True)


def made_of_the_counter():
    for step in range(8):
        with torch_xla.step():
            made = torch.zeros(step, 4, device=device)  # expect: XLA402
            hidden = model(made)
            parts = hidden.view(step, 2, 2)
            full = torch.full((4,), step, device=device)
            grown = torch.full((step, 4), 0.0, device=device)  # expect: XLA402
            spread = torch.linspace(0, step, 4, device=device)
            finer = torch.linspace(0, 1, step, device=device)  # expect: XLA402


def named_arguments():
    for step in range(8):
        with torch_xla.step():
            rows = torch.roll(x, shifts=step)  # expect: XLA402
            best = x.topk(k=step, dim=0)  # expect: XLA402
            filled = F.pad(x, (0, 1), value=step)  # expect: XLA402
            powers = 2.0**x + step**x  # expect: XLA402


def indices():
    for step in range(8):
        with torch_xla.step():
            row = x[step]  # expect: XLA402
            some = x[[step, step + 1]]
            start = x[:step]  # expect: XLA402
            window = x[step : step + 2]  # expect: XLA402
            masked = start * 2 > 0.5
            first = start.expand(3, step, 4)


def lengths_of_a_batch():
    for rows, lengths in loader:
        longest = lengths.max().item()
        rows = rows[:, :longest]
        moved = rows.float().to(device)  # expect: XLA402
        with torch_xla.step():
            model(moved).sum().backward()


def lengths_on_the_device():
    for rows, lengths in pl.MpDeviceLoader(loader, device):
        longest = int(lengths.max())
        model(rows[:, :longest]).sum().backward()  # expect: XLA402


def numbers_of_rows(wanted):
    for rows, lengths in loader:
        count = rows.shape[0]
        half = rows[: rows.size(0) // 2].to(device)
        with torch_xla.step():
            model(half).sum().backward()
            model(torch.zeros(count, 4, device=device)).sum().backward()


def drawn_lengths():
    for step in range(8):
        count = random.randint(1, 8)
        rows = torch.randn(count, 4) * 2
        with torch_xla.step():
            model(rows.to(device)).sum().backward()  # expect: XLA402


def filled_up():
    for step in range(8):
        rows = torch.arange(step)
        with torch_xla.step():
            model(F.pad(rows, (0, 8 - step)).to(device)).sum().backward()


def filled_up_on_the_device():
    for step in range(8):
        rows = torch.arange(step)
        with torch_xla.step():
            rows = torch.tensor(rows).to(device)  # expect: XLA402
            model(F.pad(rows, (0, 8 - step))).sum().backward()


def layers_of_one_graph():
    for number in range(8):
        y = model(x.roll(number)) + torch.arange(number, device=device).sum()
    return y


def numbers_beside_batches():
    from tqdm import tqdm

    for number, batch in tqdm(enumerate(loader)):
        with torch_xla.step():
            model(batch.to(device) + x[number]).sum().backward()  # expect: XLA402
    for number, batch in zip(range(16), loader):
        with torch_xla.step():
            model(batch.to(device) + x[number]).sum().backward()  # expect: XLA402


def as_long_as_before():
    seen = torch.ones(1, 4, device=device)
    mask = torch.ones(1, device=device)
    for step in range(8):
        with torch_xla.step():
            seen = torch.cat([seen, x[:1]]).contiguous() * 2  # expect: XLA403
            mask = F.pad(mask, (0, 1))  # expect: XLA403
            shifted = F.pad(seen[:1], (1, -1))
            kept = torch.cat([shifted, shifted]).mean(dim=0)
