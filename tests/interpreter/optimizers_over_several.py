# ruff: noqa
# mypy: ignore-errors
"""Optimizers over the parameters of several models, which are put together in several ways."""

import torch
import torch_xla

device = torch_xla.device()


def model():
    return torch.nn.Linear(4, 4)


def train(encoder, decoder, optimizer):
    for x in range(4):
        with torch_xla.step():
            decoder(encoder(torch.ones(4, device=device))).sum().backward()
            optimizer.step()


def by_a_sum():
    encoder, decoder = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(list(encoder.parameters()) + list(decoder.parameters()), lr=0.1)
    encoder.to(device)
    decoder.to(device)  # expect: XLA701
    train(encoder, decoder, optimizer)


def by_stars():
    encoder, decoder = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    encoder.to(device)
    decoder.to(device)  # expect: XLA701
    train(encoder, decoder, optimizer)


def added_in_place():
    encoder, decoder = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    parameters = list(encoder.parameters())
    parameters += list(decoder.parameters())
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    encoder.to(device)
    decoder.to(device)  # expect: XLA701
    train(encoder, decoder, optimizer)


def below_the_move():
    encoder, decoder = torch.nn.Linear(4, 4).to(device), torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(list(encoder.parameters()) + list(decoder.parameters()), lr=0.1)
    train(encoder, decoder, optimizer)


def of_others():
    encoder, decoder = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD([*decoder.parameters()] + [*decoder.parameters()], lr=0.1)
    encoder.to(device)
    train(encoder, decoder, optimizer)


by_a_sum()
by_stars()
added_in_place()
below_the_move()
of_others()
