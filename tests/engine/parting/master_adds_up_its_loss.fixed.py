"""Every replica adds its loss up, and the master alone may print it."""

# replicas: 2
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm


def train(index):
    device = torch_xla.device()
    model = nn.Linear(8, 1).to(device)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    total = torch.zeros(1, device=device)
    for step in range(4):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 8, device=device)).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        if step > 1:
            total += loss.detach()
        torch_xla.sync()


if __name__ == "__main__":
    torch_xla.launch(train)
