"""A loop over the optimizers of one step is no training loop: the loop around it ends the step."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model, optimizers):
        self.model = model
        self.optimizers = optimizers

    def step(self, batch):
        self.model(batch).sum().backward()
        for optimizer in self.optimizers:
            xm.optimizer_step(optimizer)


def main(loader):
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    optimizers = [torch.optim.SGD([model.weight]), torch.optim.SGD([model.bias])]
    trainer = Trainer(model, optimizers)
    for batch in pl.MpDeviceLoader(loader, device):
        trainer.step(batch)


def never_ends_a_step():
    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    optimizers = [torch.optim.SGD([model.weight]), torch.optim.SGD([model.bias])]
    trainer = Trainer(model, optimizers)
    for number in range(10):  # expect: XLA202
        trainer.step(torch.full((2, 8), float(number), device=device))
