# ruff: noqa
# mypy: ignore-errors
"""Which gradients are summed twice, where barriers hold nobody, and which meetings come in every round."""

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.nn.parallel import DistributedDataParallel as DDP
from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer

device = torch_xla.device()


def stepped(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)  # expect: XLA507


def sharded_in_a_caller(x):
    stepped(FSDP(torch.nn.Linear(4, 4).to(device)), x)


def perhaps_sharded(x, shards):
    model = torch.nn.Linear(4, 4).to(device)
    if shards:
        model = FSDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)


def sharded_or_averaged(x, shards):
    model = torch.nn.Linear(4, 4).to(device)
    model = FSDP(model) if shards else DDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)


def averaged(x):
    model = DDP(torch.nn.Linear(4, 4).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)  # expect: XLA507


def beside_its_wrapper(x):
    model = torch.nn.Linear(4, 4).to(device)
    averaged = DDP(model)  # nobody calls it, and backward sums nothing: measured
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)


def by_its_wrapper(x):
    model = torch.nn.Linear(4, 4).to(device)
    averaged = DDP(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        averaged(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)  # expect: XLA507


def wait():
    dist.barrier()  # expect: XLA511


def of_xla_in_a_caller():
    dist.init_process_group("gloo")
    wait()
    dist.destroy_process_group()
    dist.init_process_group("xla")
    wait()


def of_another_backend():
    dist.init_process_group("gloo")
    dist.barrier()


def of_either_backend(xla):
    dist.init_process_group("xla" if xla else "gloo")
    dist.barrier()


def of_one_arm(xla):
    if xla:
        dist.init_process_group("xla")
    dist.barrier()


def of_the_other_arm(plain):
    if plain:
        pass
    else:
        dist.init_process_group("xla")
    dist.barrier()


def reduced(value):
    return xm.mesh_reduce("value", value, sum)  # expect: XLA512


def reduced_seldom(value):
    return xm.mesh_reduce("value", value, sum)


def in_each_round_after_a_seldom_one(loader):
    for number, batch in enumerate(pl.MpDeviceLoader(loader, device)):
        if number % 10 == 0:
            gathered(1.0)
        else:
            gathered(1.0)


def gathered(value):
    return xm.mesh_reduce("value", value, sum)  # expect: XLA512


def shows_which_wrapper(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)  # expect: XLA507


def replicated_or_sharded(x, replicates):
    model = torch.nn.Linear(4, 4).to(device)
    if replicates:
        torch.nn.DataParallel(model)
        shows_which_wrapper(model, x)
    else:
        FSDP(model)
        shows_which_wrapper(model, x)


def in_rounds(loader):
    for number, batch in enumerate(pl.MpDeviceLoader(loader, device)):
        reduced(1.0)
        if number % 10 == 0:
            reduced_seldom(2.0)
        if number == 10:
            reduced_seldom(3.0)


def shared_out(x):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()


def shared_out_and_summed(x):
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.reduce_gradients(optimizer)  # expect: XLA507
        optimizer.step()


def perhaps_shared_out(x, shares):
    model = torch.nn.Linear(4, 4).to(device)
    if shares:
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        xm.optimizer_step(optimizer)


def shared_out_and_averaged(x):
    model = DDP(torch.nn.Linear(4, 4).to(device))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()  # expect: XLA507


def shared_out_and_sharded(x):
    model = FSDP(torch.nn.Linear(4, 4).to(device))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    with torch_xla.step():
        model(x.to(device)).sum().backward()
        optimizer.step()  # expect: XLA507
