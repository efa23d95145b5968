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
xm.xla_device(**options)  # stays: it is not seen what `**` passes
xm.xla_device(*arguments)  # stays: it is not seen what `*` passes
xm.xla_device(1, "TPU", 2)  # stays: `device` does not take so many arguments
xm.xla_device((1), ("TPU"))  # stays: the arguments stand in parentheses of their own
xm.xla_device(devkind=input())  # stays: `devkind` would go, and with it the call that it is given
devices = map(xm.xla_device, range(8))  # stays: it is passed on, and `device` takes other arguments than `xla_device`
xm.xla_device.__doc__.strip()
xmp.spawn(main, args=(), join=False)  # stays: `launch` does not take `join`
xmp.spawn(main, args=(), daemon=True)  # stays: `launch` does not take `daemon`
xmp.spawn(*arguments)  # stays: it is not seen what `*` passes
(
    xm  # stays: a comment stands in the middle of the name
    .mark_step()
)


def shadowed(torch_xla):
    xm.mark_step()  # stays: `torch_xla` means something else here


def another(xm):
    xm.mark_step()
