"""A fine-tuning script that was moved to XLA by an import and a device, and by nothing else."""

import torch
import torch_xla
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, get_scheduler

DEVICE = "xla"


def train(dataset, epochs):
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased")
    model.to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    loader = DataLoader(dataset, shuffle=True, batch_size=8, drop_last=True)
    scheduler = get_scheduler("linear", optimizer, num_training_steps=epochs * len(loader))
    model.train()
    for epoch in range(epochs):
        for step, batch in enumerate(loader):  # expect: XLA202
            batch = {k: v.to(DEVICE) for k, v in batch.items()}
            outputs = model(**batch)
            loss = outputs.loss
            loss.backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    print(loss.item())
    model.save_pretrained("out")  # expect: XLA601 likely
