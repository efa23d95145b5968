"""What the guard replaces is put back when it is left, also by an exception."""

import contextlib
from typing import Any

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.runtime as xr
from torch.utils.data.dataloader import _BaseDataLoaderIter
from torch_xla.distributed.parallel_loader import PerDeviceLoader

from xlalint_runtime.guarding import Guard

OWNERS = (
    torch_xla._XLAC, xm, xr, xp.Trace, torch.Tensor, torch.serialization, torch.nn.Module, torch.autograd,
    torch.optim.Optimizer, PerDeviceLoader, _BaseDataLoaderIter,
)  # fmt: skip


Attributes = list[dict[str, Any]]


def attributes() -> Attributes:
    return [dict(vars(owner)) for owner in OWNERS]


def changed(before: Attributes, now: Attributes) -> int:
    return sum(
        old.get(name) is not new.get(name)
        for old, new in zip(before, now, strict=True)
        for name in old.keys() | new.keys()
    )


def main() -> list[float]:
    before = attributes()
    replaced = 0
    with contextlib.suppress(KeyError), Guard():
        replaced = changed(before, attributes())
        raise KeyError
    return [float(replaced > 20), float(changed(before, attributes()))]


if __name__ == "__main__":
    main()
