# ruff: noqa
# mypy: ignore-errors
"""A module that binds `device` and `model` anew: a function sees what they are when it is called."""

import torch
import torch_xla
from somewhere import flags

device = torch.device("cpu")
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train():
    optimizer.zero_grad()
    loss = model(torch.randn(8, 4).to(device)).sum()
    loss.backward()
    optimizer.step()
    return loss.item()


def train_all(rounds):
    for epoch in range(rounds):  # expect: XLA202
        print(train())


def show(where=device):
    kept = torch.nn.Linear(4, 2).to(where)
    for x in range(3):  # the default is what `device` was
        loss = kept(torch.randn(8, 4).to(where)).sum()
        loss.backward()
        print(loss.item())


class Trainer:
    def fit(self):
        for epoch in range(3):  # expect: XLA202
            print(train())


class Unused:
    def fit(self):
        for epoch in range(3):
            print(train())


for epoch in range(3):
    print(train())
train_all(3)
Unused().fit()

device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train_all(5)
Trainer().fit()
show()

device = "cpu"
if flags.tpu:
    device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):  # expect: XLA202
    print(train())

for place in ("cpu", "xla"):
    for epoch in range(30):  # expect: XLA202
        print(train())
    device = torch.device("cpu")  # in the second round, this is where the input is
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

model = torch.nn.Linear(4, 2).to(device)
device = torch.device("cpu")
model = model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    print(train())
