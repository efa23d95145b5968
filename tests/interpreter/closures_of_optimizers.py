"""A read in an optimizer's step runs what it needs: of labels alone neither forward nor backward."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.distributed.parallel_loader as pl


class Sharpened(torch.optim.Optimizer):
    def __init__(self, params, base, **settings):
        super().__init__(params, dict(**settings))
        self.base_optimizer = base(self.param_groups, **settings)

    @torch.no_grad()
    def step(self, closure=None):
        closure = torch.enable_grad()(closure)
        closure()
        self.base_optimizer.step()


class SharpenedTwice(Sharpened):
    @torch.no_grad()
    def step(self, closure=None):
        closure = torch.enable_grad()(closure)
        closure()  # expect: XLA703
        self.base_optimizer.step()


device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = Sharpened(model.parameters(), torch.optim.AdamW, lr=0.1)
another = SharpenedTwice(model.parameters(), torch.optim.AdamW, lr=0.1)


def weighed_by_the_labels(loader):
    for inputs, labels in pl.MpDeviceLoader(loader, device):

        def closure():
            outputs = model(inputs).squeeze(-1)
            weight = ((labels == 1).sum() / (labels == 0).sum()).clamp(min=1.0)
            loss = F.binary_cross_entropy_with_logits(outputs, labels) * weight.item()
            loss.backward()
            return loss

        optimizer.step(closure)


def weighed_by_the_outputs(loader):
    for inputs, labels in pl.MpDeviceLoader(loader, device):

        def closure():
            outputs = model(inputs).squeeze(-1)
            weight = (outputs.sum() / (labels == 0).sum()).clamp(min=1.0)
            loss = F.binary_cross_entropy_with_logits(outputs, labels) * weight.item()
            loss.backward()
            return loss

        another.step(closure)
