# ruff: noqa
# mypy: ignore-errors
"""A comprehension that trains goes round as a loop does."""

import functools

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
critic = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
other = torch.optim.SGD(critic.parameters(), lr=0.1)
rows = torch.utils.data.TensorDataset(torch.randn(30, 4))


def step(batch):
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    return loss


def read(batch):
    return step(batch).item()


def marked(batch):
    with torch_xla.step():
        loss = step(batch)
    return loss


def a_list(batches):
    return [step(batch.to(device)) for batch in batches]  # expect: XLA202


def a_sum(batches):
    return sum(step(batch.to(device)) for batch in batches)  # expect: XLA202


def a_mapping(batches):
    losses = {number: step(batch.to(device)) for number, batch in enumerate(batches)}  # expect: XLA202
    return losses


def some_of_them(batches):
    return [step(batch.to(device)) for batch in batches if len(batch) == 8]  # expect: XLA202


def all_epochs(batches):
    return [step(batch.to(device)) for epoch in range(9) for batch in batches]  # expect: XLA202


def read_in_a_function():
    return [read(batch) for (batch,) in pl.MpDeviceLoader([], device)]  # expect: XLA102


def read_in_the_element():
    return sum(step(batch).item() for (batch,) in pl.MpDeviceLoader([], device))  # expect: XLA102


def of_another_size_in_the_end():
    loader = torch.utils.data.DataLoader(rows, batch_size=8)  # expect: XLA404
    return [step(batch) for (batch,) in pl.MpDeviceLoader(loader, device)]


def cut_by_the_loader():
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(rows, batch_size=8, drop_last=True), device)
    return [step(batch) for (batch,) in loader]


def mapped(batches):
    return list(map(step, (batch.to(device) for batch in batches)))  # expect: XLA202


def mapped_and_read():
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(rows, batch_size=8, drop_last=True), device)
    return sum(map(lambda batch: read(batch[0]), loader))  # expect: XLA102


def mapped_with_a_setting():
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(rows, batch_size=8, drop_last=True), device)
    return list(map(functools.partial(read_one_of, 0), loader))  # expect: XLA102


def read_one_of(number, batch):
    return read(batch[number])


def mapped_and_cut_by_the_loader():
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(rows, batch_size=8, drop_last=True), device)
    return list(map(lambda batch: step(batch[0]), loader))


def mapped_one_by_one():
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(rows, batch_size=8, drop_last=True), device)
    for loss in map(lambda batch: step(batch[0]), loader):
        print(loss.shape)


def mapped_at_the_end(losses):
    return list(map(shown, losses))


def shown(loss):
    return f"{loss.item():.2f}"


def cut_by_steps(batches):
    losses = [marked(batch.to(device)) for batch in batches]
    return torch.stack(losses).mean().item()


def asked_for_one_by_one(batches):
    for loss in (step(batch.to(device)) for batch in batches):
        torch_xla.sync()


def all_optimizers(batch):
    (model(batch) + critic(batch)).sum().backward()
    [each.step() for each in (optimizer, other)]
    torch_xla.sync()


def name_of_the_same(batches):
    batch = 3
    losses = [marked(batch.to(device)) for batch in batches]
    return losses, batch + 1


some = [torch.randn(8, 4) for _ in range(9)]
a_list(some)
a_sum(some)
a_mapping(some)
some_of_them(some)
all_epochs(some)
read_in_a_function()
read_in_the_element()
of_another_size_in_the_end()
cut_by_the_loader()
mapped(some)
mapped_and_read()
mapped_with_a_setting()
mapped_and_cut_by_the_loader()
mapped_one_by_one()
mapped_at_the_end(cut_by_steps(some))
cut_by_steps(some)
asked_for_one_by_one(some)
all_optimizers(some[0].to(device))
name_of_the_same(some)
