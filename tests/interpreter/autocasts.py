# ruff: noqa
# mypy: ignore-errors
"""An autocast for another device, and where the work in it stands."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def work(x):
    model(x)


def in_a_function(x):
    with torch.autocast("cuda"):  # expect: XLA705
        work(x)


def below_a_cut(x):
    with torch.autocast("cuda"):  # expect: XLA705
        torch_xla.sync()
        work(x)


def below_it(x):
    with torch.autocast("cuda"):
        print("nothing yet")
    work(x)


def enabled_where_some_way_makes_a_scaler(x, use_amp):
    scaler = None
    if use_amp:
        scaler = torch.cuda.amp.GradScaler()
    with torch.cuda.amp.autocast(enabled=scaler is not None):
        work(x)


def enabled_by_position(x, use_amp):
    with torch.cuda.amp.autocast(use_amp):
        work(x)
    with torch.cuda.amp.autocast(True):  # expect: XLA705
        work(x)


def with_a_part_of_the_batch(loader, criterion):
    for batch in loader:
        with torch.autocast("cuda"):  # expect: XLA705
            scores = model(batch["image"])
            loss = criterion(scores, batch["label"])
        loss.backward()


def with_a_part_of_the_batch_on_the_host(loader):
    twin = torch.nn.Linear(4, 4)
    for batch in loader:
        with torch.autocast("cuda"):
            twin(batch["image"])


def under_a_flag(x, use_amp):
    if use_amp:
        with torch.autocast("cuda"):  # expect: XLA705 likely
            work(x)
    else:
        work(x)


class Trainer:
    def __init__(self, amp):
        self.use_amp = amp

    def step(self, x):
        if self.use_amp and x is not None:
            with torch.autocast("cuda"):  # expect: XLA705 likely
                work(x)
