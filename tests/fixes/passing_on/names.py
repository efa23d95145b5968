"""All its names are taken at once."""

import torch_xla
from torch_xla.core.xla_model import mark_step, xla_device
