import torch_xla


def device():
    return torch_xla.device()
