# select: XLA801
"""The loader moves the batches while the device computes, and cuts the graph where the loop does."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, n):
        self.device = torch_xla.device()
        self.model = torch.nn.Linear(4, 1).to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        rows = torch.randn(16, 4)
        self.loader = DataLoader(TensorDataset(rows, rows.sum(1)), batch_size=4, drop_last=True)
        self.n = n

    def loss(self, x, y):
        return (self.model(x.to(self.device)).squeeze(1) - y.to(self.device)).square().mean()

    def fit(self):
        for _ in range(2):
            for step, (x, y) in enumerate(pl.MpDeviceLoader(self.loader, self.device)):
                x, y = (each.to(self.device) for each in (x, y))
                self.loss(x, y).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
                torch_xla.sync()

    def accumulate(self):
        for step, (x, y) in enumerate(pl.MpDeviceLoader(self.loader, self.device, batches_per_execution=self.n)):
            x, y = x.to(self.device), y.to(self.device)
            (self.loss(x, y) / self.n).backward()
            if (step + 1) % self.n == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
                torch_xla.sync()


trainer = Trainer(2)
trainer.fit()
trainer.accumulate()
