"""RFC #6751: training stops early, and its last step runs."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset


def train_loop(model, loader, optimizer):
    for step, (data, target) in enumerate(loader):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(data), target)
            loss.backward()
            optimizer.step()
        if step == 4:
            break


def main():
    device = torch_xla.device()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    data = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
    train_loop(model, pl.MpDeviceLoader(DataLoader(data, batch_size=8), device), optimizer)


if __name__ == "__main__":
    main()
