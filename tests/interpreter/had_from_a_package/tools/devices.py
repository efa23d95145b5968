# ruff: noqa
# mypy: ignore-errors
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def device_of():
    return torch_xla.device()


def loader_of(batches, device):
    return pl.MpDeviceLoader(batches, device)


def step_of(optimizer):
    xm.optimizer_step(optimizer)
