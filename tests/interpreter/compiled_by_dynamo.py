# ruff: noqa
# mypy: ignore-errors
"""What `torch.compile` made, by which backend, and what runs on XLA of it."""

import torch
import torch_xla

device = torch_xla.device()
settings = object()


def runs_in_one_arm(batches, first):
    model = torch.nn.Linear(4, 1).to(device)
    fast = torch.compile(model, backend="openxla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        if first:
            output = fast(batch.to(device))  # expect: XLA213
        else:
            output = model(batch.to(device))
        output.sum().backward()
        optimizer.step()
        torch_xla.sync()


def runs_in_the_other_arm(batches, first):
    model = torch.nn.Linear(4, 1).to(device)
    fast = torch.compile(model, backend="openxla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        if first:
            output = model(batch.to(device))
        else:
            output = fast(batch.to(device))  # expect: XLA213
        output.sum().backward()
        optimizer.step()
        torch_xla.sync()


def compiles_if_it_is_asked(x):
    model = torch.nn.Linear(4, 1)
    if settings.compile:
        model = torch.compile(model)  # expect: XLA809 likely
    model.to(device)
    return model(x.to(device))


def compiles_for_gpus_only(x):
    model = torch.nn.Linear(4, 1).to(device)
    if torch.cuda.is_available():
        model = torch.compile(model)
    return model(x.to(device))


def chooses_the_backend(x, backend):
    model = torch.compile(torch.nn.Linear(4, 1).to(device), backend=backend)
    return model(x.to(device))


def compiles_nothing(x):
    model = torch.compile(torch.nn.Linear(4, 1).to(device), disable=True)
    return model(x.to(device))


def compiles_on_the_host(x):
    model = torch.compile(torch.nn.Linear(4, 1))
    return model(torch.randn(4, 4))


def compiles_in_place_of_a_function(x):
    @torch.compile  # expect: XLA809 likely
    def doubled(y):
        return y * 2

    return doubled(x.to(device))


def compiles_by_what_is_made_before(x):
    compiler = torch.compile(mode="reduce-overhead")  # expect: XLA809 likely
    return compiler(torch.nn.functional.gelu)(x.to(device))


def asks_what_moves_later(x):
    model = torch.nn.Linear(4, 1)
    compiled = torch_xla.compile(model)
    model.to(device)
    return compiled.state_dict()  # expect: XLA810


def compiles_for_whoever_calls(name):
    model = torch.hub.load("some/models", name)
    model.to(device)
    return torch.compile(model)  # expect: XLA809


def compiles_for_whoever_moves(name):
    return torch.compile(torch.nn.Linear(4, 1))


def compiles_by_the_right_backend(name):
    model = torch.nn.Linear(4, 1).to(device)
    return torch.compile(model, backend="openxla")


def compiles_by_somebodys_backend(name, backend):
    model = torch.nn.Linear(4, 1).to(device)
    return torch.compile(model, backend=backend)
