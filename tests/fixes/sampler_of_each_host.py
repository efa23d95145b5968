# select: XLA505
import os

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch.utils.data import DistributedSampler


def train(index):
    samples = torch.randn(16, 4)
    first = DistributedSampler(samples, num_replicas=xm.xrt_world_size(), rank=xm.get_local_ordinal())
    rank = int(os.environ.get("LOCAL_RANK", 0))
    second = DistributedSampler(samples, rank=rank)
    return first, second


torch_xla.launch(train)
