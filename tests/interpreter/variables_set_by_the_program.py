# ruff: noqa
# mypy: ignore-errors
"""Variables of the environment that the program sets itself, where it begins, and asks for below."""

import os

import torch
import torch_xla

os.environ["STEPS_ON_XLA"] = "0"
os.environ["READS_EACH_LOSS"] = "1"
os.environ["SHOWS_LOSSES"] = "0"
os.environ.setdefault("SHOWS_LOSSES", "1")
os.environ["OF_A_SETTING"] = str(torch.get_num_threads())

device = torch_xla.device()


def with_one_that_is_off(batches):
    model = torch.nn.Linear(4, 4).to(device if os.environ["STEPS_ON_XLA"] == "1" else "cpu")
    for batch in batches:
        loss = model(batch).mean()
        loss.backward()
        print(loss.item())
        torch_xla.sync()  # expect: XLA201


def where_one_is_off(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        if os.environ.get("STEPS_ON_XLA", "1") == "1":
            print(loss.item())
        torch_xla.sync()  # expect: XLA201


def where_one_is_on(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        if os.getenv("READS_EACH_LOSS") == "1":
            print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201


def where_somebody_else_may_have_set_one(batches):
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        loss.backward()
        if os.getenv("SHOWS_LOSSES") == "1" or os.getenv("OF_A_SETTING") == "1":
            print(loss.item())  # expect: XLA102
        torch_xla.sync()  # expect: XLA201
