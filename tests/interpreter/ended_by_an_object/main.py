# ruff: noqa
# mypy: ignore-errors
"""Loops of which the steps are ended by what is handed in, or by nothing."""

import numpy as np
import torch
import torch_xla

from worlds import Ending, Plain

DEVICE = torch_xla.device()


class Player:
    def __init__(self, world: Ending):
        self.world = world
        self.cell = torch.nn.GRUCell(8, 8).to(DEVICE)

    def play(self):
        seen = torch.tensor(self.world.reset(), device=DEVICE).unsqueeze(0)
        held = torch.zeros(1, 8, device=DEVICE)
        done, total, kept = False, 0.0, []
        while not done:
            with torch.no_grad():
                held = self.cell(seen, held)
            kept.append(held.mean().item())  # expect: XLA102
            action = np.random.random(8)
            where, reward, done = self.world.go_on(action)
            total += reward
            seen = torch.tensor(where, device=DEVICE).unsqueeze(0)
        return total


class Waiting:
    def __init__(self, world: Plain):
        self.world = world
        self.cell = torch.nn.GRUCell(8, 8).to(DEVICE)

    def play(self):
        seen = torch.tensor(self.world.reset(), device=DEVICE).unsqueeze(0)
        held = torch.zeros(1, 8, device=DEVICE)
        done, total, kept = False, 0.0, []
        while not done:  # expect: XLA202
            with torch.no_grad():
                held = self.cell(seen, held)
            kept.append(held.mean().item())
            action = np.random.random(8)
            where, reward, done = self.world.go_on(action)
            total += reward
            seen = torch.tensor(where, device=DEVICE).unsqueeze(0)
        return total
