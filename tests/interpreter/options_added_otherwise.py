# ruff: noqa
# mypy: ignore-errors
"""Options of the command line that somebody else may add: nothing that is asked for surely lacks."""

import argparse

import torch
import torch_xla
from settings import add_more

device = torch_xla.device()
parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=8)
add_more(parser)
args = parser.parse_args()


def train(batches):
    model = torch.nn.Linear(4, 4).to(device)
    print(args.local_rank)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
