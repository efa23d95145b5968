# ruff: noqa
# mypy: ignore-errors
"""A dictionary or set finds a tensor by where it stands in memory: nothing is read. A list compares it."""

from collections import Counter

import torch
import torch_xla

device = torch_xla.device()
KNOWN = {1, 2}
LISTED = [1, 2]


class Words:
    def __init__(self):
        self.words = {}
        self.ids: set = set()
        self.ends = [1, 2]
        self.either = {}

    def forget(self):
        self.either = []

    def decode(self, token):
        if token not in self.words:
            self.words[token] = "word"
        print(token in self.ids)
        print(token in self.either)  # expect: XLA103
        return token in self.ends  # expect: XLA103


def given(token, KNOWN):
    return token in KNOWN  # expect: XLA103


def main(model, rounds):
    words = Words()
    counted = Counter()
    for each in rounds:
        token = model(each.to(device)).argmax() + torch.ones(1, device=device)
        words.decode(token)
        given(token, rounds)
        print(token in {0: "a"}, token in counted, token in KNOWN, token in counted.keys())
        print(token in (1, 2))  # expect: XLA103
        print(token in LISTED)  # expect: XLA103
        torch_xla.sync()  # expect: XLA201


main(torch.nn.Linear(4, 4).to(device), [torch.ones(4), torch.zeros(4)])
