# ruff: noqa
# mypy: ignore-errors
"""Numbers that were just sent to the device are there: a read of one runs no graph."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(8, 1).to(device)
batches = [torch.randn(4, 8) for _ in range(8)]


def sums_of_an_epoch(epochs, several):
    for epoch in range(epochs):
        total, seen = 0.0, 0
        for batch in batches:
            with torch_xla.step():
                model(batch.to(device)).sum().backward()
            total += 2.5
            seen += 4
        loss_sum = torch.tensor(total, device=device)
        token_sum = torch.tensor(float(seen), device=device)
        average = loss_sum.item() / token_sum.item()
        print(average, int(token_sum.item()))


def of_one_computed(epochs):
    for epoch in range(epochs):
        with torch_xla.step():
            model(batches[0].to(device)).sum().backward()
        total = torch.tensor(7.5, device=device) * 2  # expect: XLA212
        seen = torch.tensor(4.5, device=device) + 1
        print(total.item() / seen.item())  # expect: XLA104


sums_of_an_epoch(3, False)
of_one_computed(3)
