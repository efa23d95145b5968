"""A model is frozen by a helper that gives it layers of its own, and moved by accelerate."""

import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM

from layers import inject


def train(loader):
    accelerator = Accelerator()
    model = inject(AutoModelForCausalLM.from_pretrained("gpt2"))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        optimizer.zero_grad()
