"""What each round adds to is held by an object or a list, which a later round is given."""

import torch
import torch_xla


class Cache:
    def __init__(self):
        self.keys, self.values = [], []

    def append(self, layer, key, value):
        if len(self.keys) <= layer:
            self.keys.append(key)
            self.values.append(value)
        else:
            self.keys[layer] = torch.cat([self.keys[layer], key], 0)  # expect: XLA403 likely
            self.values[layer] = torch.cat([self.values[layer], value], 0)  # expect: XLA403 likely
        return self.keys[layer], self.values[layer]


class Block(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.both = torch.nn.Linear(8, 16)
        self.layer = layer

    def forward(self, x, cache):
        keys, values = cache.append(self.layer, *self.both(x).chunk(2, -1))
        return x + (keys * values).sum(0)


class Text(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10, 8)
        self.blocks = torch.nn.ModuleList([Block(layer) for layer in range(2)])

    def forward(self, tokens, cache):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, cache)
        return x


class Averaging(torch.nn.Module):
    """It holds what it adds to, and what it has seen last, which no later round asks for."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.average, self.last = None, None

    def forward(self, x):
        self.last = self.layer(x)
        self.average = self.last if self.average is None else 0.9 * self.average + 0.1 * self.last
        return self.average


class Remembering(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        self.last = None

    def forward(self, x):
        self.last = self.layer(x)
        return self.last


def written(model, token):
    cache = Cache()
    for _ in range(8):  # expect: XLA202
        token = model(token, cache).argmax(-1)
        yield token.tolist()


def averaged(model, x):
    for _ in range(8):  # expect: XLA202
        print(model(x).sum().item())


def remembered(model, x):
    for _ in range(8):
        print(model(x).sum().item())


def listed(model, x):
    rows = [x]
    for _ in range(8):  # expect: XLA202
        row = model(torch.stack(rows).sum(0))
        rows.append(row)
        print(row.argmax().item())


def listed_and_copied(model, x):
    rows = [x]
    for _ in range(8):
        row = model(torch.stack(rows).sum(0))
        print(row.tolist())
        rows.append(row)


def copied(model, x):
    for _ in range(8):
        x = model(x) + 1.0
        print(x.tolist())


def main():
    device = torch_xla.device()
    token = torch.zeros(1, dtype=torch.long).to(device)
    x = torch.randn(2, 8).to(device)
    for text in written(Text().to(device).eval(), token):
        print(text)
    averaged(Averaging().to(device).eval(), x)
    remembered(Remembering().to(device).eval(), x)
    layer = torch.nn.Linear(8, 8).to(device)
    listed(layer, x)
    listed_and_copied(layer, x)
    copied(layer, x)


if __name__ == "__main__":
    main()
