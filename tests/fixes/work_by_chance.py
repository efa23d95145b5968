# select: XLA408
import random

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()


def main(samples):
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader(samples, device):
        if random.random() < 0.5:
            batch = batch.flip(-1)  # half of them
        if random.random() < 0.5:
            batch = batch * 0.9

        # The step itself.
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()


main(list(torch.randn(10, 4, 8)))
