import torch
from torch._six import inf


def clip(parameters, norm=inf):
    torch.nn.utils.clip_grad_norm_(parameters, norm)
