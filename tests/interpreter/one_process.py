# ruff: noqa
# mypy: ignore-errors
"""A script that starts no further process, and does not say that anybody else has."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
model(torch.randn(4, 4, device=device)).sum().backward()
xm.optimizer_step(optimizer)
if xm.is_master_ordinal():  # holds: replicas.launched = False
    xm.save(model.state_dict(), "model.pt")  # expect: XLA501 likely
