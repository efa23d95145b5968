"""What accelerate and an older transformers have, imported by a star: an optimizer, by its name, and `Accelerator`."""

import torch
from accelerate import *
from transformers import *


def train(data):
    accelerator = Accelerator()
    model = BertForSequenceClassification.from_pretrained("bert-base-uncased")
    optimizer = AdamW(model.parameters())
    loader = torch.utils.data.DataLoader(data, batch_size=8, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(**batch).loss
        accelerator.backward(loss)
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
        optimizer.zero_grad()
