"""A plain PyTorch loop, moved to XLA, with a step scope."""

import torch
import torch.nn as nn
import torch_xla
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = TensorDataset(torch.randn(64, 8), torch.randn(64, 1))

for x, y in DataLoader(data, batch_size=8):
    x, y = x.to(device), y.to(device)
    with torch_xla.step():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    print(loss.item())
