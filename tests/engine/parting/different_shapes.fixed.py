"""The last batch of one replica is smaller, and what it gathers, too: cured."""

# replicas: 2
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def train(index):
    device = torch_xla.device()
    rank = xr.global_ordinal()
    model = nn.Linear(8, 1).to(device)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.1)
    samples = torch.ones(10, 8)
    share = samples[:6] if rank == 0 else samples[6:9]
    for batch in (share[:2], share[2:]):
        with torch.no_grad():
            full = torch.cat([batch, batch.new_zeros(4 - len(batch), 8)])
            scores = model(full.to(device))
        together = xm.all_reduce(xm.REDUCE_SUM, scores)
        torch_xla.sync()
        print(together.sum().item())


if __name__ == "__main__":
    torch_xla.launch(train)
