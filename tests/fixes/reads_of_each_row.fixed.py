# select: XLA102
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
output = model(torch.randn(3, 4).to(device))
seen = []
torch_xla.sync()
for row in range(3):
    seen.append(output[row].item())
torch_xla.sync()
