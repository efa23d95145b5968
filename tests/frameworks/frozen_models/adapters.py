"""Only the adapters of a model are trained: its tied weights are two after the move, and stay equal."""

import torch
import torch_xla
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2")
model = get_peft_model(model, LoraConfig(r=8))
model.to(torch_xla.device())
optimizer = torch.optim.AdamW(model.parameters())


def train(batches):
    for batch in batches:
        with torch_xla.step():
            model(batch, labels=batch).loss.backward()
            optimizer.step()
