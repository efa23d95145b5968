"""Only the helper has a place for the sync: the loop asks anew in each round of another one."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

from logs import report

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(batches):
    for number, batch in enumerate(pl.MpDeviceLoader(batches, device)):
        loss = model(batch).square().mean()
        if number == 5:
            torch_xla.sync()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        scale = 1.0
        while report(loss) * scale > 100:
            scale /= 2


train([torch.randn(2, 4) for _ in range(3)])
