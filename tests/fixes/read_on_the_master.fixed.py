# select: XLA102
"""Only the master reads: the sync comes above its branch, where all replicas are."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def train(index):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rank = xr.global_ordinal()
    for step in range(4):
        optimizer.zero_grad()
        loss = model(torch.randn(2, 4, device=device)).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        if step == 2:
            print("half way")
            # and no more
        torch_xla.sync()
        if rank == 0 and step == 0:

            def sample():
                return loss.detach().cpu()

            first = sample()
            print(first)
    torch_xla.sync()


torch_xla.launch(train)
