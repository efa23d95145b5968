"""Fabric starts the function that trains; one that nobody is seen to make may be told another device."""

import lightning as L
import torch
from torch.utils.data import DataLoader


def start(dataset):
    fabric = L.Fabric(devices=1, precision="bf16-true")
    fabric.launch(main, dataset)


def main(fabric: L.Fabric, dataset):
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    for index in range(100):
        inputs, target = dataset[index]
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs.to(fabric.device)), target.to(fabric.device))
        fabric.backward(loss)
        if fabric.device.type == "xla":
            print(loss.item())  # expect: XLA102
        optimizer.step()


def train(fabric: L.Fabric, dataset):
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
