"""Six steps that read their loss inside; ends as its arguments say."""

import os
import sys
import time

import torch
import torch_xla

device = torch_xla.device()
torch.manual_seed(0)
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for number in range(6):
    with torch_xla.step():
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        optimizer.step()
        print(number, loss.item())  # XLA101

print(__name__, sys.argv[1:], os.path.basename(sys.path[0]))
match sys.argv[1:]:
    case ["raise"]:
        raise ValueError("no")
    case ["exit", status]:
        sys.exit(int(status))
    case ["abort"]:
        os.abort()
    case ["hang"]:
        time.sleep(600)
