"""What a model returns goes with the names of its round, and no later cut runs it again."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from transformers import BertConfig, BertModel


class Pooled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = BertModel(BertConfig())

    def forward(self, batch):
        return self.body(batch).pooler_output


def evaluated_between(loader, others, epochs):
    device = torch_xla.device()
    model = Pooled().to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    total = 0
    for _ in range(epochs):
        for batch in loader:
            pooled = model(batch.to(device))
            loss = pooled.sum()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        with torch.no_grad():
            for batch in others:
                pooled = model(batch.to(device))
                loss = pooled.sum()
                total += loss.item()  # quiet: nobody holds what is read when the graph is cut
    return total


def kept(loader, others, epochs):
    device = torch_xla.device()
    model = BertModel(BertConfig()).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    answers, total = [], 0
    for _ in range(epochs):
        for batch in loader:
            loss = model(batch.to(device)).pooler_output.sum()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        with torch.no_grad():
            for batch in others:
                answer = model(batch.to(device))
                answers.append(answer)
                total += answer.pooler_output.sum().item()  # expect: XLA102
    return answers, total
