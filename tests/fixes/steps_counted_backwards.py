# select: XLA201
"""What goes backwards over a range counts like the range: a test of it asks the device nothing."""

import torch
import torch_xla
from tqdm import tqdm


@torch.no_grad()
def sample(model, x, betas, steps):
    for i in reversed(range(steps)):
        mean = x - betas * model(x)
        if i > 0:
            x = mean + betas.sqrt() * torch.randn_like(x)
        else:
            x = mean
        torch_xla.sync()
    return x


@torch.no_grad()
def sample_with_a_bar(model, x, betas, steps):
    for i in tqdm(reversed(range(steps)), desc="sampling", total=steps):
        mean = x - betas * model(x)
        x = mean + betas.sqrt() * torch.randn_like(x) if i > 0 else mean
        torch_xla.sync()
    return x


@torch.no_grad()
def sample_until_it_is_good(model, x, thresholds):
    for threshold in reversed(thresholds.to(torch_xla.device())):
        mean = model(x)
        if threshold > 0:
            x = mean + torch.randn_like(x)
        else:
            x = mean
        torch_xla.sync()
    return x


def main(steps):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    x, betas = torch.randn(2, 4).to(device), torch.ones(4).to(device)
    return (
        sample(model, x, betas, steps),
        sample_with_a_bar(model, x, betas, steps),
        sample_until_it_is_good(model, x, betas),
    )
