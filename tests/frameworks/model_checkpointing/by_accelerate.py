"""A model that is told to save memory before accelerate moves it."""

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModel, LlamaForCausalLM


class Scores(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.backbone = AutoModel.from_pretrained(name)
        self.backbone.gradient_checkpointing_enable()
        self.head = torch.nn.Linear(8, 1)

    def forward(self, tokens):
        return self.head(self.backbone(tokens).last_hidden_state)  # expect: XLA708 likely


def train(dataset, model):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=8, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    model.train()
    for tokens in loader:
        accelerator.backward(model(tokens).mean())
        optimizer.step()
        optimizer.zero_grad()


def whole(dataset):
    accelerator = Accelerator()
    model = LlamaForCausalLM.from_pretrained("llama")
    model.gradient_checkpointing_enable()
    model = accelerator.prepare(model)
    model.train()
    for batch in accelerator.prepare(DataLoader(dataset, batch_size=8, drop_last=True)):
        accelerator.backward(model(**batch).loss)  # expect: XLA708 likely


def in_evaluation(dataset):
    accelerator = Accelerator()
    model = LlamaForCausalLM.from_pretrained("llama")
    model.gradient_checkpointing_enable()
    model = accelerator.prepare(model)
    model.eval()
    for batch in accelerator.prepare(DataLoader(dataset, batch_size=8, drop_last=True)):
        accelerator.backward(model(**batch).loss)  # quiet: only who trains computes again


train(torch.load("dataset.pt"), Scores("llama"))
