import torch


def report(loss):
    value = loss.item()
    print("loss", value)
    return value
