"""All names of a module at once: what replaces one of them comes beside that import."""

from torch_xla.core.xla_model import *
from torch_xla.distributed.xla_multiprocessing import *


def train(index):
    device = xla_device()
    print(device, index)
    mark_step()
    optimizer_step(None)
    return xrt_world_size()


spawn(train, args=(), nprocs=8)
