# select: XLA101
# refused: what `size_of_the_bias` returns may change before the end of the step
"""What the function returns is what the step changes: read below, it would be another number."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def size_of_the_bias():
    return model.bias.item()


def train(batches):
    seen = []
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()
            seen.append(size_of_the_bias())
            optimizer.step()
    return seen


train([torch.randn(2, 4, device=device) for _ in range(3)])
