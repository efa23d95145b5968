"""One replica clips what all have reduced: the reduction is the same, in another graph."""

# replicas: 2
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def train(index):
    device = torch_xla.device()
    model = nn.Linear(8, 1).to(device)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 8, device=device)).square().mean()
        loss.backward()
        xm.reduce_gradients(optimizer)
        if step == 1 and xr.global_ordinal() == 0:  # parted by
            nn.utils.clip_grad_value_(model.parameters(), 0.01)
        optimizer.step()
        torch_xla.sync()  # replica 0 # replica 1


if __name__ == "__main__":
    torch_xla.launch(train)
