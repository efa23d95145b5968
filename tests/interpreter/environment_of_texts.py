# ruff: noqa
# mypy: ignore-errors
"""The environment holds texts: what gives it a number raises, sets nothing, and what comes after it is a note."""

import os
import subprocess

import torch
import torch_xla

device = torch_xla.device()


def by_a_number(batches):
    os.environ["XLA_USE_BF16"] = 1  # quiet: it raises
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def by_a_text(batches):
    os.environ["XLA_USE_BF16"] = "1"  # expect: XLA003 likely
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_a_number_made_a_text(batches):
    os.environ["XLA_USE_BF16"] = str(1)  # expect: XLA003 likely
    os.environ["PJRT_LOCAL_PROCESS_RANK"] = f"{0}"
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_a_number_with_a_name(batches, settings):
    threads = 4
    settings["threads"] = threads
    os.environ["OMP_NUM_THREADS"] = threads
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def by_a_number_in_a_try(batches):
    try:
        os.environ["OMP_NUM_THREADS"] = 4
    except TypeError:
        os.environ["OMP_NUM_THREADS"] = "4"
    model = torch.nn.Linear(4, 4).to(device)
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_another_program():
    subprocess.run(["python", "train.py"], env={"XLA_USE_BF16": 1})  # quiet: it raises


def of_another_program_by_a_text():
    subprocess.run(["python", "train.py"], env={"XLA_USE_BF16": "1"})  # expect: XLA003
