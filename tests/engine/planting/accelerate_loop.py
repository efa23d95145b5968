"""A loop of accelerate on a small model, as its examples write it."""

import torch
import torch_xla  # noqa: F401
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator(gradient_accumulation_steps=1)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,)))
    loader = DataLoader(data, batch_size=8)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(2):
        model.train()
        total = torch.zeros((), device=accelerator.device)
        for features, labels in loader:  # zone: loss
            outputs = model(features)
            loss = torch.nn.functional.cross_entropy(outputs, labels)
            total = total + loss.detach()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(epoch, total.item() / len(loader))


main()
