# select: XLA708
import torch
import torch_xla
import torch_xla.utils.checkpoint
from torch.utils.checkpoint import checkpoint

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
for x in torch.ones(2, 8, 4).to(device).requires_grad_():
    with torch_xla.step():
        loss = torch_xla.utils.checkpoint.checkpoint(model, x, use_reentrant=True, preserve_rng_state=False).sum()
        loss = loss + checkpoint(model, x, use_reentrant=False).sum()
        loss.backward()
