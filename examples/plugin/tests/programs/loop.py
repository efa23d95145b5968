"""A marker in a loop is found, one below it is not."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

weight = torch.ones(2, device="xla")
for _ in range(3):
    weight = weight * 2
    xm.mark_step()  # expect: ACME001
for _ in range(3):
    with torch_xla.step():
        weight = weight * 2
torch_xla.sync()
