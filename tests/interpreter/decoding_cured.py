# ruff: noqa
# mypy: ignore-errors
"""Greedy decoding with a cache of a fixed size."""

import time

import torch
import torch_xla


class Attention(torch.nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.query, self.key, self.value = (torch.nn.Linear(width, width) for _ in range(3))
        self.register_buffer("keys", torch.zeros(1, length, width))
        self.register_buffer("values", torch.zeros(1, length, width))

    def forward(self, x, position, mask):
        self.keys.index_copy_(1, position, self.key(x))
        self.values.index_copy_(1, position, self.value(x))
        weights = (self.query(x) @ self.keys.transpose(1, 2)).masked_fill(~mask, -1e9).softmax(-1)
        return weights @ self.values


class Model(torch.nn.Module):
    def __init__(self, vocabulary=50, width=16, length=64):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, width)
        self.positions = torch.nn.Parameter(torch.randn(length, width))
        self.layers = torch.nn.ModuleList([Attention(width, length) for _ in range(2)])
        self.head = torch.nn.Linear(width, vocabulary)

    def forward(self, token, position, mask):
        x = self.embedding(token) + self.positions.index_select(0, position)
        for layer in self.layers:
            x = x + layer(x, position, mask)
        return self.head(x)


def generate(model, prompt, steps):
    device = torch_xla.device()
    token = prompt.to(device)
    position = torch.zeros(1, dtype=torch.int64, device=device)
    places = torch.arange(64, device=device)
    generated = [token]
    began = time.perf_counter()
    for _ in range(steps):
        with torch_xla.step():
            logits = model(token, position, places <= position)
            token = logits[:, -1:].argmax(-1)
            position = position + 1
        generated.append(token)
    result = torch.cat(generated, dim=1).cpu()
    print(f"{steps / (time.perf_counter() - began):.1f} tokens a second")
    return result


def main():
    torch.manual_seed(0)
    model = Model().to(torch_xla.device()).eval()
    with torch.no_grad():
        return generate(model, torch.tensor([[1]]), 8).flatten().tolist()


if __name__ == "__main__":
    main()
