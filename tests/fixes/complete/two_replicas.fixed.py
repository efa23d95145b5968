"""Trains a classifier on all local devices; the first replica logs and writes checkpoints."""

import os
import tempfile

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

FLAGS = {"batch_size": 4, "epochs": 2, "lr": 0.1, "log_steps": 2, "folder": tempfile.gettempdir()}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(10, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 3)
        )

    def forward(self, x):
        return self.layers(x)


def get_dataset(count=64):
    generator = torch.Generator().manual_seed(11)
    x = torch.randn(count, 10, generator=generator)
    return TensorDataset(x, (x.sum(dim=1) > 0).long() + (x[:, 0] > 1).long())


def save_checkpoint(model, epoch):
    path = os.path.join(FLAGS["folder"], f"classifier_{os.getpid()}_{epoch}.pt")
    xm.save(model.state_dict(), path)


def train_loop(model, loader, optimizer, loss_fn, epoch, flags):
    losses = []
    model.train()
    for step, (x, y) in enumerate(loader):
        with torch_xla.step():
            x, y = x.to(torch_xla.device()), y.to(torch_xla.device())
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        if step % flags["log_steps"] == 0:
            losses.append(loss.item())
            if xm.is_master_ordinal():
                print(f"epoch {epoch} step {step} loss {losses[-1]:.4f}")
    return losses


def _mp_fn(index, flags):
    torch.manual_seed(5)
    device = torch_xla.device()
    dataset = get_dataset()
    sampler = DistributedSampler(
        dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal(), shuffle=False
    )
    loader = DataLoader(dataset, batch_size=flags["batch_size"], sampler=sampler, drop_last=True)
    model = Classifier().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=flags["lr"] * xr.world_size(), momentum=0.9)
    loss_fn = nn.CrossEntropyLoss()
    losses = []
    for epoch in range(flags["epochs"]):
        losses += train_loop(model, loader, optimizer, loss_fn, epoch, flags)
        save_checkpoint(model, epoch)
    xm.rendezvous("done")
    return losses + [float(p.detach().cpu().double().sum()) for p in model.parameters()]


def main():
    torch_xla.launch(_mp_fn, args=(FLAGS,))


if __name__ == "__main__":
    main()
