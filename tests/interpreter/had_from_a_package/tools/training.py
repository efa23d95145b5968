# ruff: noqa
# mypy: ignore-errors
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model):
        self.device = torch_xla.device()
        self.model = model.to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self, batches):
        for batch in pl.MpDeviceLoader(batches, self.device):
            self.optimizer.zero_grad()
            self.step(batch)  # expect: XLA102
            xm.optimizer_step(self.optimizer)
