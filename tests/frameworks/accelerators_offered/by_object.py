import torch
from running.making import accelerator
from torch.utils.data import DataLoader, TensorDataset


def main():
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=8)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for (x,) in loader:
        loss = model(x).pow(2).mean()
        accelerator.backward(loss)
        print(loss.item())  # expect: XLA102
        optimizer.step()
        optimizer.zero_grad()


main()
