# select: XLA201
"""Every second step a closure prints, and a summary is written beside it."""

import summaries
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def report(step, loss):
    print(step, loss.item())


def train(model, optimizer, loader, writer):
    for step, batch in enumerate(loader):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            xm.optimizer_step(optimizer)
        if step % 2 == 0:
            report(step, loss)
            summaries.write_to_summary(writer, step, rate=1.0)


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer, pl.MpDeviceLoader([torch.randn(2, 4)] * 4, device), None)


main()
