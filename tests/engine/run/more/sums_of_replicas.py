"""Two replicas add up their gradients; the host does the same by hand. All numbers are small integers: exact."""

# replicas: 2

import sys

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def share(rank, number):
    return torch.arange(4.0) * (rank + 1) + number


def by_hand(size):
    weight = torch.zeros(4)
    for number in range(3):
        weight = weight - sum(share(rank, number) for rank in range(size))
    return weight


def train(index):
    device = torch_xla.device()
    weight = torch.zeros(4).to(device).requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=1.0)
    for number in range(3):
        given = share(xr.global_ordinal(), number).to(device)
        with torch_xla.step():
            optimizer.zero_grad()
            (weight * given).sum().backward()
            weight.grad = xm.all_reduce(xm.REDUCE_SUM, weight.grad)
            optimizer.step()
    is_equal = torch.equal(weight.detach().cpu(), by_hand(xr.world_size()))
    sys.stdout.write(f"replica {xr.global_ordinal()}: {is_equal}\n")  # in one piece, whoever writes beside it


if __name__ == "__main__":
    torch_xla.launch(train)
