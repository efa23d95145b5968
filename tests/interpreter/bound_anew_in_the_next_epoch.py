# ruff: noqa
# mypy: ignore-errors
"""What the last batch of an evaluation has left pending runs once more at the next cut, unless its names are bound anew
before, as they are where training and evaluation have the same ones."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()


def by_the_same_names(batches, held_out):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in batches:
            out = model(x.to(device))
            loss = (out - y.to(device)).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        total = 0
        for x, y in held_out:
            out = model(x.to(device))
            loss = (out - y.to(device)).abs().mean()
            total += loss.item()  # quiet: nothing holds it at the next barrier
        print(total)


def by_names_of_its_own(batches, held_out):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in batches:
            out = model(x.to(device))
            loss = (out - y.to(device)).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        total = 0
        for x, y in held_out:
            answer = model(x.to(device))
            loss = (answer - y.to(device)).abs().mean()
            total += loss.item()  # expect: XLA102
        print(total)


def by_a_name_that_is_given_to_another(batches, held_out):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in batches:
            out = model(x.to(device))
            loss = (out - y.to(device)).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        total = 0
        for x, y in held_out:
            out = model(x.to(device))
            loss = (out - y.to(device)).abs().mean()
            total += loss.item()  # expect: XLA102
        last = out
        print(total)


def by_a_name_that_goes(batches, held_out):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        total = 0
        for x, y in held_out:
            answer = model(x.to(device))
            error = (answer - y.to(device)).abs().mean()
            total += error.item()  # quiet: as above
        del answer, error
        print(total)
        for x, y in batches:
            loss = (model(x.to(device)) - y.to(device)).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)


def by_a_name_that_is_used_first(batches, held_out):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        total = 0
        for x, y in held_out:
            out = model(x.to(device))
            loss = (out - y.to(device)).abs().mean()
            total += loss.item()  # expect: XLA102
        print(total)
        mean = out.mean()
        for x, y in batches:
            out = model(x.to(device))
            loss = (out - mean).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
