"""All names of a module at once: what replaces one of them comes beside that import."""

from torch_xla.core.xla_model import *
import torch_xla
import torch_xla.runtime as xr
from torch_xla.distributed.xla_multiprocessing import *


def train(index):
    device = torch_xla.device()
    print(device, index)
    torch_xla.sync()
    optimizer_step(None)
    return xr.world_size()


torch_xla.launch(train, args=())
