# ruff: noqa
# mypy: ignore-errors
"""Rows of a tensor that a loop or a comprehension brings to the host one by one, and lists of tensors."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device).eval()


@torch.no_grad()
def below_the_cut(data, words, found):
    for x in data:
        best = model(x.to(device)).argmax(-1)
        torch_xla.sync()  # expect: XLA201
        found += [words(row.tolist()) for row in best]  # expect: XLA104


@torch.no_grad()
def below_the_step(data, found):
    for x in data:
        with torch_xla.step():
            best = model(x.to(device)).argmax(-1)
        found += [row.tolist() for row in best]  # expect: XLA104


@torch.no_grad()
def in_a_loop_of_its_own(data, words, found):
    for x in data:
        best = model(x.to(device)).argmax(-1)
        torch_xla.sync()  # expect: XLA201
        for row in best:
            found.append(words(row.cpu()))  # expect: XLA104


@torch.no_grad()
def parts_by_their_numbers(data, words, found):
    for x in data:
        best = model(x.to(device)).argmax(-1)
        torch_xla.sync()
        for number in range(len(x)):
            found.append(words(best[number][1:].tolist()))  # expect: XLA104


@torch.no_grad()
def each_a_tensor(data, found):
    for x in data:
        first, second = model(x.to(device)).chunk(2)
        torch_xla.sync()  # expect: XLA201
        found += [part.cpu() for part in [first, second]]


@torch.no_grad()
def all_at_once(data, words, found):
    for x in data:
        best = model(x.to(device)).argmax(-1)
        torch_xla.sync()  # expect: XLA201
        found += [words(row) for row in best.tolist()]
        for row in best.tolist():
            found.append(words(row))


def decoded(output):
    best = output.argmax(-1)
    texts = []
    for row in best:
        texts.append([number for number in row.tolist()])  # expect: XLA102
    return texts


@torch.no_grad()
def read_by_a_callee_above_the_cut(data, found):
    for x in data:
        output = model(x.to(device))
        found += decoded(output)  # quiet: told where the rows are read
        torch_xla.sync()  # expect: XLA201


@torch.no_grad()
def read_by_a_callee_of_what_it_lets_go(data, found):
    for x in data:
        found += decoded(model(x.to(device)))
        torch_xla.sync()  # expect: XLA201


below_the_cut([], str, [])
below_the_step([], [])
in_a_loop_of_its_own([], str, [])
parts_by_their_numbers([], str, [])
each_a_tensor([], [])
all_at_once([], str, [])
read_by_a_callee_above_the_cut([], [])
read_by_a_callee_of_what_it_lets_go([], [])
