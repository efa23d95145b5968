# tolerance: 1e-4
# proof: launches 937 -> 22
"""Pre-trains a small decoder with eager mode on."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
from torch.utils.data import DataLoader, Dataset

torch_xla.experimental.eager_mode(True)


class Characters(Dataset):
    def __init__(self, text, length):
        self.vocabulary = sorted(set(text))
        self.ids = torch.tensor([self.vocabulary.index(letter) for letter in text])
        self.length = length

    def __len__(self):
        return (len(self.ids) - 1) // self.length

    def __getitem__(self, index):
        start = index * self.length
        chunk = self.ids[start : start + self.length + 1]
        return chunk[:-1], chunk[1:]


class DecoderLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x, mask):
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        scores = (q @ k.transpose(-2, -1)) / x.shape[-1] ** 0.5 + mask
        x = x + self.out(scores.softmax(dim=-1) @ v)
        return x + self.down(F.silu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self, vocabulary, length, width=8, layers=1):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.position = nn.Embedding(length, width)
        self.layers = nn.ModuleList(DecoderLayer(width) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.register_buffer("mask", torch.full((length, length), -1e4).triu(1))

    def forward(self, ids):
        x = self.embed(ids) + self.position(torch.arange(ids.shape[1], device=ids.device))
        for layer in self.layers:
            x = layer(x, self.mask)
        return self.head(self.norm(x))


def pretrain(model, loader, device, epochs):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for epoch in range(epochs):
        for ids, labels in loader:
            ids, labels = ids.to(device), labels.to(device)
            optimizer.zero_grad()
            logits = model(ids)
            loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {losses[-1]:.4f}")
    return losses


def main():
    torch.manual_seed(3)
    device = xm.xla_device()
    data = Characters("the quick brown fox jumps over the lazy dog. " * 2, length=10)
    loader = DataLoader(data, batch_size=4, drop_last=True)
    model = Decoder(len(data.vocabulary), data.length).to(device)
    return pretrain(model, loader, device, epochs=1)


if __name__ == "__main__":
    main()
