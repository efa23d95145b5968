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
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.SGD(trainable, lr=0.1))


def named_before():
    model = torch.nn.Linear(4, 4)
    named = dict(model.named_parameters())
    decayed = [p for name, p in named.items() if p.dim() >= 2]
    others = [p for name, p in named.items() if p.dim() < 2]
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.AdamW([{"params": decayed}, {"params": others, "weight_decay": 0.0}], lr=0.1))


def by_name_before():
    model = torch.nn.Linear(4, 4)
    named = {name: p for name, p in model.named_parameters() if p.requires_grad}
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.AdamW([*named.values()], lr=0.1))


def appended_before():
    model = torch.nn.Linear(4, 4)
    decayed, others = [], []
    for name, p in model.named_parameters():
        if p.ndim < 2 or name.endswith(".bias"):
            others.append(p)
        else:
            decayed.append(p)
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.AdamW([{"params": decayed}, {"params": others, "weight_decay": 0.0}], lr=0.1))


def groups_of(model):
    groups = []
    for name, p in model.named_parameters():
        if p.requires_grad:
            groups += [{"params": [p], "lr": 0.01 if "bias" in name else 0.1}]
    return groups


def grouped_one_by_one_before():
    model = torch.nn.Linear(4, 4)
    groups = groups_of(model)
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.AdamW(groups))


def unpacked_before():
    model = torch.nn.Linear(4, 4)
    head = torch.nn.Linear(4, 4)
    every = [*model.parameters(), *head.parameters()]
    model.to(torch_xla.device())  # expect: XLA701
    train(model, torch.optim.AdamW(every))


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


def grouped_one_by_one_after():
    model = torch.nn.Linear(4, 4)
    model.to(torch_xla.device())
    train(model, torch.optim.AdamW(groups_of(model)))


def appended_after():
    model = torch.nn.Linear(4, 4)
    model.to(torch_xla.device())
    trained = []
    for p in model.parameters():
        if p.requires_grad:
            trained.append(p)
    train(model, torch.optim.AdamW(trained))


def named_after():
    model = torch.nn.Linear(4, 4)
    model.to(torch_xla.device())
    named = dict(model.named_parameters())
    train(model, torch.optim.AdamW([p for name, p in named.items() if p.dim() >= 2], lr=0.1))


def appended_to_be_asked_later():
    model = torch.nn.Linear(4, 4)
    parts = []
    for part in (model,):
        parts.append({"params": part.parameters()})
    model.to(torch_xla.device())
    train(model, torch.optim.SGD(parts, lr=0.1))


def generated_later():
    model = torch.nn.Linear(4, 4)
    decayed = (p for name, p in model.named_parameters() if "bias" not in name)
    model.to(torch_xla.device())
    train(model, torch.optim.SGD([{"params": decayed}], lr=0.1))


def appended_to_either_of_two():
    model = torch.nn.Linear(4, 4)
    decayed, others = [], []
    for p in model.parameters():
        (decayed if p.dim() > 1 else others).append(p)
    optimizer = torch.optim.SGD([{"params": decayed}, {"params": others, "weight_decay": 0.0}], lr=0.1)
    model.to(torch_xla.device())  # expect: XLA701
    train(model, optimizer)


def appended_to_either_of_two_below_the_move():
    model = torch.nn.Linear(4, 4)
    model.to(torch_xla.device())
    decayed, others = [], []
    for p in model.parameters():
        (decayed if p.dim() > 1 else others).append(p)
    train(model, torch.optim.SGD([{"params": decayed}, {"params": others}], lr=0.1))


def chained_of_two_models():
    first, second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(itertools.chain(first.parameters(), second.parameters()), lr=0.1)
    first.to(torch_xla.device())
    second.to(torch_xla.device())  # expect: XLA701
    train(first, optimizer)


def chained_of_two_models_that_have_moved():
    device = torch_xla.device()
    first, second = torch.nn.Linear(4, 4).to(device), torch.nn.Linear(4, 4).to(device)
    train(first, torch.optim.SGD(itertools.chain(first.parameters(), second.parameters()), lr=0.1))
