"""Which of two sums comes first depends on the replica."""

# replicas: 2
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def train(index):
    device = torch_xla.device()
    rank = xr.global_ordinal()
    counts = torch.ones(3, device=device)
    value = torch.ones(5, device=device)
    for _ in range(2):
        if rank == 0:  # parted by
            first = xm.all_reduce(xm.REDUCE_SUM, counts)  # replica 0
            second = xm.all_reduce(xm.REDUCE_SUM, value)
        else:
            second = xm.all_reduce(xm.REDUCE_SUM, value)  # replica 1
            first = xm.all_reduce(xm.REDUCE_SUM, counts)
        torch_xla.sync()
        print(torch.stack([first.sum(), second.sum()]).tolist())


if __name__ == "__main__":
    torch_xla.launch(train)
