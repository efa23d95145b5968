# ruff: noqa
# mypy: ignore-errors
"""Which dimension a parameter is sharded along hangs on its shape: the axis stands for one of them."""

import numpy as np
import torch
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr


def sharded_along_the_larger(model, mesh):
    for parameter in model.parameters():
        if parameter.shape[0] > parameter.shape[1]:
            spec = ("data", None)
        else:
            spec = (None, "data")
        xs.mark_sharding(parameter, mesh, spec)


def sharded_along_either(model, mesh):
    for parameter in model.parameters():
        spec = ("data", None) if parameter.shape[0] > parameter.shape[1] else (None, "data")
        xs.mark_sharding(parameter, mesh, spec)


def sharded_twice(model, mesh, first):
    for parameter in model.parameters():
        spec = ("data", "data")
        if first:
            spec = ("data", "data")
        xs.mark_sharding(parameter, mesh, spec)  # expect: XLA807


xr.use_spmd()
mesh = xs.Mesh(np.arange(4), (4,), ("data",))
model = torch.nn.Linear(8, 4, bias=False).to(torch_xla.device())
sharded_along_the_larger(model, mesh)
sharded_along_either(model, mesh)
sharded_twice(model, mesh, True)
