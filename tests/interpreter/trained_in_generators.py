# ruff: noqa
# mypy: ignore-errors
"""A generator that trains goes on when it is asked for more: who asks may cut between."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def losses(batches):
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        optimizer.step()
        yield loss


def losses_of_all(batches):
    for batch in batches:  # expect: XLA202
        optimizer.zero_grad()
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        optimizer.step()
        yield loss


def losses_of_some(batches):
    for batch in batches:  # expect: XLA202
        optimizer.zero_grad()
        loss = model(batch.to(device)).square().mean()
        loss.backward()
        optimizer.step()
        yield loss


def losses_of_steps(batches):
    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to(device)).square().mean()
            loss.backward()
            optimizer.step()
        yield loss


def moved(batches):
    for batch in batches:
        yield batch.to(device)


def cut_by_who_asks(batches):
    for loss in losses(batches):
        torch_xla.sync()
        print(loss.item())


def trained_by_who_asks(batches):
    for batch in moved(batches):  # expect: XLA202
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()


def shown_by_who_asks(batches):
    kept = []
    for number, loss in enumerate(losses_of_all(batches)):
        print(number, loss.item())
        kept.append(loss.detach())
    return kept


def asked_for_all(batches):
    return list(losses_of_some(batches))


def shown_step_by_step(batches):
    for loss in losses_of_steps(batches):
        print(loss.item())


def cut_by_a_function(batches):
    for loss in losses(batches):
        show(loss)


def show(loss):
    torch_xla.sync()
    print(loss.item())


some = [torch.randn(8, 4) for _ in range(9)]
cut_by_who_asks(some)
trained_by_who_asks(some)
shown_by_who_asks(some)
asked_for_all(some)
shown_step_by_step(some)
cut_by_a_function(some)
