# ruff: noqa
# mypy: ignore-errors
"""Loops of reinforcement learning, and others that train in some of their rounds only: nothing ends those steps, also
where methods do the work, and where what they work with is made by another method."""

import torch
import torch.nn.functional as F
import torch_xla


class Agent:
    def __init__(self, env):
        self.env = env
        self.device = torch.device("xla")
        network = torch.nn.Linear(8, 4)
        self.q = network.to(self.device)
        self.optimizer = torch.optim.Adam(self.q.parameters())
        self.buffer = []

    def act(self, observed):
        return self.q(torch.as_tensor(observed, device=self.device)).argmax().item()

    def learn(self, batch):
        loss = F.smooth_l1_loss(self.q(batch.to(self.device)), batch.to(self.device))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    def train(self, steps):
        observed = self.env.reset()
        for number in range(steps):  # expect: XLA202
            observed, reward, done = self.env.step(self.act(observed))
            self.buffer.append((observed, reward))
            if len(self.buffer) > 32:
                loss = self.learn(torch.tensor(self.buffer[-32:]))
                if number % 100 == 0:
                    print(loss.item())

    def train_on(self, batches):
        for number in range(100):  # expect: XLA202
            self.learn(batches[number])


class CuttingAgent:
    def __init__(self, env):
        self.env = env
        self.device = torch_xla.device()
        self.q = torch.nn.Linear(8, 4).to(self.device)
        self.optimizer = torch.optim.Adam(self.q.parameters())

    def learn(self, batch):
        with torch_xla.step():
            loss = F.smooth_l1_loss(self.q(batch.to(self.device)), batch.to(self.device))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def train(self, steps):
        for number in range(steps):  # quiet: each update is a step
            observed, reward, done = self.env.step(number)
            if number > 32:
                self.learn(observed)


def skips_what_is_missing(batches, model, optimizer):
    model = torch.nn.Linear(8, 4).to("xla")
    optimizer = torch.optim.Adam(model.parameters())
    for number in range(100):  # expect: XLA202 likely
        batch = batches.take()
        if batch is None:
            print("none")
            continue
        model(batch.to("xla")).sum().backward()
        optimizer.step()


def cuts_in_some_rounds(batches):
    model = torch.nn.Linear(8, 4).to("xla")
    optimizer = torch.optim.Adam(model.parameters())
    for number in range(100):  # quiet: it is cut now and then
        batch = batches.take()
        if batch is None:
            continue
        model(batch.to("xla")).sum().backward()
        optimizer.step()
        if number % 4 == 0:
            torch_xla.sync()


def may_cut(batches, trainer):
    model = torch.nn.Linear(8, 4).to("xla")
    optimizer = torch.optim.Adam(model.parameters())
    for number in range(100):  # quiet: who knows what is done with the optimizer
        if number > 32:
            model(batches[number].to("xla")).sum().backward()
            optimizer.step()
            trainer.after(optimizer)
