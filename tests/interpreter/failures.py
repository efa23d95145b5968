# ruff: noqa
# mypy: ignore-errors
"""What is only read where a number is not finite is a note: training has failed by then. The test itself is not."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def looks_for_it(batches):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if torch.isnan(loss):  # expect: XLA103
            print(loss.item())  # expect: XLA102 likely
        loss.backward()


def looks_for_it_otherwise(batches, verbose):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if not torch.isfinite(loss).all():  # expect: XLA103
            print(loss.item())  # expect: XLA102 likely
        else:
            print(loss.item())  # expect: XLA102
        if verbose and (loss.isnan().any() or loss.isinf().any()):  # expect: XLA103, XLA103
            print(loss.item())  # expect: XLA102 likely
        if verbose or loss.isnan().any():  # expect: XLA103
            print(loss.item())  # expect: XLA102
        loss.backward()
