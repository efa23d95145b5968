"""In one collective over a group of all, one replica asks for the sum and the other for the largest."""

# replicas: 2
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def reduce(index):
    number = torch.ones(4, device=torch_xla.device())
    torch_xla.sync()
    if xr.global_ordinal() == 0:  # parted by
        number = xm.all_reduce(xm.REDUCE_SUM, number, groups=[[0, 1]])  # replica 0
    else:
        number = xm.all_reduce(xm.REDUCE_MAX, number, groups=[[0, 1]])  # replica 1
    torch_xla.sync()
    print(number.tolist())


if __name__ == "__main__":
    torch_xla.launch(reduce)
