# ruff: noqa
# mypy: ignore-errors
"""Each replica takes every n-th of some elements: where some have one more than others, they wait for them."""

import math

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from tqdm import tqdm


def of_a_list(index, files):
    for file in files[xr.global_ordinal() :: xr.world_size()]:  # expect: XLA503 likely
        xm.mesh_reduce("file", len(file), sum)


def by_a_name(index, files):
    mine = sorted(files)[index :: xr.world_size()]
    for number, file in enumerate(tqdm(mine)):  # expect: XLA503 likely
        xm.rendezvous("file")


def by_numbers(index, files):
    rank, world = xr.global_ordinal(), xr.world_size()
    for number in range(rank, len(files), world):  # expect: XLA503 likely
        xm.rendezvous(files[number])


class Evaluator:
    def __init__(self, files):
        self.files = files
        self.rank = xr.global_ordinal()

    def run(self):
        for file in self.files[self.rank :: xr.world_size()]:  # expect: XLA503 likely
            xm.rendezvous("file")


def evaluated(index, files):
    Evaluator(files).run()


class Padded:
    def __init__(self, files, world):
        self.padded = files + files[: -len(files) % world]

    def run(self, index, world):
        for file in self.padded[index::world]:
            xm.rendezvous("file")


def padded(index, files):
    Padded(files, xr.world_size()).run(index, xr.world_size())


# Good


def nobody_waits(index, files):
    total = 0
    for file in files[index :: xr.world_size()]:
        total += len(file)
    return xm.mesh_reduce("total", total, sum)


def cut_to_a_multiple(index, files):
    world = xr.world_size()
    files = files[: len(files) // world * world]
    for file in files[index::world]:
        xm.rendezvous("file")


def filled_up(index, paths):
    world = xr.world_size()
    while len(paths) % world:
        paths.append(paths[0])
    for path in paths[index::world]:
        xm.rendezvous("path")


def as_many_rounds(index, parts):
    world = xr.world_size()
    rounds = math.ceil(len(parts) / world) * world
    for number in range(index, rounds, world):
        xm.rendezvous("part")


def of_a_tensor(index, paths):
    for row in torch.randn(8, 4)[index :: xr.world_size()]:
        xm.rendezvous("row")


def of_a_number(index, paths, count):
    for number in range(index, count, xr.world_size()):
        xm.rendezvous("number")


def alike(names):
    for name in names[0::2]:
        xm.rendezvous(name)


if __name__ == "__main__":
    for function in (of_a_list, by_a_name, by_numbers, evaluated):
        torch_xla.launch(function, args=(["a", "b", "c"],))
    for function in (
        of_a_tensor,
        of_a_number,
        padded,
        nobody_waits,
        cut_to_a_multiple,
        filled_up,
        as_many_rounds,
    ):
        torch_xla.launch(function, args=(["a", "b", "c"],))
