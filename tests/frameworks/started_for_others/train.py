"""Accelerate is set to GPUs: that it would run on TPUs, too, is only described."""

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
            total += loss.item()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(total)
