"""Checkpoints through Fabric: every replica has to save, as they all meet there."""

import torch
import torch_xla
from lightning.fabric import Fabric


def step(fabric, model, optimizer, batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    fabric.backward(loss)
    optimizer.step()


def on_the_master(fabric, model, optimizer, loader):
    for batch in loader:
        step(fabric, model, optimizer, batch)
    if fabric.is_global_zero:
        fabric.save("last.ckpt", {"model": model})  # expect: XLA502


def on_every_replica(fabric, model, optimizer, loader):
    for batch in loader:
        step(fabric, model, optimizer, batch)
    fabric.save("last.ckpt", {"model": model})
    if fabric.is_global_zero:
        print("saved")


def main():
    fabric = Fabric(accelerator="tpu", devices=8)
    fabric.launch()
    model = torch.nn.Linear(8, 1)
    model, optimizer = fabric.setup(model, torch.optim.SGD(model.parameters(), lr=0.1))
    loader = fabric.setup_dataloaders([torch.randn(4, 8) for _ in range(5)])
    on_every_replica(fabric, model, optimizer, loader)
    on_the_master(fabric, model, optimizer, loader)


if __name__ == "__main__":
    main()
