# ruff: noqa
# mypy: ignore-errors
"""Who writes what FSDP and ZeRO have shared out among the replicas."""

import copy

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from torch.nn.parallel import DistributedDataParallel
from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer


def of_the_master_by_default(path):
    model = FSDP(torch.nn.Linear(4, 1).to(torch_xla.device()))
    state = model.state_dict()
    xm.save(state, path)  # expect: XLA610


def among_other_things(path, epoch):
    model = FSDP(torch.nn.Linear(4, 1).to(torch_xla.device()))
    xm.save({"epoch": epoch, "model": model.state_dict()}, path)  # expect: XLA610


def the_module_itself(path):
    model = FSDP(torch.nn.Linear(4, 1).to(torch_xla.device()))
    xm.save(model, path)  # expect: XLA610, XLA601


def under_a_test(path):
    model = FSDP(torch.nn.Linear(4, 1).to(torch_xla.device()))
    state = model.state_dict()
    if xm.is_master_ordinal():
        xm.save(state, path, master_only=False)  # expect: XLA610


def of_each(path):
    model = FSDP(torch.nn.Linear(4, 1).to(torch_xla.device()))
    xm.save(model.state_dict(), f"{path}-{xr.global_ordinal()}", master_only=False)


def as_somebody_says(path, master_only):
    model = FSDP(torch.nn.Linear(4, 1).to(torch_xla.device()))
    xm.save(model.state_dict(), path, master_only=master_only)


def of_an_optimizer(path):
    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.1)
    state = optimizer.state_dict()
    xm.save(model.state_dict(), "model.pt")
    xm.save(state, path)  # expect: XLA610


def of_a_plain_optimizer(path):
    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    xm.save(optimizer.state_dict(), path)


def of_a_wrapper_that_keeps_all(path):
    model = DistributedDataParallel(torch.nn.Linear(4, 1).to(torch_xla.device()))
    xm.save(model.state_dict(), path)


def of_one_way(path, shards):
    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    if shards:
        model = FSDP(model)
    xm.save(model.state_dict(), path)  # a known limit: it is lost where the model is sharded


def of_another_model(path):
    plain = torch.nn.Linear(4, 1).to(torch_xla.device())
    model = FSDP(copy.deepcopy(plain))
    xm.save(plain.state_dict(), path)
    return model


def one_replica(index):
    pass


def starts_replicas():
    torch_xla.launch(one_replica)
