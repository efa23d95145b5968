"""The master alone adds its loss up on the device: the sum is in its graph, and in no other replica's."""

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
        if step > 1 and xm.is_master_ordinal():  # parted by
            total += loss.detach()
        torch_xla.sync()  # replica 0 # replica 1


if __name__ == "__main__":
    torch_xla.launch(train)
