# ruff: noqa
# mypy: ignore-errors
"""Names that hold what `xlalint state` has words for, and few programs keep under a name."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torchvision
from torch_xla.amp import GradScaler, syncfree  # expect: XLA001

device = torch_xla.device()


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x):
        held = self.count
        return self.layer(x) + held


def tests_of_replicas(steps):
    master = xm.is_master_ordinal()
    others = not master
    writes = master and steps == 0
    waits = not writes
    return others, writes, waits


def optimizers(other):
    weight = torch.nn.Parameter(torch.zeros(4))
    model = torch.nn.Sequential(Block(), Block()).to(device)
    one = Block().to(device) if other is None else other.model().to(device)
    listed = torch.nn.ModuleList([Block(), Block()])
    encoder = torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(4, 1), 1)
    optimizer = syncfree.Adam(model.parameters())
    scaler = GradScaler(use_zero_grad=True)  # expect: XLA001
    states = optimizer.state_dict()
    samples = torchvision.datasets.MNIST("data")
    numbers = torch.randn(8, 4)
    return weight, one, listed, optimizer, scaler, states
