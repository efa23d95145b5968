# ruff: noqa
# mypy: ignore-errors
"""Who is launched as one of several replicas uses a device already: SPMD comes too late there."""

import numpy as np
import torch
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr


def too_late(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    xr.use_spmd()
    print(model(torch.ones(4, 4).to(device)))


def first_of_all(index, width):
    xr.use_spmd()
    print(torch.ones(width, width).to(torch_xla.device()))


def nowhere(index):
    mesh = xs.Mesh(np.arange(4), (4, 1), ("data", "model"))
    x = torch.ones(4, 4).to(torch_xla.device())
    xs.mark_sharding(x, mesh, ("data", None))  # expect: XLA805 likely


def sharded():
    mesh = xs.Mesh(np.arange(4), (4, 1), ("data", "model"))
    x = torch.ones(4, 4).to(torch_xla.device())
    xs.mark_sharding(x, mesh, ("data", None))


if __name__ == "__main__":
    torch_xla.launch(too_late)  # expect: XLA805
    xmp.spawn(first_of_all, args=(4,))  # expect: XLA002, XLA805
    torch_xla.launch(nowhere)
    xr.use_spmd()
    sharded()
