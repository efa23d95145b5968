# ruff: noqa
# mypy: ignore-errors
"""`module.compile(...)` has `torch.compile` compile what a call of the module runs: what comes of it has run."""

import os

import torch
import torch_xla
from elsewhere import Denoiser

device = torch_xla.device()
on_host = os.getenv("ON_HOST", "false") == "true"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x).relu()


def has_run(batches):
    model = Net().to(device).eval()
    model.compile(backend="openxla")
    with torch.no_grad():
        for batch in batches:
            output = model(batch.to(device))
            print(output.max().item())
            torch_xla.sync()


def waits(batches):
    model = Net().to(device).eval()
    with torch.no_grad():
        for batch in batches:
            output = model(batch.to(device))
            print(output.max().item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201


def compiles_nothing(batches):
    model = Net().to(device).eval()
    model.compile(backend="openxla", disable=True)
    with torch.no_grad():
        for batch in batches:
            output = model(batch.to(device))
            print(output.max().item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201


def leaves_a_layer_as_it_is(batches):
    model = torch.nn.Linear(4, 4).to(device).eval()
    model.compile(backend="openxla")
    with torch.no_grad():
        for batch in batches:
            output = model(batch.to(device))
            print(output.max().item())  # expect: XLA102
            torch_xla.sync()  # expect: XLA201


class Pipeline:
    def __init__(self, path):
        self.net = Denoiser.from_pretrained(path)
        if not on_host:
            self.net.compile(backend="made_elsewhere")
        self.net = self.net.to(device)
        self.lazy = Denoiser.from_pretrained(path).to(device)

    def denoise(self, x, steps):
        with torch.no_grad():
            for _ in range(steps):
                x = self.net(x.to(device)).sample
                x = x.to("cpu").float()
        return x

    def denoise_lazily(self, x, steps):
        with torch.no_grad():
            for _ in range(steps):
                noise = self.lazy(x.to(device)).sample
                x = x - noise.mean().item()  # expect: XLA102
                torch_xla.sync()  # expect: XLA201
        return x


def draws(path, x):
    pipeline = Pipeline(path)
    return pipeline.denoise(x, 20), pipeline.denoise_lazily(x, 20)


def raises(x):
    model = Net().to(device)
    model.compile()  # expect: XLA809
    return model(x.to(device))


def moves_it_later(x):
    model = Net()
    model.compile(mode="reduce-overhead")  # expect: XLA809
    model.to(device)
    return model(x.to(device))


def runs_on_the_host(x):
    model = Net()
    model.compile()
    return model(x)
