"""A script that looks for a TPU, and gives Fabric another device whatever it finds."""

import torch
from lightning.fabric import Fabric
from torch.utils.data import DataLoader


def train(fabric, dataset):
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(dataset, batch_size=8))
    for inputs, target in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        fabric.backward(loss)
        print(loss.item())
        optimizer.step()
    torch.save(model.state_dict(), "model.pth")


def train_on_the_tpu(fabric, dataset):
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(dataset, batch_size=8))
    for inputs, target in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        fabric.backward(loss)
        print(loss.item())  # expect: XLA102
        optimizer.step()


def main(dataset):
    try:
        import torch_xla

        print("found", torch_xla.device())
        found = True
    except ImportError:
        found = False
    if found:
        train(Fabric(accelerator="cpu", devices=1), dataset)
    else:
        train(Fabric(accelerator="cuda", devices=1), dataset)
    train_on_the_tpu(Fabric(accelerator="tpu", devices=1), dataset)
