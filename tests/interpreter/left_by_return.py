# ruff: noqa
# mypy: ignore-errors
"""Endless loops that are left by a return alone: what is said of a loop is said of these, too."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device).eval()


@torch.no_grad()
def goes_on_with_what_is_pending(token):
    tokens = []
    while True:  # expect: XLA202
        token = model(token).argmax(-1)
        tokens.append(token.item())
        if tokens[-1] == 2 or len(tokens) > 40:
            return tokens


@torch.no_grad()
def cuts_each_round(token):
    tokens = []
    while True:
        with torch_xla.step():
            token = model(token).argmax(-1)
        tokens.append(token.item())
        if tokens[-1] == 2 or len(tokens) > 40:
            return tokens


@torch.no_grad()
def begins_anew(token):
    while True:
        number = model(token).argmax(-1).item()
        if number == 2:
            return number


@torch.no_grad()
def asks_all_of_its_numbers(token):
    while True:
        token = model(token)
        torch_xla.sync()
        if all(token > 0):  # expect: XLA103
            return token


goes_on_with_what_is_pending(torch.ones(4).to(device))
cuts_each_round(torch.ones(4).to(device))
begins_anew(torch.ones(4).to(device))
asks_all_of_its_numbers(torch.ones(4).to(device))
