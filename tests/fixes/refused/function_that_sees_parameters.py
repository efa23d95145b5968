# select: XLA101
# refused: parameters and gradients change there
"""The function reads what the optimizer changes: below the step it would be another number."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def shown(number):
    bias = model.bias.sum().item()
    return f"{number}: {bias}"


def train(batches):
    seen = []
    for number, batch in enumerate(batches):
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            seen.append(shown(number))
            optimizer.step()
    return seen


train([torch.randn(2, 4, device=device) for _ in range(3)])
