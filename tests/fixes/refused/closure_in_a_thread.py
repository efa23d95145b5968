# select: XLA201
# refused: runs in a thread of its own
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl


def train(model, optimizer, batches):
    for batch in pl.MpDeviceLoader(batches, torch_xla.device()):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        xm.add_step_closure(print, args=(loss,), run_async=True)
