"""Parameters that a list has taken of a module stay as they were when it moves; who asks later gets others."""

import itertools

import torch
import torch_xla


def train(model, optimizer):
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            model(torch.ones(4, 4, device=torch_xla.device())).sum().backward()
            optimizer.step()


def picked_before():
    model = torch.nn.Linear(4, 4)
    trainable = [p for p in model.parameters() if p.requires_grad]
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.SGD(trainable, lr=0.1))


def listed_before():
    model = torch.nn.Linear(4, 4)
    trainable = list(model.parameters())
    model = model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.SGD(trainable, lr=0.1))


def grouped_before():
    model = torch.nn.Linear(4, 4)
    groups = [
        {"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.1},
        {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0.0},
    ]
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.SGD(groups, lr=0.1))


def listed_by_filter_before():
    model = torch.nn.Linear(4, 4)
    trainable = list(filter(lambda p: p.requires_grad, model.parameters()))
    model.to(torch_xla.device())  # missed: XLA701
    train(model, torch.optim.SGD(trainable, lr=0.1))


def asked_for_later():
    model = torch.nn.Linear(4, 4)
    parameters = model.parameters()
    model.to(torch_xla.device())
    train(model, torch.optim.SGD(parameters, lr=0.1))


def picked_later():
    model = torch.nn.Linear(4, 4)
    trainable = (p for p in model.parameters() if p.requires_grad)
    model.to(torch_xla.device())
    train(model, torch.optim.SGD(trainable, lr=0.1))


def filtered_later():
    model = torch.nn.Linear(4, 4)
    trainable = filter(lambda p: p.requires_grad, model.parameters())
    model.to(torch_xla.device())
    train(model, torch.optim.SGD(trainable, lr=0.1))


def grouped_later():
    model = torch.nn.Linear(4, 4)
    parts = [{"params": part.parameters()} for part in (model,)]
    model.to(torch_xla.device())
    train(model, torch.optim.SGD(parts, lr=0.1))


def chained_later():
    model = torch.nn.Linear(4, 4)
    parameters = [part.parameters() for part in (model,)]
    model.to(torch_xla.device())
    train(model, torch.optim.SGD(itertools.chain(*parameters), lr=0.1))


def listed_after():
    model = torch.nn.Linear(4, 4)
    model.to(torch_xla.device())
    train(model, torch.optim.SGD([p for p in model.parameters()], lr=0.1))


def either_way(early):
    model = torch.nn.Linear(4, 4)
    trainable = list(model.parameters()) if early else model.parameters()
    model.to(torch_xla.device())
    train(model, torch.optim.SGD(trainable, lr=0.1))
