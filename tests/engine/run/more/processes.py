"""Starts processes that train, one after the other and in several ways, and one that uses no device."""

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


class Training(multiprocessing.Process):
    def __init__(self, rank):
        super().__init__()
        self.rank = rank

    def run(self):
        train(self.rank)


def by_fork(rank):
    child = os.fork()
    if child == 0:
        train(rank)
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def by(way, rank):
    if way == "os.fork":
        return by_fork(rank)
    way, _, is_class = way.partition(" ")
    multiprocessing.set_start_method(way, force=True)
    process = Training(rank) if is_class else multiprocessing.Process(target=train, args=(rank,))
    process.start()
    process.join()
    return process.exitcode


if __name__ == "__main__":
    print("ended by", [by(way, rank) for rank, way in enumerate(sys.argv[1:])])
    other = multiprocessing.get_context("fork").Process(target=idle)
    other.start()
    other.join()
