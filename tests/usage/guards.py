# ruff: noqa
# mypy: ignore-errors
"""Code that asks first whether a name is there, and code that does not."""

import contextlib
import importlib.util
import unittest
from importlib.metadata import version as installed

import torch_xla  # uses: torch_xla
from packaging.version import parse

try:
    import torch_xla.core.xla_model as xm  # guarded: torch_xla.core.xla_model
except ImportError:
    xm = None

try:
    from torch_xla.runtime import world_size  # guarded: torch_xla.runtime.world_size
except ImportError:
    from torch_xla.core.xla_model import xrt_world_size as world_size  # guarded: torch_xla.core.xla_model.xrt_world_size

try:
    from torch_xla.core.xla_model import mark_step  # guarded: torch_xla.core.xla_model.mark_step
except ImportError:
    mark_step = None

try:
    import torch_xla.experimental.pjrt as pjrt  # guarded: torch_xla.experimental.pjrt
except:
    pjrt = None

try:
    xm.xrt_world_size()  # uses: torch_xla.core.xla_model.xrt_world_size
except RuntimeError:
    xm.xrt_world_size()  # uses: torch_xla.core.xla_model.xrt_world_size

world_size()  # guarded: torch_xla.runtime.world_size
xm.xrt_world_size()  # uses: torch_xla.core.xla_model.xrt_world_size
mark_step()  # uses: torch_xla.core.xla_model.mark_step
pjrt.world_size()  # guarded: torch_xla.experimental.pjrt.world_size

try:
    n = xm.xrt_world_size()  # guarded: torch_xla.core.xla_model.xrt_world_size
except (AttributeError, TypeError):
    n = torch_xla.runtime.world_size()  # guarded: torch_xla.runtime.world_size
else:
    xm.get_ordinal()  # guarded: torch_xla.core.xla_model.get_ordinal
finally:
    xm.get_ordinal()  # uses: torch_xla.core.xla_model.get_ordinal

with contextlib.suppress(AttributeError):
    xm.get_ordinal()  # guarded: torch_xla.core.xla_model.get_ordinal

if hasattr(xm, "xrt_world_size"):  # uses: torch_xla.core.xla_model
    n = xm.xrt_world_size()  # guarded: torch_xla.core.xla_model.xrt_world_size
elif hasattr(n, "mark_step"):
    n = torch_xla.runtime.world_size()  # guarded: torch_xla.runtime.world_size

if hasattr(n, "mark_step"):
    xm.mark_step()  # uses: torch_xla.core.xla_model.mark_step

if parse(torch_xla.__version__) >= parse("2.5"):  # uses: torch_xla.__version__
    torch_xla.sync()  # guarded: torch_xla.sync
else:
    xm.mark_step()  # guarded: torch_xla.core.xla_model.mark_step

NEW = parse(torch_xla.__version__).release >= (2, 5)  # uses: torch_xla.__version__
cut = torch_xla.sync if NEW else xm.mark_step  # guarded: torch_xla.sync, torch_xla.core.xla_model.mark_step
ready = NEW and torch_xla.sync  # guarded: torch_xla.sync
AVAILABLE = importlib.util.find_spec("torch_xla") is not None
if AVAILABLE:
    xm.mark_step()  # uses: torch_xla.core.xla_model.mark_step
if importlib.util.find_spec("torch_xla.experimental.pjrt"):
    from torch_xla.experimental.pjrt import local_ordinal  # guarded: torch_xla.experimental.pjrt.local_ordinal
if parse(installed("torch_xla")) < parse("2.5"):
    xm.mark_step()  # guarded: torch_xla.core.xla_model.mark_step


def is_torch_xla_available(least=None):
    return True


if is_torch_xla_available("2.5"):
    torch_xla.sync()  # guarded: torch_xla.sync
if is_torch_xla_available():
    torch_xla.sync()  # uses: torch_xla.sync
from lightning.fabric.accelerators.xla import _XLA_GREATER_EQUAL_2_1

if _XLA_GREATER_EQUAL_2_1:
    pass
else:
    xm.xrt_world_size()  # guarded: torch_xla.core.xla_model.xrt_world_size


def is_new():
    return torch_xla.__version__ >= "2.5"  # uses: torch_xla.__version__


def cut_the_graph():
    if is_new():
        return torch_xla.sync()  # guarded: torch_xla.sync
    xm.mark_step()  # guarded: torch_xla.core.xla_model.mark_step


def other():
    xm.mark_step()  # uses: torch_xla.core.xla_model.mark_step
    if pjrt is not None:  # guarded: torch_xla.experimental.pjrt
        return
    xm.mark_step()  # uses: torch_xla.core.xla_model.mark_step


class Test(unittest.TestCase):
    @unittest.skipIf(torch_xla.__version__ >= "2.7", "gone")  # uses: torch_xla.__version__
    def test_old(self):
        xm.xrt_world_size()  # guarded: torch_xla.core.xla_model.xrt_world_size

    def test_gone(self):
        with self.assertRaises(AttributeError):
            xm.xrt_world_size()  # guarded: torch_xla.core.xla_model.xrt_world_size
        xm.xrt_world_size()  # uses: torch_xla.core.xla_model.xrt_world_size


from torch_xla import __version__  # uses: torch_xla.__version__
from torch_xla.distributed import parallel_loader as pl  # uses: torch_xla.distributed.parallel_loader

old = tuple(map(int, __version__.split(".")[:2])) == (2, 0)  # uses: torch_xla.__version__.split
if old:
    xm.xrt_world_size()  # guarded: torch_xla.core.xla_model.xrt_world_size
isinstance(old, (list, pl.ParallelLoader))  # guarded: torch_xla.distributed.parallel_loader.ParallelLoader
isinstance(old, xm.CollectiveContext)  # uses: torch_xla.core.xla_model.CollectiveContext
