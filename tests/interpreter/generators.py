# ruff: noqa
# mypy: ignore-errors
"""`torch.Generator` refuses an XLA device: what comes after it is a note. One of the host may serve the device."""

import torch
import torch_xla

device = torch_xla.device()


def of_the_device(model, batches):
    model = torch.nn.Linear(4, 4).to(device)
    rng = torch.Generator(device=device)  # expect: XLA711
    for batch in batches:
        loss = model(torch.rand(4, 4, generator=rng, device=device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def by_its_name(model, batches):
    model = torch.nn.Linear(4, 4).to(device)
    rng = torch.Generator("xla")  # expect: XLA711
    for batch in batches:
        loss = model(torch.rand(4, 4, generator=rng, device=device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def of_the_host(model, batches):
    model = torch.nn.Linear(4, 4).to(device)
    rng = torch.Generator(device="cpu")
    for batch in batches:
        loss = model(torch.rand(4, 4, generator=rng, device=device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def of_either(model, batches, backend):
    model = torch.nn.Linear(4, 4).to(device)
    rng = torch.Generator(device=backend)
    for batch in batches:
        loss = model(torch.rand(4, 4, generator=rng, device=device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def behind_a_number(model, batches, temperature=1.0):
    model = torch.nn.Linear(4, 4).to(device)
    rng = None
    if temperature > 0:  # as by default
        rng = torch.Generator(device=device)  # expect: XLA711
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102 likely
        loss.backward()
        torch_xla.sync()  # expect: XLA201 likely


def off_by_default(model, batches, temperature=0.0):
    model = torch.nn.Linear(4, 4).to(device)
    rng = None
    if temperature > 0:
        rng = torch.Generator(device=device)  # expect: XLA711
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201


def made_anew(model, batches, temperature=1.0):
    model = torch.nn.Linear(4, 4).to(device)
    temperature = min(temperature, len(batches))
    rng = None
    if temperature > 0:
        rng = torch.Generator(device=device)  # expect: XLA711
    for batch in batches:
        loss = model(batch.to(device)).mean()
        print(loss.item())  # expect: XLA102
        loss.backward()
        torch_xla.sync()  # expect: XLA201
