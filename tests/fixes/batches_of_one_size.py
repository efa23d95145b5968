# select: XLA404
import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset


def train(model, optimizer, loader):
    for (x,) in loader:
        with torch_xla.step():
            optimizer.zero_grad()
            model(x.to(torch_xla.device())).square().mean().backward()
            optimizer.step()


def main():
    dataset = TensorDataset(torch.randn(20, 4))
    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = DataLoader(
        dataset,
        batch_size=7,
        num_workers=0  # the device loader has threads of its own
    )
    second = DataLoader(
        dataset,
        batch_size=7,
        num_workers=0,  # the device loader has threads of its own
    )
    third = DataLoader(
        dataset,
        batch_size=7,
        num_workers=0
    )
    train(model, optimizer, first)
    train(model, optimizer, second)
    train(model, optimizer, third)
