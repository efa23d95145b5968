"""All that transformers and Lightning have is imported by a star: they are known as if named one by one."""

import torch
import torch_xla
from lightning import *
from transformers import *

device = torch_xla.device()


def train(model, data):
    model.to(device)
    for batch in data:
        with torch_xla.step():
            model(batch).loss.backward()


def drops(data, name):
    seed_everything(1)  # expect: XLA707
    model = BertForSequenceClassification.from_pretrained(name, num_labels=2)
    model.train()
    train(model, data)


class LlamaForCausalLM(torch.nn.Module):
    def forward(self, batch):
        return batch


def of_its_own(data):
    seed_everything(1)  # quiet: this class is not the one of transformers
    model = LlamaForCausalLM()
    model.train()
    train(model, data)
