# ruff: noqa
# mypy: ignore-errors
"""What is owed stays owed when more work is recorded."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def a_read():
    loss = model(x).sum()
    print(loss.item())  # expect: XLA102
    model(x)
    torch_xla.sync()


def a_collective():
    if xm.is_master_ordinal():
        xm.rendezvous("alone")  # expect: XLA502 likely
    model(x)


def the_steps_of_a_loop():
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):  # expect: XLA202
        model(x).sum().backward()
        optimizer.step()
    model(x)
    print("run by nobody")  # owed: STEPS
