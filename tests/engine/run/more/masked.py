"""An index by a mask launches a graph, and no method tells of it."""

import torch
import torch_xla

device = torch_xla.device()
torch.manual_seed(0)
values = torch.randn(16).to(device)
for number in range(4):
    values = values * 1.5
    chosen = values[values > 0]
    torch_xla.sync()
print(chosen.shape)
