"""Each replica leaves an epoch by its own loss, and comes to its end by other steps than the others."""

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
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        for step in range(4):
            optimizer.zero_grad()
            loss = model(torch.full((4, 8), 1.0 + rank).to(device)).square().mean()
            loss.backward()
            xm.optimizer_step(optimizer)  # replica 1
            torch_xla.sync()
            if loss.item() < 0.2:  # parted by
                break
    print(loss.item())


if __name__ == "__main__":
    torch_xla.launch(train)
