"""Takes what it needs from other modules, and names no package of it."""

import torch_xla
import torch_xla.runtime as xr
from setup_xla import get_ordinal


def end():
    torch_xla.sync()
    torch_xla.sync()
    return torch_xla.device(), xr.global_ordinal()
