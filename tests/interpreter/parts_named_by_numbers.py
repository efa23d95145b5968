# ruff: noqa
# mypy: ignore-errors
"""Parts of a module that are registered under names which no text says: whatever it is asked for may be one."""

import torch
import torch_xla

device = torch_xla.device()


class Numbered(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for number in range(3):
            self.add_module(f"layer{number}", torch.nn.Linear(4, 4))

    def forward(self, x):
        return self.layer2(self.layer1(self.layer0(x)))


def train(batches):
    model = Numbered().to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
