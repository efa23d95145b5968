"""Uses what the CPU engine has not: the autocast of torch_xla, and the memory of the device."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch_xla.amp import autocast

device = torch_xla.device()
model = torch.nn.Linear(8, 4).to(device)
for step in range(3):
    with torch_xla.step(), autocast(device):
        scores = model(torch.ones(2, 8, device=device))
print("scores are", scores.dtype)
print("memory is told:", xm.get_memory_info(device)["bytes_used"] > 0)
print("device:", xm.xla_device_hw(device))
