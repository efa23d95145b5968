# ruff: noqa
# mypy: ignore-errors
"""Scalers that something unknown enables: one of another device is then mostly meant for that."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def of_cuda_where_asked(batches, use_amp):
    older = torch.cuda.amp.GradScaler(enabled=use_amp)
    newer = torch.amp.GradScaler("cuda", enabled=use_amp)
    for x in batches:
        optimizer.zero_grad()
        model(x.to(device)).sum().backward()
        older.step(optimizer)
        newer.step(optimizer)
        torch_xla.sync()  # expect: XLA201


def of_xla_where_asked(batches, use_amp):
    scaler = torch.amp.GradScaler("xla", enabled=use_amp)
    for x in batches:
        optimizer.zero_grad()
        scaler.scale(model(x.to(device)).sum()).backward()
        scaler.step(optimizer)  # expect: XLA703 likely
        torch_xla.sync()  # expect: XLA201


def of_cuda_always(batches):
    scaler = torch.cuda.amp.GradScaler()
    for x in batches:
        optimizer.zero_grad()
        scaler.scale(model(x.to(device)).sum()).backward()
        scaler.step(optimizer)  # expect: XLA703
        torch_xla.sync()  # expect: XLA201


def of_cuda_for_whatever_optimizer(batches, given):
    scaler = torch.cuda.amp.GradScaler()
    for x in batches:
        loss = model(x.to(device)).sum()
        scaler.scale(loss).backward()
        scaler.step(given)
        torch_xla.sync()  # expect: XLA201


def of_cuda_for_an_optimizer_that_a_library_makes(batches):
    scaler = torch.cuda.amp.GradScaler()
    made = some_library.create_optimizer(model)
    for x in batches:
        loss = model(x.to(device)).sum()
        scaler.scale(loss).backward()
        scaler.step(made)
        torch_xla.sync()  # expect: XLA201 likely


class CountingScaler:
    def __init__(self):
        self.scaler = torch.cuda.amp.GradScaler()

    def __call__(self, loss, given):
        self.scaler.scale(loss).backward()
        self.scaler.step(given)
        self.scaler.update()


def of_xla_for_whatever_optimizer(batches, given):
    scaler = torch.amp.GradScaler("xla")
    for x in batches:
        loss = model(x.to(device)).sum()
        scaler.scale(loss).backward()
        scaler.step(given)  # expect: XLA703
        torch_xla.sync()  # expect: XLA201
