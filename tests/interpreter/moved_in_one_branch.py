# ruff: noqa
# mypy: ignore-errors
"""A network of another package that one branch moves to the device of XLA and the other to one of CUDA."""

import torch
import torch_xla
from torch.nn.functional import cross_entropy

import networks

if torch.cuda.is_available():
    network = networks.make("small").cuda()
    head = networks.make("head")
    head.cuda()
else:
    device = torch_xla.device()
    network = networks.make("small").to(device)
    head = networks.make("head")
    head = head.to(device)


def evaluated(loader):
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        scores = head(images)
        print(cross_entropy(scores, labels).item())  # expect: XLA102 likely
        print(scores.argmax(1).eq(labels).sum().item())


def evaluated_and_read_once(loader):
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        scores = head(images)
        loss, hits = cross_entropy(scores, labels), scores.argmax(1).eq(labels).sum()
        print(torch.stack([loss, hits.to(loss.dtype)]).tolist())


def kept(path):
    torch.save({"head": head.state_dict()}, path)  # expect: XLA601 likely


def kept_on_the_host(path):
    torch.save({"head": {name: each.cpu() for name, each in head.state_dict().items()}}, path)


def of_several_numbers(batches, weights, weighted):
    """What is worked on is a tensor, though it was moved as a network is."""
    scale = weights[0]
    if weighted:
        scale = scale.to(device)
    for x in batches:
        x = x.to(device)
        loss = (x.exp() * scale).sum()
        torch_xla.sync()
        print(loss.item())


evaluated(networks.batches())
evaluated_and_read_once(networks.batches())
kept("head.pt")
kept_on_the_host("head.pt")
