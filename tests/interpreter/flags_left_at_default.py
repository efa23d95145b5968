# ruff: noqa
# mypy: ignore-errors
"""A flag that no call of a class gives is what it is by default, one that all give alike what they give."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp


class Head(torch.nn.Module):
    def __init__(self, features, adaptive=False, scaled=False, plain=True, later=False):
        super(Head, self).__init__()
        self.adaptive = adaptive
        self.scaled = scaled
        self.plain = plain
        self.later = later
        self.linear = torch.nn.Linear(features, 10)

    def forward(self, x, hot):
        out = self.linear(x)
        if self.adaptive:
            self.scale = torch.median(out[hot == 1])
        if self.scaled:
            self.scale = torch.median(out[hot == 1])  # expect: XLA401
        if not self.plain:
            self.scale = torch.median(out[hot == 1])
        if self.later:
            self.scale = torch.median(out[hot == 1])  # expect: XLA401
        return out


class Tail(torch.nn.Module):
    """All who make it turn one flag off by name, one by its place, and one of them another."""

    def __init__(self, features, shown=True, told=True, seen=True):
        super().__init__()
        self.shown = shown
        self.told = told
        self.seen = seen

    def forward(self, x, hot):
        if self.shown:
            self.scale = torch.median(x[hot == 1])
        if self.told:
            self.scale = torch.median(x[hot == 1])
        if self.seen:
            self.scale = torch.median(x[hot == 1])  # expect: XLA401
        return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head(8, scaled=True)
        self.tail = Tail(8, False, told=False)
        self.end = Tail(8, False, told=False, seen=False)

    def forward(self, x, hot):
        return self.end(self.tail(self.head(x, hot), hot), hot)


class Given(torch.nn.Module):
    """Whoever makes it may set the flag."""

    def __init__(self, adaptive=False):
        super().__init__()
        self.adaptive = adaptive

    def forward(self, x, hot):
        return x[hot == 1] if self.adaptive else x  # expect: XLA401


MODELS = {"given": Given, "net": Net}
WRAPPED = xmp.MpModelWrapper(Net())
OTHER = MODELS["given"]()
WRAPPED.head.later = True


def train(index, loader):
    device = xm.xla_device()  # expect: XLA002
    model = WRAPPED.to(device)
    other = OTHER.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, hot in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        other(model(x, hot), hot).sum().backward()
        xm.optimizer_step(optimizer)
