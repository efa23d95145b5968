# ruff: noqa
# mypy: ignore-errors
"""Objects of several classes are called one after the other, by names that are put together."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch_xla.distributed.parallel_loader import MpDeviceLoader

device = torch_xla.device()


class Hook:
    def after_step(self, loss):
        pass

    def after_epoch(self):
        pass


class Cut(Hook):
    def after_step(self, loss):
        torch_xla.sync()


class Report(Hook):
    def after_step(self, loss):
        print(loss.item())


class Stop(Hook):
    def after_step(self, loss):
        if torch.isnan(loss):  # expect: XLA103
            raise ValueError

    def after_epoch(self):
        return


class Trainer:
    def __init__(self, model, hooks=()):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.hooks = list(hooks)

    def step(self, batch):
        self.optimizer.zero_grad()
        loss = self.model(batch).sum()
        loss.backward()
        self.optimizer.step()
        return loss


class ByText(Trainer):
    def fire(self, moment, *arguments):
        for hook in self.hooks:
            getattr(hook, "after_" + moment)(*arguments)

    def fit(self, loader):
        for batch in loader:
            self.fire("step", self.step(batch))  # expect: XLA102
        self.fire("epoch")


class ByTemplate(Trainer):
    def fire(self, moment, *arguments):
        for hook in self.hooks:
            if hook is None:
                continue
            getattr(hook, "after_%s" % moment)(*arguments)

    def fit(self, loader):
        for batch in loader:
            self.fire("step", self.step(batch))  # expect: XLA102


class AfterTheCut(Trainer):
    def fire(self, moment, *arguments):
        for hook in self.hooks:
            getattr(hook, f"after_{moment}")(*arguments)

    def fit(self, loader):
        for batch in loader:
            self.fire("step", self.step(batch))  # expect: XLA201


class FirstOnly(Trainer):
    def fit(self, loader):
        for batch in loader:
            loss = self.step(batch)
            for hook in self.hooks:
                hook.after_step(loss)
                break


def loader():
    return MpDeviceLoader([torch.ones(4, 4)] * 8, device)


def reads_before_the_loader_cuts():
    model = torch.nn.Linear(4, 1).to(device)
    ByText(model, [Report(), Stop()]).fit(loader())


def reads_for_a_template():
    model = torch.nn.Linear(4, 1).to(device)
    ByTemplate(model, [Hook(), Report()]).fit(loader())


def cuts_first():
    model = torch.nn.Linear(4, 1).to(device)
    AfterTheCut(model, [Cut(), Report()]).fit(loader())


def leaves_the_reader_out():
    model = torch.nn.Linear(4, 1).to(device)
    FirstOnly(model, [Hook(), Report()]).fit(loader())
