# ruff: noqa
# mypy: ignore-errors
"""A name that nothing has bound raises where it is used, and what comes after it is a note."""

import argparse

import torch
import torch_xla

try:
    import apex
except ImportError:
    pass

device = torch_xla.device()


def set_up():
    global rate
    rate = 0.1


def with_a_name_of_nobody(batches):
    model = torch.nn.Linear(4, 4).to(device)
    print(learning_rate)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def called_with_a_name_of_nobody(batches):
    with_what_is_given(batches, model_of_nobody)


def with_what_is_given(batches, model):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def with_names_that_are_there(batches, *rest, **options):
    model = torch.nn.Linear(4, 4).to(device)
    print(rate, apex, argparse, rest, options, __file__, NotImplemented, [each for each in rest])
    match rest:
        case [first, *others]:
            print(first, others)
    try:
        print(WindowsError)
    except OSError as error:
        print(error)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def where_the_error_is_caught(batches):
    model = torch.nn.Linear(4, 4).to(device)
    try:
        momentum
    except NameError:
        momentum = 0.9
    try:
        print(nowhere)
    except NameError:
        pass
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def where_it_is_used_on_some_way(batches, verbose):
    model = torch.nn.Linear(4, 4).to(device)
    if verbose:
        print(nowhere)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def with_a_name_of_another_function(batches):
    model = torch.nn.Linear(4, 4).to(device)
    print(hits)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def adding_to_what_is_not_there(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        hits += 1
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def bound_too_late(batches):
    model = torch.nn.Linear(4, 4).to(device)
    print(rounds)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely
    rounds = len(batches)


def bound_in_an_earlier_round(batches, scale=None):
    model = torch.nn.Linear(4, 4).to(device)
    if scale:
        hits = 0
    for number, batch in enumerate(batches):
        if number:
            print(last, [each for each in last], (lambda last: last)(batch))
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
        last = batch
        hits += (few := 1)
    print(few)

    def count():
        nonlocal hits
        hits = 1


def used_in_each_tenth_round(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for number, batch in enumerate(batches):
        if number % 10 == 0:
            print(nowhere)
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


with_a_name_of_nobody(torch.randn(3, 2, 4))
