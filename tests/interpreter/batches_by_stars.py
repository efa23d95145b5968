# ruff: noqa
# mypy: ignore-errors
"""A batch is handed on by stars: what a model must be given comes out of it."""

import torch
import torch_xla.distributed.parallel_loader as pl
import torch_xla

device = torch_xla.device()


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x, labels, weights=None):
        chosen = self.layer(x)[labels != -100]  # expect: XLA401
        if weights is not None:  # may be given, or not
            chosen = chosen * weights
        return chosen.sum()


class Repeated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x, *, count):
        for _ in range(count):
            x = self.layer(x)
        return x.sum()


def by_name(batches):
    model = Tagger().to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        model(**batch).backward()


def by_name_from_a_tokenizer(tokenizer, texts):
    model = Tagger().to(device)
    for text in texts:
        with torch_xla.step():
            batch = {name: value.to(device) for name, value in tokenizer(text).items()}
            model(**batch).backward()


def with_a_count(batches):
    model = Repeated().to(device)
    for x, beside in pl.MpDeviceLoader(batches, device):
        model(x, **beside).backward()
