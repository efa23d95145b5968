# ruff: noqa
# mypy: ignore-errors
"""There are no GPUs where XLA is: what is done with several of them, or by settings for them, is not entered."""

import os

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def with_several(batches):
    for batch in batches:
        loss = model(batch.to(device))
        if torch.cuda.device_count() > 1:
            print(loss.mean().item())
        loss.mean().backward()
        torch_xla.sync()  # expect: XLA201


def with_none(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if torch.cuda.device_count() == 0:
            print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_settings(batches, settings):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if settings.use_gpu or settings.no_tpu or settings.backend == "nccl":
            print(loss.item())
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_settings_for_xla(batches, settings):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if not settings.use_gpu:
            print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


USE_CUDA = os.environ.get("USE_CUDA", False)


def by_a_variable_of_the_environment(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if USE_CUDA:
            print(loss.item())
        else:
            loss.backward()
        torch_xla.sync()  # expect: XLA201


def by_its_absence(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if not USE_CUDA:
            print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
