# ruff: noqa
# mypy: ignore-errors
"""A module moves with all that belongs to it, wherever its parts were: on some way one was on the device before."""

import argparse

import torch
import torch_xla
from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP
from transformers import AutoModelForCausalLM


class Wrapper(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, **batch):
        return self.inner(**batch)


class Trainer:
    def __init__(self, network):
        self.device = torch_xla.device()
        self.network = network.to(self.device)

    def train(self, ids):
        for _ in range(3):
            loss = self.network(input_ids=ids.to(self.device), labels=ids.to(self.device)).loss
            print(loss.item())  # expect: XLA102
            loss.backward()
            torch_xla.sync()  # expect: XLA201


class Comparison:
    def __init__(self, network):
        self.network = network

    def read(self, ids):
        for _ in range(3):
            print(self.network(input_ids=ids).loss.item())  # quiet: nobody moves it, and its part is here or there
            torch_xla.sync()


def full(settings):
    network = AutoModelForCausalLM.from_pretrained(settings.name)
    if settings.sharded:
        network = FSDP(network)
    return Wrapper(network)


def masked(settings):
    return Wrapper(AutoModelForCausalLM.from_pretrained(settings.name))


def made(settings):
    if settings.kind == "full":
        return full(settings)
    elif settings.kind == "masked":
        return masked(settings)
    raise ValueError(settings.kind)


def main(settings):
    Trainer(made(settings)).train(torch.randint(0, 9, (4, 4)))
    Comparison(made(settings)).read(torch.randint(0, 9, (4, 4)))


main(argparse.ArgumentParser().parse_args())
