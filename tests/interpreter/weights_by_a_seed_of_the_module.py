# ruff: noqa
# mypy: ignore-errors
"""Each replica imports the module that starts it, and with that gets the seed which stands there."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

torch.manual_seed(0)


def train(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in torch.ones(3, 2, 4).to(device):
        with torch_xla.step():
            optimizer.zero_grad()
            model(x).square().sum().backward()
            xm.optimizer_step(optimizer)


if __name__ == "__main__":
    torch_xla.launch(train)
