# ruff: noqa
# mypy: ignore-errors
"""Numbers of Python's that are others in each round, and loops that go round so often."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def part_up_to_a_number_that_is_read(loader):
    for batch in loader:
        x = batch.to(device)
        torch_xla.sync()
        longest = model(x).argmax().item()
        y = torch.relu(model(x))[:longest]  # expect: XLA402
        torch_xla.sync()  # expect: XLA201


def taken_by_what_is_listed(loader):
    for batch in loader:
        kinds = model(batch.to(device)).argmax(dim=1).tolist()
        y = torch.relu(model(batch.to(device)))[kinds]
        torch_xla.sync()  # expect: XLA201


def rounds_of(count, x):
    for _ in range(count):  # expect: XLA406
        x = model(x)
    return x


def as_often_as_the_device_says(loader):
    for batch in loader:
        with torch_xla.step():
            weights = model(batch.to(device)).sum()
        rounds_of(int(weights) + 1, torch.ones(4, 4, device=device))
        torch_xla.sync()


def each_round_cut(loader):
    for batch in loader:
        with torch_xla.step():
            weights = model(batch.to(device)).sum()
        for _ in range(int(weights)):
            with torch_xla.step():
                model(torch.ones(4, 4, device=device))


def once_before_the_loop(loader):
    with torch_xla.step():
        weights = model(torch.ones(4, 4, device=device)).sum()
    count = int(weights)
    for batch in loader:
        with torch_xla.step():
            x = batch.to(device)
            for _ in range(count):
                x = model(x)


def part_of_what_something_unknown_was_appended_to(sampler):
    generated = torch.full((1, 1, 4), 0, device=device)
    for step in range(100):
        part = generated[:, step].unsqueeze(1)  # expect: XLA402 likely
        following = sampler.decode(step)
        generated = torch.cat([generated, following.unsqueeze(1)], dim=1)  # expect: XLA403 likely
        torch_xla.sync()
    return part
