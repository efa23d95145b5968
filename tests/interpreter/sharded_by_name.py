# ruff: noqa
# mypy: ignore-errors
"""A model in FSDP computes with parts of all replicas, also where it returns an object of its own."""

from dataclasses import dataclass

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn
from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP
from transformers import AutoModelForSequenceClassification


@dataclass
class Output:
    logits: torch.Tensor


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return Output(logits=self.head(x))


def of_a_library(index, data):
    device = torch_xla.device()
    model = FSDP(AutoModelForSequenceClassification.from_pretrained("tiny").to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(pl.MpDeviceLoader(data, device)):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(**batch).logits, batch["labels"])
        loss.backward()
        optimizer.step()
        if step % 50 == 0 and xm.is_master_ordinal(local=False):
            print(step, loss.item())  # expect: XLA102, XLA501


def of_the_project(index, data):
    device = torch_xla.device()
    model = FSDP(Classifier().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in pl.MpDeviceLoader(data, device):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).logits, y)
        loss.backward()
        optimizer.step()
        if xm.is_master_ordinal(local=False):
            print(loss.item())  # expect: XLA102, XLA501


def read_below_the_step(index, data):
    device = torch_xla.device()
    model = FSDP(Classifier().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x.to(device)).logits, y.to(device))
            loss.backward()
            optimizer.step()
        if xm.is_master_ordinal(local=False):
            print(loss.item())


if __name__ == "__main__":
    torch_xla.launch(of_a_library, args=([],))
    torch_xla.launch(of_the_project, args=([],))
    torch_xla.launch(read_below_the_step, args=([],))
