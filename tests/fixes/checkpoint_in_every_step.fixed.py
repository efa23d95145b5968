# select: XLA608
"""What stands under the test beside the save stays there, and what the save needs goes with it."""

import torch
import torch_xla
from torch_xla.experimental.distributed_checkpoint import CheckpointManager


def train(model, optimizer, loader, folder):
    manager = CheckpointManager(folder, save_interval=100)
    for step, batch in enumerate(loader):
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()
        if step % 100 == 0:
            print("step", step)
        state = {"model": model.state_dict()}
        # the manager counts, too
        manager.save(step, state)
