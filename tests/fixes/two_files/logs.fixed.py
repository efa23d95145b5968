import torch
import torch_xla


def report(loss):
    torch_xla.sync()
    value = loss.item()
    print("loss", value)
    return value
