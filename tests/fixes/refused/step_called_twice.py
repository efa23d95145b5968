# select: XLA212
# refused: the step `train_step` is called in other places, too
"""What another call of the step gives and keeps would change with it."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch_xla.compile
def train_step(batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(batches):
    smoothed = torch.zeros((), device=device)
    print(train_step(batches[0]).item())
    for batch in batches:
        loss = train_step(batch)
        smoothed = 0.9 * smoothed + 0.1 * loss
    torch_xla.sync()
    return smoothed


train([torch.randn(2, 4, device=device) for _ in range(3)])
