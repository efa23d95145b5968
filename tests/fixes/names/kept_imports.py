"""Imports stay that serve something else than the names in this file."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import torch_xla.core.xla_model as xm  # noqa: F401
import torch_xla.distributed.xla_multiprocessing as xmp
from torch_xla.core.xla_model import get_local_ordinal  # stays: others may import it from here
from torch_xla.core.xla_model import mark_step  # stays: others may import it from here
from torch_xla.core.xla_model import xla_device as device

if TYPE_CHECKING:
    from torch_xla.core import xla_model

__all__ = ["mark_step"]

xm.mark_step()
mark_step()
device()


def launch(function: "xmp.MpModelWrapper") -> "xla_model.Something":
    """Starts the function.

    >>> get_local_ordinal()
    0
    """
    get_local_ordinal()
    xmp.spawn(function)


@mock.patch("kept_imports.device")
def test(device):
    pass
