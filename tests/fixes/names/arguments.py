"""Arguments keep their meaning, whatever they are called; what had no effect goes."""

from functools import partial

import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp

count = 8

xm.mark_step(True)
xm.mark_step(wait=True, reset_scope=False)
xm.mark_step(**{"wait": True})
callback = xm.mark_step
partial(xm.mark_step, wait=True)
partial(xm.xla_device)

xm.xla_device(1)
xm.xla_device(n=1)
xm.xla_device(devkind="TPU")
xm.xla_device(1, "TPU")
xm.xla_device(n=1, devkind="TPU")
xm.xla_device(
    n=1,  # the second
    devkind="TPU",  # of them
)
xm.xla_device(
    devkind="TPU",
    n=1,
)
xm.xla_device(
    devkind="TPU",
)
xm . xla_device (
    devkind = "TPU"
)

xm.xrt_world_size(1)
xm.get_ordinal(defval=0)


def main(index):
    pass


xmp.spawn(main)
xmp.spawn(main, args=())
xmp.spawn(main, args=(), nprocs=None)
xmp.spawn(main, args=(), nprocs=8)
xmp.spawn(main, args=(), nprocs=1)
xmp.spawn(main, args=(), nprocs=count)
xmp.spawn(main, args=(), nprocs=count if count > 1 else None, start_method="fork")
xmp.spawn(main, (), 8)
xmp.spawn(main, (), count, True, False, "fork")
xmp.spawn(main, nprocs=8, args=())
xmp.spawn(main, nprocs=8, join=True,
          start_method="fork")
