# ruff: noqa
# mypy: ignore-errors
"""Layers that a loop gathers in a list, and hands to a sequence: if one of them drops, the sequence does."""

import torch
import torch_xla
from torch import nn

device = torch_xla.device()


class Appended(nn.Module):
    def __init__(self, widths):
        super().__init__()
        layers, width = [], 8
        for each in widths:
            layers.append(nn.Linear(width, each))
            layers.append(nn.Dropout(0.2))
            width = each
        layers.append(nn.Linear(width, 1))
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Added(nn.Module):
    def __init__(self, widths):
        super().__init__()
        layers, width = [], 8
        for each in widths:
            layers += [nn.Linear(width, each), nn.ReLU(), nn.Dropout(0.2)]
            width = each
        self.layers = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x)


class Extended(nn.Module):
    def __init__(self, widths):
        super().__init__()
        layers, width = [], 8
        for each in widths:
            layers.extend([nn.Linear(width, each), nn.Dropout(0.2)])
            width = each
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Plain(nn.Module):
    def __init__(self, widths, rate):
        super().__init__()
        layers, width = [nn.Linear(8, 8)], 8
        for each in widths:
            layers.append(nn.Linear(width, each))
            if rate:
                layers.append(nn.Dropout(rate))
            width = each
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.ones(2, 8, device=device)).sum().backward()
            optimizer.step()


def appended():
    torch.manual_seed(3)  # expect: XLA707
    train(Appended((8, 4)).to(device))


def added():
    torch.manual_seed(3)  # expect: XLA707
    train(Added((8, 4)).to(device))


def extended():
    torch.manual_seed(3)  # expect: XLA707
    train(Extended((8, 4)).to(device))


def perhaps_none(rate):
    torch.manual_seed(3)
    train(Plain((8, 4), rate).to(device))


class Encoded(nn.Module):
    def __init__(self, width, rate=0.1):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 2, width, rate, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)

    def forward(self, x):
        return self.layers(x)


class Decoded(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.layers = nn.TransformerDecoder(nn.TransformerDecoderLayer(width, heads), num_layers=2)

    def forward(self, x):
        return self.layers(x, x)


def stacked(width, heads):
    torch.manual_seed(3)  # expect: XLA707
    train(Decoded(width, heads).to(device))


def stacked_by_a_rate():
    torch.manual_seed(3)  # expect: XLA707
    train(Encoded(8).to(device))


def stacked_without():
    torch.manual_seed(3)
    train(Encoded(8, 0.0).to(device))


def stacked_by_options(options):
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(8, 2, **options)
    train(nn.TransformerEncoder(layer, 2).to(device))
