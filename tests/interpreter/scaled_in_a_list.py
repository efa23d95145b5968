# ruff: noqa
# mypy: ignore-errors
"""Gradients that a helper gathers in a list, and scales by the norm of all: that is clipping, whatever they are
called by then. What is copied of them is scaled alone."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def clip(parameters, bound):
    gradients = [p.grad for p in parameters if p.grad is not None]
    norm = torch.stack([gradient.pow(2).sum() for gradient in gradients]).sum().sqrt()
    for gradient in gradients:
        gradient.mul_(torch.clamp(bound / norm, max=1.0))  # expect: XLA508


def directions(parameters):
    for gradient in [p.grad.clone() for p in parameters]:
        gradient.div_(gradient.norm())


def train(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(2, 4, device=device)).sum().backward()
            directions(model.parameters())
            clip(model.parameters(), 1.0)
            xm.optimizer_step(optimizer)
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.randn(2, 4, device=device)).sum().backward()
            xm.reduce_gradients(optimizer)
            clip(model.parameters(), 1.0)
            optimizer.step()


torch_xla.launch(train)  # expect: XLA517 likely
