"""What each round of a loop binds anew is never run without a cut, and nothing grows; what is gathered runs later.

What no name gets is never run, whatever cuts: a step would not help.
"""

import torch
import torch_xla
from torch.utils.data import DataLoader

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device).eval()
loader = DataLoader(torch.randn(64, 4), batch_size=8)


@torch.no_grad()
def outputs_let_go():
    for batch in loader:  # expect: XLA202
        _ = model(batch.to(device))
    torch_xla.sync()


@torch.no_grad()
def outputs_of_nobody():
    for batch in loader:
        model(batch.to(device))
    torch_xla.sync()


@torch.no_grad()
def outputs_summed():
    total = 0
    for batch in loader:  # expect: XLA202
        total += model(batch.to(device)).sum()
    torch_xla.sync()
    return total


@torch.no_grad()
def outputs_summed_by_name():
    total = torch.zeros((), device=device)
    for batch in loader:  # expect: XLA202
        total = total + model(batch.to(device)).sum()
    return total.item()


@torch.no_grad()
def outputs_gathered():
    outputs = []
    for batch in loader:  # expect: XLA202
        outputs.append(model(batch.to(device)))
    torch_xla.sync()
    return outputs


class Meter:
    def __init__(self):
        self.total = 0

    @torch.no_grad()
    def measure(self):
        for batch in loader:  # expect: XLA202
            self.total += model(batch.to(device)).sum()


Meter().measure()
