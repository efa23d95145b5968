# ruff: noqa
# mypy: ignore-errors
"""Several replicas train with ZeRO, which is built before the model moves, and keep checkpoints."""

import argparse
import os
import random

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr
from torch.utils.data import DataLoader, TensorDataset
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer

FLAGS = None


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Dropout(0.2)
        )
        self.classifier = torch.nn.Linear(4 * 6 * 6, 8)

    def forward(self, x):
        return self.classifier(self.features(x))


def images(count):
    generator = torch.Generator().manual_seed(1)
    return TensorDataset(
        torch.randn(count, 1, 8, 8, generator=generator), torch.randint(0, 8, (count,), generator=generator)
    )


def save_checkpoint(model, optimizer, epoch):
    if xm.is_master_ordinal():
        xm.save(  # expect: XLA610
            {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch},
            os.path.join(FLAGS.out, "last.pt"),
        )


def load_checkpoint(model, optimizer):
    path = os.path.join(FLAGS.out, "last.pt")
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        return state["epoch"]
    return 0


def validate(model, loader):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for data, target in loader:
            prediction = model(data).argmax(dim=1)
            right += prediction.eq(target).sum().item()  # expect: XLA102
            total += len(target)
    return right / total


def train(index, flags):
    global FLAGS
    FLAGS = flags
    torch.manual_seed(flags.seed + index)  # expect: XLA707
    dist.init_process_group("xla", init_method="xla://")
    device = torch_xla.device()
    model = Net()
    optimizer = ZeroRedundancyOptimizer(  # expect: XLA701
        model.parameters(), torch.optim.Adam, lr=1e-3, pin_layout=False
    )
    model = model.to(device)
    first = load_checkpoint(model, optimizer)

    training = DataLoader(images(60), batch_size=8, shuffle=True, num_workers=0)
    validation = DataLoader(images(20), batch_size=8)
    training = pl.MpDeviceLoader(training, device)
    validation = pl.MpDeviceLoader(validation, device)
    criterion = torch.nn.CrossEntropyLoss()
    best = 0.0
    for epoch in range(first, flags.epochs):
        model.train()
        running = 0.0
        for step, (data, target) in enumerate(training):
            optimizer.zero_grad()
            loss = criterion(model(data), target)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: XLA508
            xm.optimizer_step(optimizer)  # expect: XLA507
            running += loss.item()  # expect: XLA102
            if index == 0 and step % 2 == 0:
                print(f"[{epoch}] step {step} loss {loss.item():.4f}")  # expect: XLA102
        accuracy = validate(model, validation)
        accuracy = xm.mesh_reduce("accuracy", accuracy, lambda xs: sum(xs) / len(xs))
        dist.barrier()  # expect: XLA511
        if accuracy > best:
            best = accuracy
            save_checkpoint(model, optimizer, epoch)
        if running / (step + 1) < 0.1:
            break  # expect: XLA503 likely
    if index == 0:
        torch.save(model.state_dict(), os.path.join(flags.out, "final.pt"))  # expect: XLA601


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="/tmp/zero_out")
    parser.add_argument("--cores", type=int, default=8)
    flags = parser.parse_args()
    os.makedirs(flags.out, exist_ok=True)
    print("replicas", xr.world_size())
    xmp.spawn(train, args=(flags,), nprocs=flags.cores)  # expect: XLA002, XLA510 likely


if __name__ == "__main__":
    main()
