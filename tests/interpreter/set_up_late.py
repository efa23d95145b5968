# ruff: noqa
# mypy: ignore-errors
"""What a process sets up after it has begun, and loaders that are made once more."""

import torch
import torch_xla
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)


def works_before_the_cache_is_set_up(x):
    torch_xla.sync()
    x = torch.ones(4, 4, device=device)
    y = x @ x
    torch_xla.sync()  # expect: XLA803
    y = y @ x
    xr.initialize_cache("/tmp/cache")
    return y


def only_moves_before(x):
    x = x.to(device)
    torch_xla.sync()
    xr.initialize_cache("/tmp/cache")
    return x


def evaluates_between_the_epochs(batches):
    for epoch in range(3):
        loader = pl.MpDeviceLoader(batches, device)
        for batch in loader:
            y = model(batch)
            if epoch > 1:
                break  # expect: XLA802
        z = model(y)
        torch_xla.sync()
        print(z)


def other_loader_in_the_next_round(train, test):
    for batch in pl.MpDeviceLoader(train, device):
        model(batch)
        break
    for batch in pl.MpDeviceLoader(test, device):
        model(batch)


def stops_altogether(batches, limit):
    step, done = 0, False
    for epoch in range(3):
        for batch in pl.MpDeviceLoader(batches, device):
            model(batch)
            step += 1
            if step >= limit:
                break
        if step >= limit:
            break
    for epoch in range(3):
        for batch in pl.MpDeviceLoader(batches, device):
            model(batch)
            if limit:
                done = True
                break
        if done:
            break


def captures_below_work():
    server = xp.start_server(9012)
    x = torch.ones(4, 4, device=device)
    y = x @ x
    torch_xla.sync()
    y = y @ x
    xp.trace("localhost:9012", "/tmp/profile")  # expect: XLA804
    return server, y


def a_loader_of_each_epoch_to_its_end(batches, steps):
    """Whoever counts up to a number that is not known may leave with the last batch."""
    for epoch in range(3):
        loader = pl.MpDeviceLoader(batches, device)
        for step, batch in enumerate(loader, start=1):
            batch.sum()
            if steps and step >= steps:
                break


def a_loader_of_each_epoch_to_the_tenth(batches, stop):
    for epoch in range(3):
        loader = pl.MpDeviceLoader(batches, device)
        for step, batch in enumerate(loader):
            batch.sum()
            if stop and step >= 10:
                break  # expect: XLA802
