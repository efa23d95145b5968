# select: XLA201
# refused: the marker stands in `update`
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl


def update(model, optimizer, batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    torch_xla.sync()
    return loss


def train(model, optimizer, batches, device):
    update(model, optimizer, batches[0].to(device))
    for batch in batches:
        update(model, optimizer, batch.to(device))
