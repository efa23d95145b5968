"""Each replica weighs its loss by its own number: 0 and 1 become part of the graph, so each has another one."""

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
        if step == 1:
            loss = loss * xr.global_ordinal()  # parted by
        loss.backward()
        xm.optimizer_step(optimizer)  # replica 0 # replica 1
        torch_xla.sync()


if __name__ == "__main__":
    torch_xla.launch(train)
