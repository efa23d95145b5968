"""Uses what the CPU engine has not: the autocast of torch_xla, the memory of the device, and preemption."""

import os
import signal
import tempfile

import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
from torch_xla.amp import autocast
from torch_xla.experimental.distributed_checkpoint import CheckpointManager

device = torch_xla.device()
model = torch.nn.Linear(8, 4).to(device)
for step in range(3):
    with torch_xla.step(), autocast(device):
        scores = model(torch.ones(2, 8, device=device))
print("scores are", scores.dtype)
print("memory is told:", xm.get_memory_info(device)["bytes_used"] > 0)
print("device:", xm.xla_device_hw(device))

with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=0, world_size=1)
    manager = CheckpointManager(f"{folder}/checkpoints", save_interval=100)
    saves = []
    for step in range(1, 4):
        if step == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        saves.append(manager.should_save(step))
print("saves:", saves)
