"""Fine-tunes a small BERT with dropout in mixed precision."""

import math

import torch
import torch.nn as nn
import torch_xla
from torch.amp import autocast
from torch.utils.data import DataLoader, TensorDataset


class SelfAttention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        scores = scores.masked_fill(mask[:, None, None, :] == 0, -1e4)
        context = self.dropout(scores.softmax(dim=-1)) @ v
        return self.out(context.transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.attention = SelfAttention(width, heads, dropout)
        self.norm1 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.norm2 = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.norm1(x + self.dropout(self.attention(x, mask)))
        return self.norm2(x + self.dropout(self.mlp(x)))


class Bert(nn.Module):
    def __init__(self, vocabulary=50, width=8, heads=2, layers=1, classes=3, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(12, width)
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))
        self.classifier = nn.Linear(width, classes)

    def forward(self, tokens, mask):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for layer in self.layers:
            x = layer(x, mask)
        return self.classifier(x[:, 0])


class Trainer:
    def __init__(self, model, lr, steps):
        self.device = torch_xla.device()
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr, weight_decay=0.01)
        self.scheduler = torch.optim.lr_scheduler.LinearLR(self.optimizer, 1.0, 0.1, steps)
        self.losses = []

    def train(self, loader, epochs):
        self.model.train()
        for epoch in range(epochs):
            running = 0.0
            for step, (tokens, mask, labels) in enumerate(loader):
                tokens, mask, labels = (t.to(self.device) for t in (tokens, mask, labels))
                with torch_xla.step():
                    self.optimizer.zero_grad()
                    with autocast("xla", dtype=torch.bfloat16):
                        logits = self.model(tokens, mask)
                        loss = nn.functional.cross_entropy(logits, labels)
                    loss.backward()
                    self.optimizer.step()
                    self.scheduler.step()
                running += loss.item()
                if step % 2 == 1:
                    print(f"epoch {epoch} step {step}: loss {running / (step + 1):.4f}")
            self.losses.append(running / len(loader))


def sentences(count, length=12):
    tokens = torch.randint(1, 50, (count, length))
    mask = torch.ones(count, length, dtype=torch.long)
    return TensorDataset(tokens, mask, tokens[:, 0] % 3)


def main():
    torch.manual_seed(1)
    torch_xla.manual_seed(1)
    loader = DataLoader(sentences(32), batch_size=8, drop_last=True)
    trainer = Trainer(Bert(), lr=1e-3, steps=8)
    trainer.train(loader, epochs=2)
    return trainer.losses


if __name__ == "__main__":
    main()
