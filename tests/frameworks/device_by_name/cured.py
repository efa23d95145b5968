"""The same, with a loader that cuts the graph and a loss that is read after the cut."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, get_scheduler

DEVICE = "xla"


def train(dataset, epochs):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased").to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    loader = DataLoader(dataset, shuffle=True, batch_size=8, drop_last=True)
    scheduler = get_scheduler("linear", optimizer, num_training_steps=epochs * len(loader))
    for epoch in range(epochs):
        for step, batch in enumerate(pl.MpDeviceLoader(loader, DEVICE)):
            with torch_xla.step():
                optimizer.zero_grad()
                loss = model(**batch).loss
                loss.backward()
                optimizer.step()
                scheduler.step()
            if step % 100 == 0:
                print(epoch, step, loss.item())
