# ruff: noqa
# mypy: ignore-errors
"""Loops and functions for CUDA, which raise on any other machine: nothing below that is told."""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters())
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader([]), device)


def step(batch):
    optimizer.zero_grad()
    loss = model(batch).sum()
    loss.backward()
    xm.optimizer_step(optimizer)
    return loss


def a_batch_that_goes_to_cuda():
    for batch in loader:
        labels = batch.t().contiguous().cuda()
        print(step(labels).item())


def a_batch_that_goes_to_xla():
    for batch in loader:
        print(step(batch).item())  # expect: XLA102


def a_device_of_cuda_is_set(rank):
    torch.cuda.set_device(rank)
    for batch in loader:
        print(step(batch).item())


def where_the_settings_ask_for_it(args):
    for batch in loader:
        if args.gpu:
            batch = batch.cuda()
        print(step(batch).item())  # expect: XLA102


def where_an_expression_asks_for_it(args):
    for batch in loader:
        batch = batch.cuda() if args.gpu else batch
        print(step(batch).item())  # expect: XLA102


def where_a_function_may_ask_for_it(args):
    move = lambda each: each.cuda()
    for batch in loader:
        print(step(batch).item())  # expect: XLA102


def after_what_is_timed_on_cuda():
    for batch in loader:
        loss = step(batch)
        if loss is not None:
            torch.cuda.synchronize()
            print(loss.item())


def with_a_loss_that_has_no_parameters(args):
    criterion = torch.nn.CrossEntropyLoss().cuda()
    other = args.loss.cuda()
    for batch in loader:
        loss = criterion(step(batch), other)
        print(loss.item())  # expect: XLA102


def whatever_each_round_moves(batches):
    for batch in batches:
        labels = batch["labels"].cuda()
        print(step(batch.to(device)).item())
        torch_xla.sync()
