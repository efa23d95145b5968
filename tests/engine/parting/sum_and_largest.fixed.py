"""All replicas ask for both, in one order."""

# replicas: 2
import torch
import torch_xla
import torch_xla.core.xla_model as xm


def reduce(index):
    number = torch.ones(4, device=torch_xla.device())
    torch_xla.sync()
    total = xm.all_reduce(xm.REDUCE_SUM, number, groups=[[0, 1]])
    largest = xm.all_reduce(xm.REDUCE_MAX, number, groups=[[0, 1]])
    torch_xla.sync()
    print(total.tolist(), largest.tolist())


if __name__ == "__main__":
    torch_xla.launch(reduce)
