# select: XLA206
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.randn(2, 4, device=device)).square().mean()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
    torch_xla.sync()
