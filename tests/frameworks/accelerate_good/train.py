"""The same loop as it should be: what is logged is read after the epoch, by all replicas."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(dataset, epochs):
    accelerator = Accelerator()
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    loader = DataLoader(dataset, batch_size=8)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for epoch in range(epochs):
        total = torch.zeros((), device=accelerator.device)
        for inputs, target in loader:
            with accelerator.accumulate(model):
                loss = torch.nn.functional.cross_entropy(model(inputs), target)
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            total += loss.detach()
        accelerator.log({"loss": accelerator.reduce(total).item()})
        accelerator.wait_for_everyone()
        unwrapped = accelerator.unwrap_model(model)
        accelerator.save(unwrapped.state_dict(), "last.pt")


def evaluate(model, dataset):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, DataLoader(dataset, batch_size=8))
    right = []
    for inputs, target in loader:
        right.append(accelerator.gather_for_metrics(model(inputs).argmax(dim=1) == target))
    accelerator.print(torch.cat(right).float().mean().item())
