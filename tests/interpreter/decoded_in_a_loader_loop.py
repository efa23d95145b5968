# ruff: noqa
# mypy: ignore-errors
"""A sentence that is decoded word by word within a loop over a loader: that cuts between sentences, not between words."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
cell = torch.nn.GRUCell(8, 8).to(device)
head = torch.nn.Linear(8, 8).to(device)


def decode(hidden, end):
    words = []
    for _ in range(50):  # expect: XLA202
        hidden = cell(hidden, hidden)
        word = head(hidden).argmax(-1)
        if word.item() == end:
            break
        words.append(word)
    return words


def decode_step_by_step(hidden, end):
    words = []
    for _ in range(50):  # quiet: each word is a step
        with torch_xla.step():
            hidden = cell(hidden, hidden)
            word = head(hidden).argmax(-1)
        if word.item() == end:
            break
        words.append(word)
    return words


def tell(hidden, listeners):
    score = head(hidden).sum()
    for listen in listeners:  # quiet: no round goes on with what the one before has made
        listen(score.item())


def main(loader):
    for x in pl.MpDeviceLoader(loader, device):
        decode(x, 3)
    for x in pl.MpDeviceLoader(loader, device):
        decode_step_by_step(x, 3)
    for x in pl.MpDeviceLoader(loader, device):
        tell(x, [print, str])
