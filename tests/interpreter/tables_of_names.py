"""What stands in a table of a library's names is one of these, whichever is asked for."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torch import nn

LOSSES = {"ce": nn.CrossEntropyLoss, "mse": nn.MSELoss, "l1": nn.L1Loss, "kl": nn.KLDivLoss, "nll": nn.NLLLoss}
OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
FUNCTIONS = {"ce": F.cross_entropy, "mse": F.mse_loss}
MIXED = {"ours": str.lower, "theirs": F.mse_loss}


def classes(args, loader):
    device = torch_xla.device()
    model = nn.Linear(4, 4).to(device)
    optimizer = OPTIMIZERS[args.optimizer](model.parameters(), lr=0.1)
    criterion = LOSSES[args.loss]()
    for inputs, labels in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        print(loss.item())  # expect: XLA102


def functions(args, loader):
    device = torch_xla.device()
    model = nn.Linear(4, 4).to(device)
    for inputs, labels in pl.MpDeviceLoader(loader, device):
        loss = FUNCTIONS[args.loss](model(inputs), labels)
        print(loss.item())  # expect: XLA102


def all_of_them(loader):
    device = torch_xla.device()
    model = nn.Linear(4, 4).to(device)
    for inputs, labels in pl.MpDeviceLoader(loader, device):
        total = 0.0
        for loss in FUNCTIONS.values():
            total += loss(model(inputs), labels)
        print(float(total))  # expect: XLA102


def of_different_modules(args, loader):
    device = torch_xla.device()
    model = nn.Linear(4, 4).to(device)
    for inputs, labels in pl.MpDeviceLoader(loader, device):
        shown = MIXED[args.loss](model(inputs), labels)
        print(shown)


def types_of_numbers(args, loader):
    kind = {"half": torch.float16, "brain": torch.bfloat16}[args.kind]
    device = torch_xla.device()
    model = nn.Linear(4, 4).to(device)
    for inputs, _ in pl.MpDeviceLoader(loader, device):
        scores = model(inputs).to(kind)
        print(scores.item())  # expect: XLA102


def on_the_host(args, loader):
    model = nn.Linear(4, 4)
    for inputs, labels in loader:
        print(FUNCTIONS[args.loss](model(inputs), labels))
