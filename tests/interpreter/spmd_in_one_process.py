# ruff: noqa
# mypy: ignore-errors
"""Which mesh there is, what is sharded how, and when SPMD comes too late."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel


def wrapped(model):
    return SpmdFullyShardedDataParallel(model)


def one_of_two_meshes(several):
    if several:
        xs.set_global_mesh(xs.get_1d_mesh("fsdp"))
    else:
        xs.set_global_mesh(xs.get_1d_mesh("data"))
    return SpmdFullyShardedDataParallel(torch.nn.Linear(4, 4))


def the_other_of_two_meshes(several):
    if several:
        xs.set_global_mesh(xs.get_1d_mesh("data"))
    else:
        xs.set_global_mesh(xs.get_1d_mesh("fsdp"))
    return SpmdFullyShardedDataParallel(torch.nn.Linear(4, 4))


def mesh_after_mesh():
    xs.set_global_mesh(xs.get_1d_mesh("fsdp"))
    first = wrapped_by_global_mesh()
    xs.set_global_mesh(xs.get_1d_mesh("data"))
    return first, wrapped_by_global_mesh()


def wrapped_by_global_mesh():
    return SpmdFullyShardedDataParallel(torch.nn.Linear(4, 4))  # expect: XLA812


def sharded_on_one_way(first):
    mesh, model = xs.get_1d_mesh("data"), torch.nn.Linear(4, 4).to("xla")
    if first:
        xs.mark_sharding(model.weight, mesh, ("data", None))
    else:
        xs.mark_sharding(model.bias, mesh, ("data",))
    xs.mark_sharding(model.weight, mesh, (None, "data"))
    xs.mark_sharding(model.bias, mesh, (None,))


def sharded_before_the_second_call():
    mesh, model = xs.get_1d_mesh("data"), torch.nn.Linear(4, 4).to("xla")
    by_columns(model, mesh)
    xs.clear_sharding(model.weight)
    by_columns(model, mesh)
    xs.clear_sharding(model.weight)
    xs.mark_sharding(model.weight, mesh, ("data", None))
    by_columns(model, mesh)


def by_columns(model, mesh):
    xs.mark_sharding(model.weight, mesh, (None, "data"))  # expect: XLA808


def parts_of_one_model(model):
    mesh = xs.get_1d_mesh("data")
    xs.mark_sharding(model.head.weight, mesh, ("data", None))
    xs.mark_sharding(model.body.weight, mesh, (None, "data"))


def sharded_by_hand(x):
    sharded = xs.enable_manual_sharding(x, ("data", None), mesh=xs.get_1d_mesh("data"))
    return xm.all_reduce(xm.REDUCE_SUM, sharded)


def main(several):
    device = torch_xla.device()  # expect: XLA805
    model = torch.nn.Linear(4, 4).to(device)
    with torch_xla.step():
        model(torch.ones(4, 4, device=device)).sum()
    if several:
        xr.use_spmd()
        one_of_two_meshes(input() == "fsdp")
        the_other_of_two_meshes(input() == "data")
        mesh_after_mesh()
        sharded_on_one_way(several)
        sharded_before_the_second_call()
        parts_of_one_model(model)
        xm.all_reduce(xm.REDUCE_SUM, torch.ones(4, device=device))  # expect: XLA806
        sharded_by_hand(torch.ones(4, 4, device=device))


main(input() == "several")
