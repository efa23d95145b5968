# ruff: noqa
# mypy: ignore-errors
"""Rows of a tensor that has not run, which loops read one by one: each read runs all that makes the tensor."""

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
loader = pl.MpDeviceLoader([(torch.ones(8, 4), torch.ones(8))] * 4, device)


def each_row(found):
    for x, y in loader:
        best = model(x).argmax(-1)
        for row in best:
            found.append(row.item())  # expect: XLA102


def beside_the_labels(found):
    for x, y in loader:
        best = model(x).argmax(-1)
        for row, label in zip(best, y):
            found.append((row.item(), label))  # expect: XLA102


def counted(found):
    for x, y in loader:
        best = model(x).argmax(-1)
        for number, row in enumerate(best):
            if row.item() == number:  # expect: XLA102
                found.append(number)


def number_by_number(found):
    for x, y in loader:
        best = model(x)
        for row in best:
            for number in row:
                found.append(number.item())  # expect: XLA102 likely


def of_what_is_let_go(x, found):
    for row in model(x).argmax(-1):
        found.append(row.item())  # expect: XLA102


def below_a_cut(found):
    for x, y in loader:
        best = model(x).argmax(-1)
        torch_xla.sync()  # expect: XLA201
        for row in best:
            found.append(row.item())  # expect: XLA104


def cut_in_each_round(found):
    for x, y in loader:
        best = model(x).argmax(-1)
        for row in best:
            torch_xla.sync()
            found.append(row.item())


def by_their_numbers(found):
    for x, y in loader:
        best = model(x).argmax(-1)
        for number in range(len(x)):
            found.append(best[number].item())  # expect: XLA102
        del best


def parts_of_them(x, found):
    scores = model(x)
    for number in range(len(x)):
        found.append(scores[number][1:].max().item())  # expect: XLA102


def one_of_them(x, found):
    scores = model(x)
    for number in range(len(x)):
        if number == 2:
            found.append(scores[number].tolist())  # quiet: no other one is read


def the_first_of_them(x, found):
    scores = model(x)
    for number in range(len(x)):
        found.append(scores[number].tolist())  # quiet: the others are not
        break


def made_in_each_round(x, found):
    for number in range(len(x)):
        scores = model(x)
        found.append(scores[number].tolist())  # quiet: each time of another forward pass


def tensors_by_their_numbers(found):
    for x, y in loader:
        losses = [model(x).sum() for _ in range(3)]
        for number in range(3):
            found.append(losses[number].item())  # quiet: each is of its own forward pass
        del losses


def tensors_of_a_list(found):
    for x, y in loader:
        torch_xla.sync()
        losses = [model(x).sum() for _ in range(3)]
        for loss in losses:
            found.append(loss.item())  # quiet: each is of its own forward pass
        del losses, loss


each_row([])
beside_the_labels([])
counted([])
number_by_number([])
for x, y in loader:
    of_what_is_let_go(x, [])
below_a_cut([])
cut_in_each_round([])
tensors_of_a_list([])
by_their_numbers([])
for x, y in loader:
    parts_of_them(x, [])
    one_of_them(x, [])
    the_first_of_them(x, [])
    made_in_each_round(x, [])
tensors_by_their_numbers([])
