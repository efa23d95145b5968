# select: XLA101
"""What a function ends with is read by its callers instead, each in its place."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def length_of_gradients():
    lengths = [each.grad.norm() for each in model.parameters()]
    return torch.stack(lengths).norm()


def train(batches):
    seen = []
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            value = length_of_gradients()
            optimizer.step()
        seen.append(value.item())
    print("at last", length_of_gradients().item())
    return seen


train([torch.randn(2, 4, device=device) for _ in range(3)])
