"""A sum of what each replica weighs by its own number is read, and not cut: 0 and 1 are no data of a graph."""

# replicas: 2
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def train(index):
    device = torch_xla.device()
    weight = torch.full((3,), float(xr.global_ordinal())).to(device)
    share = torch.ones(3, device=device) * weight
    total = xm.all_reduce(xm.REDUCE_SUM, share)
    print(total.tolist())


if __name__ == "__main__":
    torch_xla.launch(train)
