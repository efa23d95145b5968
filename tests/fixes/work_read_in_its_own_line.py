# select: XLA102
"""The line that runs the head reads what it gives; a sync above it would change nothing."""

import torch
import torch_xla


def check(encoder, head, batch, target):
    hidden = encoder(batch)
    probabilities = head(hidden).softmax(1).cpu()  # on the host
    found = probabilities.argmax(1)
    print((found == target).sum())
    torch_xla.sync()
    return hidden


def main():
    device = torch_xla.device()
    encoder = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU()).to(device)
    head = torch.nn.Linear(8, 3).to(device)
    target = torch.zeros(8, dtype=torch.long)
    torch_xla.sync()
    check(encoder, head, torch.ones(8, 4).to(device), target)


main()
