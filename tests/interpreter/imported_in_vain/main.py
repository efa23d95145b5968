# ruff: noqa
# mypy: ignore-errors
"""What takes a name from a module that may define it is judged, and so is what expects that it does not."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

model = torch.nn.Linear(4, 4).to(torch_xla.device())
for x in pl.MpDeviceLoader([torch.randn(2, 4)], torch_xla.device()):
    y = model(x)
    print(y.sum().item())  # expect: XLA102

from helpers.conditional import setup
from helpers.dynamic import other
from helpers.plain import device

try:
    from helpers.plain import never
except ImportError:
    never = None


def later():
    from helpers.plain import never_either
