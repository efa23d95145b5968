"""What a function declares global and makes is known to the other functions of the module."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

MODEL = None


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        output = self.layer(x)
        return output, output.sum()


def main(index, flags):
    global MODEL
    MODEL = Network()
    run(flags)


def run(flags):
    device = torch_xla.device()
    MODEL.to(device)

    def validate(loader):
        total = 0
        for batch in loader:
            _, loss = MODEL(batch)
            total += loss.item()  # expect: XLA102 likely
        return total

    loader = flags.loader
    if flags.cores > 1:
        loader = pl.MpDeviceLoader(loader, device)
    validate(loader)


def cut_first(flags):
    for batch in pl.MpDeviceLoader(flags.loader, torch_xla.device()):
        _, loss = MODEL(batch)
        torch_xla.sync()  # expect: XLA201
        print(loss.item())
