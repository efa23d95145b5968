"""Trains with dropout, batch norm and Adam, then prints every bit of the parameters; the guard must change none."""

import hashlib

import torch
import torch_xla

torch.manual_seed(3)
device = torch_xla.device()
model = torch.nn.Sequential(
    torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1)
).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for number in range(8):
    with torch_xla.step():
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        optimizer.step()
        if number % 3 == 0:
            print("loss", loss.item().hex())
for name, value in model.state_dict().items():
    print("bits", name, hashlib.sha256(value.cpu().numpy().tobytes()).hexdigest())
