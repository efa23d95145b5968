"""A script that looks for a TPU, and gives Fabric another device whatever it finds."""

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy, FSDPStrategy, XLAFSDPStrategy
from torch.utils.data import DataLoader


def train(fabric, dataset):
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(dataset, batch_size=8, drop_last=True))
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
    loader = fabric.setup_dataloaders(DataLoader(dataset, batch_size=8, drop_last=True))
    for inputs, target in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), target)
        fabric.backward(loss)
        print(loss.item())  # expect: XLA102
        optimizer.step()

def on_other_devices(dataset, devices=4):
    strategy = FSDPStrategy(state_dict_type="full") if devices > 1 else "auto"
    train(Fabric(devices=devices, strategy=strategy), dataset)
    train(Fabric(devices=devices, strategy=DDPStrategy()), dataset)


def on_several_tpus(dataset):
    train_on_the_tpu(Fabric(devices=4, strategy=XLAFSDPStrategy()), dataset)


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
    on_other_devices(dataset)
    on_several_tpus(dataset)
