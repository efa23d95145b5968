"""What comes after a call that torch or torch_xla refuses is a note: it gets what it does not take, or too little."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
from torch.utils.data import DataLoader

device = torch_xla.device()


def train(model, optimizer, loader):
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch.to(device)).mean()
        loss.backward()
        print(loss.item())  # expect: XLA102
        optimizer.step()
        torch_xla.sync()  # expect: XLA201


def by_a_name_it_does_not_take(loader):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, decay=1e-4)
    for batch in loader:
        optimizer.zero_grad()
        model(batch.to(device)).mean().backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201 likely


def without_what_it_wants(loader):
    model = torch.nn.Linear(4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        model(batch.to(device)).mean().backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201 likely


def too_many(loader):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        optimizer.zero_grad()
        torch.nn.MSELoss(True, True, "mean", 1)(model(batch.to(device)), batch).backward()
        optimizer.step()
        torch_xla.sync()  # expect: XLA201 likely


def of_another_function(scores, labels):
    loss = F.cross_entropy(scores.to(device), labels.to(device), margin=1.0)
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def autocast_for_no_device(loader):
    model = torch.nn.Linear(4, 1).to(device)
    for batch in loader:
        with torch.amp.autocast():
            loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely


def autocast_by_its_type_alone(batch):
    model = torch.nn.Linear(4, 1).to(device)
    with torch.autocast(dtype=torch.bfloat16):
        loss = model(batch.to(device)).mean()
    print(loss.item())  # expect: XLA102 likely
    torch_xla.sync()


def saved(model):
    xm.save(model.to(device).state_dict())
    torch.save(model.state_dict(), "model.pt")  # expect: XLA601 likely


def where_it_is_expected(loader):
    model = torch.nn.Linear(4, 1).to(device)
    try:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, decay=1e-4)
    except TypeError:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train(model, optimizer, loader)


def by_settings(loader, **settings):
    model = torch.nn.Linear(4, 1).to(device)
    train(model, torch.optim.SGD(model.parameters(), **settings), loader)


def as_older_releases_took_it(loader):
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    every = StepLR(optimizer, 30, 0.1, -1, True), ReduceLROnPlateau(optimizer, "min", verbose=True)
    train(model, optimizer, loader)
    return every


by_settings(DataLoader([]), lr=0.1)
as_older_releases_took_it(DataLoader([]))
where_it_is_expected(DataLoader([]))
saved(torch.nn.Linear(4, 1))
