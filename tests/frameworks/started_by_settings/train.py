"""A loop of accelerate that does not say which device it is for: what accelerate is set to does."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(dataset, epochs):
    accelerator = Accelerator()
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(dataset, batch_size=8))
    for epoch in range(epochs):
        total = 0.0
        for inputs, target in loader:
            loss = torch.nn.functional.cross_entropy(model(inputs), target)
            total += loss.item()  # expect: XLA102
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(total)
