# ruff: noqa
# mypy: ignore-errors
"""Every way to import torch_xla, and what is used through it."""

import functools

import torch_xla  # uses: torch_xla
import torch_xla.core.xla_model as xm  # uses: torch_xla.core.xla_model
import torch_xla.distributed.parallel_loader  # uses: torch_xla.distributed.parallel_loader
import torch_xla2  # none: another package
from torch_xla import runtime as xr  # uses: torch_xla.runtime
from torch_xla.core.xla_model import mark_step, xla_device as get_device  # uses: torch_xla.core.xla_model.mark_step, torch_xla.core.xla_model.xla_device
from torch_xla.experimental.pjrt import *  # uses: torch_xla.experimental.pjrt

torch_xla2.sync()
torch_xla.sync()  # uses: torch_xla.sync
xm.mark_step()  # uses: torch_xla.core.xla_model.mark_step
mark_step()  # uses: torch_xla.core.xla_model.mark_step
callback = mark_step  # uses: torch_xla.core.xla_model.mark_step
device = get_device().index  # uses: torch_xla.core.xla_model.xla_device
loader = torch_xla.distributed.parallel_loader.MpDeviceLoader([], device)  # uses: torch_xla.distributed.parallel_loader.MpDeviceLoader
for batch in loader:
    print(xr.world_size(), xm.xla_device(n=1))  # uses: torch_xla.runtime.world_size, torch_xla.core.xla_model.xla_device, torch_xla.core.xla_model.xla_device(n)
reduce = functools.partial(xm.all_reduce, "sum", cctx=None)  # uses: torch_xla.core.xla_model.all_reduce, torch_xla.core.xla_model.all_reduce(cctx)


def inside():
    import torch_xla.debug.metrics as met  # uses: torch_xla.debug.metrics
    from torch_xla.runtime import global_ordinal  # uses: torch_xla.runtime.global_ordinal

    def deeper():
        return met.metrics_report()  # uses: torch_xla.debug.metrics.metrics_report

    return deeper, global_ordinal()  # uses: torch_xla.runtime.global_ordinal


@torch_xla.compile(full_graph=True)  # uses: torch_xla.compile, torch_xla.compile(full_graph)
def step(batch, mark=xm.mark_step):  # uses: torch_xla.core.xla_model.mark_step
    global xs
    import torch_xla.distributed.spmd as xs  # uses: torch_xla.distributed.spmd


def later():
    return xs.mark_sharding  # uses: torch_xla.distributed.spmd.mark_sharding


class Trainer(torch_xla.core.xla_model.CollectiveContext):  # uses: torch_xla.core.xla_model.CollectiveContext
    save = staticmethod(xm.save)  # uses: torch_xla.core.xla_model.save

    def run(self):
        self.xm.mark_step()  # none: whatever `self.xm` is
        return f"{xm.get_ordinal()}"  # uses: torch_xla.core.xla_model.get_ordinal
