"""accelerate joins no process group for XLA: under SPMD nothing is wrong with it, and with a group of one's own all is."""

import torch
import torch_xla
import torch_xla.runtime as xr
from accelerate import Accelerator


def train(batches):
    xr.use_spmd()
    accelerator = Accelerator()
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer = accelerator.prepare(model, optimizer)
    for batch in batches:
        with torch_xla.step():
            loss = model(batch.to(accelerator.device)).sum()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


def train_in_a_group(batches):
    xr.use_spmd()
    torch.distributed.init_process_group("xla")  # expect: XLA806
    train(batches)
