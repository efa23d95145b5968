# select: XLA201
# refused: other code may run
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl


def train(model, optimizer, batches, device):
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
        yield loss
