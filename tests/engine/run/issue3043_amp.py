"""pytorch/xla #3043: a gradient scaler reads on the host in each step."""

import torch
import torch.nn as nn
import torch_xla
from torch.utils.data import DataLoader, TensorDataset

device = torch_xla.device()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("xla", init_scale=1024.0)
data = TensorDataset(torch.randn(40, 8), torch.randn(40, 1))

for x, y in DataLoader(data, batch_size=8):
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    with torch.autocast("xla", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # XLA703
    scaler.update()
    torch_xla.sync()
print(loss.item())
