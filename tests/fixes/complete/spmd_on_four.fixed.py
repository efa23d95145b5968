"""Trains a wide MLP, sharded over the four devices of one host."""

import numpy as np
import torch
import torch.nn as nn
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, TensorDataset

xr.use_spmd()


class MLP(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.up = nn.Linear(16, width)
        self.middle = nn.Linear(width, width)
        self.down = nn.Linear(width, 1)

    def forward(self, x):
        return self.down(torch.relu(self.middle(torch.relu(self.up(x)))))


def shard(model, mesh):
    xs.mark_sharding(model.up.weight, mesh, ("model", None))
    xs.mark_sharding(model.middle.weight, mesh, (None, "model"))


def train(model, loader, mesh, device, epochs=2, log_every=2):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    history = []
    step = 0
    for epoch in range(epochs):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            with torch_xla.step():
                xs.mark_sharding(x, mesh, ("data", None))
                optimizer.zero_grad()
                loss = ((model(x) - y) ** 2).mean()
                loss.backward()
                optimizer.step()
            if step % log_every == 0:
                history.append(loss.item())
                print(f"epoch {epoch} step {step}: {history[-1]:.5f}")
            step += 1
    return history


def main():
    torch.manual_seed(9)
    device = torch_xla.device()
    count = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(count), (2, count // 2), ("data", "model"))
    model = MLP().to(device)
    shard(model, mesh)
    x = torch.randn(64, 16)
    loader = DataLoader(TensorDataset(x, x.sum(dim=1, keepdim=True)), batch_size=16, drop_last=True)
    return [count, *train(model, loader, mesh, device)]


if __name__ == "__main__":
    main()
