# ruff: noqa
# mypy: ignore-errors
"""What is done each n-th step, where the setting for n is 1, is done in each."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm

FLAGS = {"logging_steps": 1, "saving_steps": 100}
EVERY = 1
SELDOM = 50
device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(2, 4, device=device)
log = []


class Settings:
    accumulate = 1


def read_twice(several):
    for step in range(9):
        loss = model(x).sum()
        if (step + 1) % FLAGS["logging_steps"] == 0:
            print(loss.detach().cpu().item())  # expect: XLA102
        if several:
            log.append(loss.detach().cpu().item())
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def read_seldom():
    for step in range(9):
        loss = model(x).sum()
        if step % SELDOM == 0:
            print(loss.item())  # expect: XLA102
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def steps_in_each():
    for step in range(9):  # expect: XLA202
        model(x).sum().backward()
        if step % EVERY == 0:
            optimizer.step()
            optimizer.zero_grad()


def cuts_in_each():
    for step in range(9):
        model(x).sum().backward()
        if (step + 1) % Settings.accumulate:
            continue
        optimizer.step()
        optimizer.zero_grad()
        torch_xla.sync()  # expect: XLA201


read_twice(True)
read_seldom()
steps_in_each()
cuts_in_each()
