# select: XLA801
# refused: leaves the loop, and its loader would be made anew each time
"""An `MpDeviceLoader` in the header of a loop that is left early would leave its threads behind."""

import torch
import torch_xla
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(16, 4)), batch_size=4, drop_last=True)
for epoch in range(3):
    for step, (batch,) in enumerate(loader):
        batch = batch.to(device)
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        torch_xla.sync()
        if step == 2:
            break
