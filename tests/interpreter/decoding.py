# ruff: noqa
# mypy: ignore-errors
"""Greedy decoding with a cache of keys and values, as moved from a GPU."""

import time

import torch
import torch_xla


class Attention(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(width, width) for _ in range(3))
        self.keys = None
        self.values = None

    def forward(self, x):
        key, value = self.key(x), self.value(x)
        if self.keys is None:
            self.keys, self.values = key, value
        else:
            self.keys = torch.cat([self.keys, key], dim=1)  # expect: XLA403 likely
            self.values = torch.cat([self.values, value], dim=1)  # expect: XLA403 likely
        weights = (self.query(x) @ self.keys.transpose(1, 2)).softmax(-1)
        return weights @ self.values


class Model(torch.nn.Module):
    def __init__(self, vocabulary=50, width=16, length=64):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, width)
        self.positions = torch.nn.Parameter(torch.randn(length, width))
        self.layers = torch.nn.ModuleList([Attention(width) for _ in range(2)])
        self.head = torch.nn.Linear(width, vocabulary)

    def forward(self, token, position):
        x = self.embedding(token) + self.positions[position]  # expect: XLA402
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)


def generate(model, prompt, steps, end=49):
    device = torch_xla.device()
    token = prompt.to(device)
    generated = [token]
    began = time.perf_counter()
    for position in range(steps):
        logits = model(token, position)
        token = logits[:, -1:].argmax(-1)
        generated.append(token)
        torch_xla.sync()
        if (token == end).all():  # expect: XLA103
            break
    print(f"{steps / (time.perf_counter() - began):.1f} tokens a second")
    return torch.cat(generated, dim=1).cpu()


def main():
    torch.manual_seed(0)
    model = Model().to(torch_xla.device()).eval()
    with torch.no_grad():
        return generate(model, torch.tensor([[1]]), 8).flatten().tolist()


if __name__ == "__main__":
    main()
