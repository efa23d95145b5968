# select: XLA102
import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
loader = pl.MpDeviceLoader([torch.randn(2, 4) for _ in range(3)], device)


losses = torch.zeros(3, device=device)
for number, batch in enumerate(loader):
    loss = model(batch).mean()
    losses[number] = loss.item()
