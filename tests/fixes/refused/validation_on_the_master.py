# select: XLA102
# refused: only some replicas record the work of the loop on line 17
"""Only the master validates: a sync above its branch runs nothing of what each batch records."""

import torch
import torch_xla
import torch_xla.runtime as xr


def validate(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    batches = [torch.randn(2, 4, device=device) for _ in range(4)]
    rank = xr.global_ordinal()
    if rank == 0:
        losses = []
        for x in batches:
            loss = model(x).square().mean()
            losses.append(loss.item())
        print(losses)
    torch_xla.sync()


torch_xla.launch(validate)
