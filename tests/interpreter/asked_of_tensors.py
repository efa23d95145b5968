# ruff: noqa
# mypy: ignore-errors
"""What a tensor, a parameter or the type of a device tells of where it is: the arms for other devices are not entered."""

import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
on_host = torch.nn.Linear(4, 4)


def of_a_tensor(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if loss.is_cuda or loss.is_cpu:
            print(loss.item())
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_its_type(batches):
    for batch in batches:
        out = model(batch.to(device))
        if out.dtype == torch.float16 and torch.isinf(out).any():
            out = out.clamp(max=1000)
        if out.dtype != torch.float16 and torch.isinf(out).any():  # expect: XLA103
            out = out.clamp(max=1000)
        out.mean().backward()
        torch_xla.sync()  # expect: XLA201


def of_no_other(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if not loss.is_cuda:
            print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_a_parameter(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if next(model.parameters()).is_cuda:
            print(loss.item())
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_a_parameter_on_the_host(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if next(on_host.parameters()).is_cpu:
            print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_the_type(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if device.type.startswith("cuda") or device.type.lower().endswith("mps"):
            print(loss.item())
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_the_type_of_xla(batches):
    for batch in batches:
        loss = model(batch.to(device)).mean()
        if device.type.startswith("xla"):
            print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
