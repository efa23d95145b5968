# select: XLA201
import torch
import torch_xla


def train(model, optimizer, loader):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
        with torch.no_grad():
            total += loss.item() * len(batch)
    return total


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return train(model, optimizer, [torch.randn(2, 4, device=device) for _ in range(3)])


main()
