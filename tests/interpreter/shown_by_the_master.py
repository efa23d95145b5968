# ruff: noqa
# mypy: ignore-errors
"""The text of a tensor is made on the device, for which all replicas must meet; that of one
number in an f-string is not, so that this is a note."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def train(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(8):
        loss = model(torch.ones(2, 4, device=device)).mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            print(f"loss {loss}")  # expect: XLA102, XLA501 likely
        torch_xla.sync()  # expect: XLA201
    for _ in range(8):
        loss = model(torch.ones(2, 4, device=device)).mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            print("loss", loss)  # expect: XLA102, XLA501 likely
        torch_xla.sync()  # expect: XLA201
    for _ in range(8):
        loss = model(torch.ones(2, 4, device=device)).mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            print(f"loss {loss!r}")  # expect: XLA102, XLA501 likely
        torch_xla.sync()  # expect: XLA201
    for _ in range(8):
        loss = model(torch.ones(2, 4, device=device)).mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        shared = xm.all_reduce(xm.REDUCE_SUM, loss)
        if xm.is_master_ordinal():
            print(f"loss {shared}")  # expect: XLA102, XLA501
        torch_xla.sync()  # expect: XLA201


torch_xla.launch(train)  # expect: XLA517 likely
