# ruff: noqa
# mypy: ignore-errors
"""Prompts are answered with caches that grow, kept in lists that the model takes and returns."""

import sys
import time

import torch
import torch.nn as nn
import torch_xla

END = 1


class Attention(nn.Module):
    def __init__(self, width, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, cache):
        b, t, w = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)  # expect: XLA403, XLA710
            v = torch.cat([cache[1], v], dim=2)  # expect: XLA403, XLA710
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        return self.out(y.transpose(1, 2).reshape(b, t, w)), (k, v)


class Decoder(nn.Module):
    def __init__(self, vocabulary=64, width=32, depth=2, positions=128):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.layers = nn.ModuleList([Attention(width) for _ in range(depth)])
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens, caches=None):
        past = 0 if caches is None else caches[0][0].shape[2]
        where = torch.arange(past, past + tokens.shape[1], device=tokens.device)
        x = self.dropout(self.tokens(tokens) + self.positions(where))
        fresh = []
        for number, layer in enumerate(self.layers):
            y, cache = layer(x, None if caches is None else caches[number])
            x = x + y
            fresh.append(cache)
        return self.head(x), fresh


def sample(logits, temperature, top_p):
    probabilities = torch.softmax(logits / temperature, dim=-1)
    ordered, indices = torch.sort(probabilities, descending=True)
    keep = ordered.cumsum(-1) - ordered < top_p
    ordered = ordered[keep]  # expect: XLA401
    return indices[0, torch.multinomial(ordered, 1)]


def generate(model, prompt, device, length=12, temperature=0.8, top_p=0.9):
    tokens = torch.tensor([prompt]).to(device)
    caches, answer = None, []
    for _ in range(length):
        logits, caches = model(tokens, caches)
        token = sample(logits[:, -1], temperature, top_p)
        torch_xla.sync()
        if token.item() == END:
            break
        answer.append(token.item())
        tokens = token.view(1, 1)
    return answer


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = Decoder()
    if len(sys.argv) > 1:
        model.load_state_dict(torch.load(sys.argv[1]))
    model.to(device)
    began, count = time.time(), 0
    for prompt in ([5, 6, 7], [8, 9], [10, 11, 12, 13]):
        answer = generate(model, prompt, device)
        count += len(answer)
        print(prompt, "->", answer)
    print("tokens per second", count / (time.time() - began))


if __name__ == "__main__":
    main()
