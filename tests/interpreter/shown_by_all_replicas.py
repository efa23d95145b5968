# ruff: noqa
# mypy: ignore-errors
"""The master reads what every replica has copied to the host, or shown: it is there, and nobody is waited for."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def train(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(9):
        loss = model(torch.ones(2, 4, device=device)).sum()
        loss.backward()
        total = xm.all_reduce(xm.REDUCE_SUM, loss.detach())
        largest = xm.all_reduce(xm.REDUCE_MAX, loss.detach())
        print(index, total)  # expect: XLA102
        largest.item()  # expect: XLA102
        if xm.is_master_ordinal():
            print(total.item())
        if xm.is_master_ordinal():
            print(largest.item())  # expect: XLA102, XLA501
        xm.optimizer_step(optimizer, barrier=True)


if __name__ == "__main__":
    torch_xla.launch(train)  # expect: XLA517 likely
