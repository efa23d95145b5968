# select: XLA212
"""The step function takes and returns what is computed of its result; at module level, the name is its own there."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train_step(batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    return loss


train_step = torch_xla.compile(train_step)
total = torch.zeros((), device=device)
for batch in [torch.randn(2, 4, device=device) for _ in range(3)]:
    current = train_step(batch=batch)
    total += current.detach()
torch_xla.sync()
print(total.item())
