# ruff: noqa
# mypy: ignore-errors
"""A script that joins a group of processes: somebody else has started several of it."""

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm

dist.init_process_group("xla", init_method="xla://")

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
model(torch.randn(4, 4, device=device)).sum().backward()
xm.optimizer_step(optimizer)
if xm.is_master_ordinal():  # holds: replicas.launched = None
    xm.save(model.state_dict(), "model.pt")  # expect: XLA501
