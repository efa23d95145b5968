# ruff: noqa
# mypy: ignore-errors
"""Options that a parser takes into fields of objects: what only one does that is off by default informs."""

from dataclasses import dataclass, field

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from transformers import HfArgumentParser


@dataclass
class ModelArguments:
    shown: bool = True
    name: str = field(default="small")


@dataclass
class TrainingArguments:
    norms: bool = field(default=False, metadata={"help": "Whether norms are shown"})
    plain: bool = False
    given: bool = field(default_factory=bool)
    tpu: bool = False


def main(batches):
    parser = HfArgumentParser((ModelArguments, TrainingArguments))
    model_args, training_args = parser.parse_args_into_dataclasses()
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if training_args.norms:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if training_args.plain:
            print(loss.item())  # expect: XLA102 likely
        loss.backward()
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if model_args.shown:
            print(loss.item())  # expect: XLA102
        loss.backward()
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if training_args.given:
            print(loss.item())  # expect: XLA102
        loss.backward()
    for batch in pl.MpDeviceLoader(batches, device):
        loss = model(batch).mean()
        if training_args.tpu:
            print(loss.item())  # expect: XLA102
        loss.backward()
