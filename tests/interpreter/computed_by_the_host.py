# ruff: noqa
# mypy: ignore-errors
"""Losses that torch_xla has the host compute: they are there at once, and a read of one runs no step again.

What they are computed from is not kept, and runs again.
"""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(8, 5).to(device)
by_paths = torch.nn.CTCLoss(zero_infinity=True)
by_frames = torch.nn.NLLLoss()


def by_the_host(batches, labels, lengths):
    for batch in pl.MpDeviceLoader(batches, device):
        scores = model(batch).log_softmax(-1)
        loss = by_paths(scores, labels, lengths, lengths)
        print(loss.item())  # state: heavy
        loss.backward()


def by_a_function(batches, labels, lengths):
    for batch in pl.MpDeviceLoader(batches, device):
        scores = model(batch)
        print(F.ctc_loss(scores.log_softmax(-1), labels, lengths, lengths).item())
        print(scores.median().item(), F.huber_loss(scores, labels).item())
        print(scores.sum().item())  # expect: XLA102


def on_the_device(batches, labels):
    for batch in pl.MpDeviceLoader(batches, device):
        loss = by_frames(model(batch).log_softmax(-1), labels)
        print(loss.item())  # expect: XLA102
        loss.backward()
