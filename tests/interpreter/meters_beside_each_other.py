# ruff: noqa
# mypy: ignore-errors
"""Two meters of one class: both average what each replica has, or one of them what all have."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


class Plain:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def add(self, value):
        self.total = self.total + value
        self.count = self.count + 1

    @property
    def mean(self):
        return self.total / max(1, self.count)


def train(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        xm.optimizer_step(optimizer)


@torch.no_grad()
def of_each(model, loader):
    losses, scores = Meter(), Meter()
    for x in loader:
        with torch_xla.step():
            out = model(x)
            loss, score = out.mean(), out.max()
        losses.update(loss.item(), len(x))
        scores.update(score.item(), len(x))
    return losses.avg, scores.avg


@torch.no_grad()
def of_each_and_all(model, loader):
    losses, scores = Meter(), Meter()
    for x in loader:
        with torch_xla.step():
            out = model(x)
            loss, score = out.mean(), xm.all_reduce(xm.REDUCE_SUM, out.max())
        losses.update(loss.item(), len(x))
        scores.update(score.item(), len(x))
    print(losses.avg)
    return scores.avg


@torch.no_grad()
def of_all_and_each(model, loader):
    losses, scores = Meter(), Meter()
    for x in loader:
        with torch_xla.step():
            out = model(x)
            loss, score = out.mean(), xm.all_reduce(xm.REDUCE_SUM, out.max())
        scores.update(score.item(), len(x))
        losses.update(loss.item(), len(x))
    print(losses.avg)
    return scores.avg


@torch.no_grad()
def in_properties(model, loader):
    losses, scores = Plain(), Plain()
    for x in loader:
        with torch_xla.step():
            out = model(x)
            loss, score = out.mean(), out.max()
        losses.add(loss.item())
        scores.add(score.item())
    return losses.mean, scores.mean


@torch.no_grad()
def on_the_device(model, loader):
    losses, counts = Plain(), Plain()
    for x in loader:
        with torch_xla.step():
            loss = model(x).mean()
        losses.add(loss)  # expect: XLA212
        counts.add(len(x))
    print(counts.mean)  # quiet: a number of the host's


def stops_by_its_own(model, optimizer, loader, val):
    for _ in range(9):
        train(model, optimizer, loader)
        loss, score = of_each(model, val)
        if score > 0.9:
            break  # expect: XLA503 likely


def stops_by_a_property(model, optimizer, loader, val):
    for _ in range(9):
        train(model, optimizer, loader)
        loss, _ = in_properties(model, val)
        if loss < 0.1:
            break  # expect: XLA503 likely


def stops_by_all(model, optimizer, loader, val):
    for _ in range(9):
        train(model, optimizer, loader)
        if of_each_and_all(model, val) > 0.9:
            break
    for _ in range(9):
        train(model, optimizer, loader)
        if of_all_and_each(model, val) > 0.9:
            break
    on_the_device(model, val)


def main(index, batches, data):
    device = torch_xla.device()
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader, val = pl.MpDeviceLoader(batches, device), pl.MpDeviceLoader(data, device)
    stops_by_its_own(model, optimizer, loader, val)
    stops_by_a_property(model, optimizer, loader, val)


def for_all(index, batches, data):
    device = torch_xla.device()
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader, val = pl.MpDeviceLoader(batches, device), pl.MpDeviceLoader(data, device)
    stops_by_all(model, optimizer, loader, val)


if __name__ == "__main__":
    torch_xla.launch(main, args=(1, 2))
    torch_xla.launch(for_all, args=(1, 2))
