"""Trains a small ResNet on made-up images, as in 2021."""

import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        return F.relu(x + self.bn2(self.conv2(out)))


class ResNet(nn.Module):
    def __init__(self, blocks=1, width=4, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(blocks)])
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.blocks(F.relu(self.stem(x)))
        return self.head(x.mean(dim=(2, 3)))


class Tracker:
    def __init__(self):
        self.started = time.time()
        self.samples = 0

    def add(self, count):
        self.samples += count

    def rate(self):
        return self.samples / (time.time() - self.started)


def report_progress(device, epoch, step, loss, rate, history):
    value = loss.item()
    history.append(value)
    xm.master_print(f"[{device}] epoch {epoch} step {step} loss {value:.5f} rate {rate:.1f}")


def train_epoch(flags, model, loader, optimizer, scheduler, loss_fn, device, epoch, history):
    tracker = Tracker()
    model.train()
    for step, (data, target) in enumerate(loader):
        with torch_xla.step():
            optimizer.zero_grad()
            output = model(data)
            loss = loss_fn(output, target)
            loss.backward()
            xm.optimizer_step(optimizer)
            tracker.add(flags.batch_size)
            scheduler.step()
        # the loss is read after the step, so that nobody waits for it
        if step % flags.log_steps == 0:
            report_progress(device, epoch, step, loss, tracker.rate(), history)


def evaluate(model, loader):
    correct, total = 0, 0
    model.eval()
    with torch.no_grad():
        for data, target in loader:
            with torch_xla.step():
                pred = model(data).argmax(dim=1)
                hits = pred.eq(target).sum()
            correct += hits.item()
            total += target.size(0)
    return 100.0 * correct / total


def images(count, seed):
    generator = torch.Generator().manual_seed(seed)
    return TensorDataset(
        torch.randn(count, 3, 6, 6, generator=generator), torch.randint(0, 4, (count,), generator=generator)
    )


def main(argv=()):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--log-steps", type=int, default=2)
    flags = parser.parse_args(argv)

    torch.manual_seed(42)
    device = torch_xla.device()
    model = ResNet().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)
    loss_fn = nn.CrossEntropyLoss()
    train_loader = pl.MpDeviceLoader(DataLoader(images(24, 0), batch_size=flags.batch_size), device)
    test_loader = pl.MpDeviceLoader(DataLoader(images(16, 1), batch_size=flags.batch_size), device)

    history, accuracies = [], []
    for epoch in range(1, flags.epochs + 1):
        train_epoch(flags, model, train_loader, optimizer, scheduler, loss_fn, device, epoch, history)
        accuracy = evaluate(model, test_loader)
        accuracies.append(accuracy)
        xm.master_print(f"epoch {epoch} accuracy {accuracy:.2f}")
    return history + accuracies


if __name__ == "__main__":
    main()
