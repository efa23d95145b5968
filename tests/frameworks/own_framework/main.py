"""A program for a framework that only the settings know."""

import torch
from mytrainer import Task, train


class Digits(Task):
    def __init__(self):
        self.model = torch.nn.Linear(6, 3).to("xla")

    def step(self, batch):
        loss = self.model(batch).sum()
        print(loss.item())  # expect: XLA102
        return loss


class Good(Task):
    def __init__(self):
        self.model = torch.nn.Linear(6, 3).to("xla")

    def step(self, batch):
        return self.model(batch).sum()


def main(loader):
    train(Digits(), loader)
