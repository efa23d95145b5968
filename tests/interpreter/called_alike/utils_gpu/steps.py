"""The same for GPUs."""

import torch.distributed as dist


def averaged(gradient):
    dist.all_reduce(gradient)
    return gradient
