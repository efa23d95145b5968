"""Train a small network on pictures of digits: `python train.py`.

A program as it comes over from CUDA: it runs, and does nearly everything that an engine which records
now and runs later punishes. `xlalint check .` tells what and where.
"""

import argparse

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from data import build_loaders
from model import DigitNet

from engine import Trainer


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--log-every", type=int, default=8)
    parser.add_argument("--save-every", type=int, default=8)
    parser.add_argument("--target-loss", type=float, default=0.05)
    parser.add_argument("--checkpoint", default="digits.pt")
    parser.add_argument("--profile", action="store_true", help="name the steps for the profiler")
    return parser.parse_args()


def run(index, args):
    torch.manual_seed(0)
    device = xm.xla_device()
    model = DigitNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    model.to(device)
    train_loader, test_loader = build_loaders(args.batch_size)
    trainer = Trainer(model, optimizer, args)
    trainer.fit(pl.MpDeviceLoader(train_loader, device), pl.MpDeviceLoader(test_loader, device))


def main():
    torch_xla.launch(run, args=(parse_args(),))


if __name__ == "__main__":
    main()
