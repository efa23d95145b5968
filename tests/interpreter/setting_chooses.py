# ruff: noqa
# mypy: ignore-errors
"""A constant setting chooses the device and the branch of the step: with CUDA chosen, nothing is on XLA."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch.cuda.amp import GradScaler


class Settings:
    device = "GPU"


def train_step(batch, model, optimizer, scaler):
    loss = model(batch).sum()
    if Settings.device == "GPU":
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # quiet: the optimizer is over a model on CUDA
        scaler.update()
    elif Settings.device == "TPU":
        loss.backward()
        xm.optimizer_step(optimizer)


def train(loader):
    if Settings.device == "TPU":
        device = torch_xla.device()
    elif Settings.device == "GPU":
        device = torch.device("cuda")
    model = torch.nn.Linear(4, 1)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for batch in loader:
        train_step(batch.to(device), model, optimizer, scaler)
    torch.save(model.state_dict(), "model.pt")



def train_on_what_is_given(loader, device):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for batch in loader:
        loss = model(batch.to(device)).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # expect: XLA703
        scaler.update()
        torch_xla.sync()  # expect: XLA201
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


train_on_what_is_given([torch.ones(2, 4)], torch_xla.device())


def compared_with_none():
    total = torch.ones(3, device=torch_xla.device())
    if total == None:  # quiet: Python answers, without a look at the tensor
        return 0
    if total != None and total.sum() > 0:  # expect: XLA103
        return 1
    return 2


if Settings.device == "TPU":
    chosen = torch_xla.device()
elif Settings.device == "GPU":
    chosen = torch.device("cuda")


def saved_from_the_chosen_device():
    model = torch.nn.Linear(4, 1).to(chosen)
    torch.save(model.state_dict(), "model.pt")  # quiet: the arm for the TPU is left out


if Settings.device == "GPU":
    other = torch_xla.device()
else:
    other = torch.device("cuda")


def saved_from_the_other_device():
    model = torch.nn.Linear(4, 1).to(other)
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601


train([torch.ones(2, 4)])
