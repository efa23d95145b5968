# ruff: noqa
# mypy: ignore-errors
"""Rows that a method reads one by one, where what its caller has read may run once more as well."""

import torch
import torch_xla

device = torch_xla.device()


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x), self.layer(x)


class Search:
    def __init__(self, network):
        self.network = network

    def expand(self, x, nodes):
        policy, values = self.network(x)
        shares = torch.softmax(policy, dim=1)
        for i, node in enumerate(nodes):
            value = values[i].item()
            node.expand({move: shares[i][move].item() for move in node.moves}, value)  # expect: XLA102

    def search(self, x, nodes):
        policy, value = self.network(x)
        shares = torch.softmax(policy, dim=1).squeeze(0)
        value = value.item()  # expect: XLA102
        known = {move: shares[move].item() for move in nodes[0].moves}
        left = []
        for _ in range(30):
            left.append(nodes[0])
            if len(left) >= 8:
                self.expand(x, left)
                left.clear()
        if left:
            self.expand(x, left)
        return value, known


def play(batches, nodes):
    search = Search(Network().to(device))
    for batch in batches:
        search.search(batch.to(device), nodes)
