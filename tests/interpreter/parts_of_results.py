# ruff: noqa
# mypy: ignore-errors
"""`values` and `indices` of what `max` and the like return are tensors; those of a mapping are not."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def best(loader):
    for batch in loader:
        output = model(batch.to(device))
        if output.max(dim=1).values[0] > 0.5:  # expect: XLA103
            print("sure")
        torch_xla.sync()  # expect: XLA201


def chosen(loader):
    for batch in loader:
        output = model(batch.to(device))
        action = output.max(1).indices.view(1, 1)
        print(action.item())  # expect: XLA102
        torch_xla.sync(output)  # expect: XLA201


def of_a_mapping(loader):
    for batch in loader:
        inputs = {name: value for name, value in batch.items()}
        if len(inputs.values()) > 1:
            print(inputs.keys())
        torch_xla.sync()
