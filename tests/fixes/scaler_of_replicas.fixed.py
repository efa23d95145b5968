# select: XLA703
"""The gradients of the replicas are summed by hand, for the scaler steps the optimizer."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import autocast


def train(model, batches):
    device = torch_xla.device()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(batches, device):
        optimizer.zero_grad()
        with autocast(device):
            loss = model(batch).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)
