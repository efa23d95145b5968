"""Imports stay that serve something else than the names in this file."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

import torch_xla
import torch_xla.core.xla_model as xm  # noqa: F401
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr
from torch_xla.core.xla_model import get_local_ordinal  # stays: others may import it from here
from torch_xla.core.xla_model import mark_step  # stays: others may import it from here
from torch_xla import device

if TYPE_CHECKING:
    from torch_xla.core import xla_model

__all__ = ["mark_step"]

torch_xla.sync()
torch_xla.sync()
torch_xla.device()


def launch(function: "xmp.MpModelWrapper") -> "xla_model.Something":
    """Starts the function.

    >>> get_local_ordinal()
    0
    """
    xr.local_ordinal()
    torch_xla.launch(function)


@mock.patch("kept_imports.device")
def test(device):
    pass
