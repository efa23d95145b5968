# select: XLA201
# refused: it may leave the loop
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl


def train(model, optimizer, batches):
    for step, batch in enumerate(pl.MpDeviceLoader(batches, torch_xla.device())):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        xm.add_step_closure(print, args=(loss,))
        if step == 0:
            continue
        loss.backward()
        xm.optimizer_step(optimizer)
