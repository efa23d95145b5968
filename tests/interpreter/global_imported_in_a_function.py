# ruff: noqa
# mypy: ignore-errors
"""Names of a module that functions set when they are first called, by what they import themselves."""

import torch

_xla = None
_backend = None
_device = None
_host = None


def _load():
    global _xla
    if _xla is None:
        import torch_xla

        _xla = torch_xla


def backend():
    global _backend
    if _backend is not None:
        return _backend
    try:
        import torch_xla

        _backend = "tpu"
    except ImportError:
        _backend = "cpu"
    return _backend


def device():
    global _device
    if _device is not None:
        return _device
    if backend() == "tpu":
        import torch_xla as library

        _device = library.device()
    else:
        _device = torch.device("cpu")
    return _device


def host():
    global _host
    if _host is None:
        from torch import device as of_torch

        _host = of_torch("cpu")
    return _host


def train(loader):
    where = device()
    model = torch.nn.Linear(4, 4).to(where)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch.to(where)).sum()
        loss.backward()
        print(loss.item())  # expect: XLA102 likely
        optimizer.step()
        _load()
        _xla.sync()  # expect: XLA201


def train_on_the_host(loader):
    where = host()
    model = torch.nn.Linear(4, 4).to(where)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch.to(where)).sum()
        loss.backward()
        print(loss.item())
        optimizer.step()
