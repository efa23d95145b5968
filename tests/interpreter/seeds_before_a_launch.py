# ruff: noqa
# mypy: ignore-errors
"""A seed of the process that launches the replicas, and what they draw on their devices."""

import random

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)  # expect: XLA707


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.25)
        self.head = torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.drop(x))


model = Classifier()


def train(device):
    on_device = model.to(device)
    on_device(torch.ones(8, 4, device=device)).sum().backward()
    torch_xla.sync()


def as_it_comes(index):
    train(torch_xla.device())


def with_a_seed_of_the_device(index, seed):
    xm.set_rng_state(seed)
    train(torch_xla.device())


def with_a_seed_of_both(index, seed):
    torch.manual_seed(seed + index)  # expect: XLA707
    train(torch_xla.device())


def without_dropout(index):
    torch.nn.Linear(4, 1).to(torch_xla.device())(torch.ones(8, 4, device=torch_xla.device())).sum().backward()


def dropped():
    seed_everything(1)
    xmp.spawn(as_it_comes)  # expect: XLA002


def seeded_by_each():
    torch.manual_seed(1)
    torch_xla.launch(with_a_seed_of_the_device, args=(1,))


def seeded_anew_by_each():
    torch.manual_seed(1)
    torch_xla.launch(with_a_seed_of_both, args=(1,))


def nothing_is_drawn():
    torch.manual_seed(1)
    torch_xla.launch(without_dropout)
