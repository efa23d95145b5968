"""A settings object of another module that names the device."""

import torch
import torch_xla
from settings import on_host, settings


def main():
    device = torch.device(settings.device)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings.lr)
    model.to(device)  # expect: XLA701
    for _ in range(10):  # expect: XLA202
        loss = model(torch.ones(4, 4, device=device)).mean()
        loss.backward()
        optimizer.step()
        print(loss.item())


def on_the_host():
    device = torch.device(on_host.device)
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings.lr)
    model.to(device)
    for _ in range(10):
        model(torch.ones(4, 4, device=device)).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
