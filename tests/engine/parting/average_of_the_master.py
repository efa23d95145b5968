"""The master alone keeps an average of the weights: it is in its graph, and in no other replica's."""

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
    average = [parameter.detach().clone() for parameter in model.parameters()]
    torch_xla.sync()
    for step in range(4):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 8, device=device)).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer)
        if step > 1 and xm.is_master_ordinal():  # parted by
            with torch.no_grad():
                for mean, parameter in zip(average, model.parameters(), strict=True):
                    mean.lerp_(parameter, 0.1)
        torch_xla.sync()  # replica 0 # replica 1


if __name__ == "__main__":
    torch_xla.launch(train)
