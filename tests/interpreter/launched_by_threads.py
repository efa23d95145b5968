# ruff: noqa
# mypy: ignore-errors
"""Replicas that a thread or a process launches, which is given the launch, or a partial of it."""

import multiprocessing
import threading
from functools import partial
from threading import Thread

import torch
import torch_xla


def by_partial(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        with torch_xla.step():
            model(torch.ones(2, 4, device=device)).sum().backward()
            optimizer.step()  # expect: XLA506


def by_arguments(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        with torch_xla.step():
            model(torch.ones(2, 4, device=device)).sum().backward()
            optimizer.step()  # expect: XLA506


def by_process(index, steps):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        with torch_xla.step():
            model(torch.ones(2, 4, device=device)).sum().backward()
            optimizer.step()  # expect: XLA506


def alone(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        with torch_xla.step():
            model(torch.ones(2, 4, device=device)).sum().backward()
            optimizer.step()  # quiet: no replicas


def main():
    threading.Thread(target=partial(torch_xla.launch, by_partial)).start()
    thread = Thread(target=torch_xla.launch, args=(by_arguments,), daemon=True)
    thread.start()
    process = multiprocessing.Process(target=torch_xla.launch, args=(by_process, (3,)))
    process.start()
    threading.Thread(target=partial(alone, 0)).start()
    thread.join()


if __name__ == "__main__":
    main()
