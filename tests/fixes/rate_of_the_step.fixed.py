# select: XLA201
"""What a closure is given is looked up where it is added: the rate of this step, a scaled loss. A number that
is called after gradients is known by then, and a scheduler changes none of them."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(model, optimizer, scheduler, batches):
    for batch in pl.MpDeviceLoader(batches, torch_xla.device()):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            grad_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            xm.optimizer_step(optimizer)
            value = loss * 8
            learning_rate = scheduler.get_last_lr()[0]
            scheduler.step()
        print(value, learning_rate, grad_norm)
