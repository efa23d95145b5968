import torch_xla


def __getattr__(name):
    return torch_xla.device
