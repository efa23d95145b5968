"""What the text does not allow, and what only looks like it. `xm.mark_step()` here stays."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
from packaging.version import parse


class Engine:
    def mark_step(self):
        """Not to be taken for `xm.mark_step`."""
        return "xm.mark_step()"  # xm.mark_step()


Engine().mark_step()

if parse(torch_xla.__version__) < parse("2.4"):
    xm.mark_step()

try:
    count = xm.xrt_world_size()
except AttributeError:
    count = 1

options = {"devkind": "TPU"}
arguments = (1, "TPU")
xm.xla_device(**options)
xm.xla_device(*arguments)
xm.xla_device(devkind=input())
devices = map(xm.xla_device, range(8))
context = xmp.spawn(main, args=(), join=False)
xmp.spawn(main, args=(), daemon=True)
xmp.spawn(*arguments)


def shadowed(torch_xla):
    xm.mark_step()


def another(xm):
    xm.mark_step()
