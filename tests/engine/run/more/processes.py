"""Starts processes that train, one after the other and in two ways, and one that uses no device."""

import multiprocessing
import os
import sys


def train(rank):
    os.environ.update(RANK=str(rank), WORLD_SIZE="2")
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(4, 8).to(device)).square().mean()
            loss.backward()
            optimizer.step()
            print(loss.item() > 0)  # XLA101


def idle():
    print("idle", os.getpid() != os.getppid())


if __name__ == "__main__":
    for rank, way in enumerate(sys.argv[1:]):
        process = multiprocessing.get_context(way).Process(target=train, args=(rank,))
        process.start()
        process.join()
        assert process.exitcode == 0
    other = multiprocessing.get_context("fork").Process(target=idle)
    other.start()
    other.join()
