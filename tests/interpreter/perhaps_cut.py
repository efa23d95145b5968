# ruff: noqa
# mypy: ignore-errors
"""A cut that perhaps happens is one wherever it stands: what was recorded before is only perhaps still there.

Known to be wrong: a decorator that turns eager mode on is not seen, so that its function has a false alarm.
"""

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.debug.profiler as xp
import torch_xla.distributed.parallel_loader as pl
from torch_xla.experimental import eager_mode_context

device = torch_xla.device()
model = torch.nn.Linear(4, 4).to(device)
x = torch.randn(4, 4, device=device)


def every_fourth(loader):
    for batch in pl.MpDeviceLoader(loader, torch_xla.device(), batches_per_execution=4):
        pass


def two_calls_deep(loader):
    every_fourth(loader)


def yields(loader):
    for batch in pl.MpDeviceLoader(loader, torch_xla.device(), batches_per_execution=4):
        yield batch


class Trainer:
    def evaluate(self, loader):
        two_calls_deep(loader)


def surely_recorded(loader):
    torch_xla.sync()
    loss = model(x)
    print(loss.sum().item())  # expect: XLA102 likely # state: heavy
    torch_xla.sync()


def in_place(loader):
    torch_xla.sync()
    loss = model(x)
    for batch in pl.MpDeviceLoader(loader, torch_xla.device(), batches_per_execution=4):
        pass
    print(loss.sum().item())  # state: none-heavy
    torch_xla.sync()


def in_a_helper(loader):
    torch_xla.sync()
    loss = model(x)
    every_fourth(loader)
    print(loss.sum().item())  # state: none-heavy
    torch_xla.sync()


def in_a_helper_of_a_helper(loader):
    torch_xla.sync()
    loss = model(x)
    two_calls_deep(loader)
    print(loss.sum().item())  # state: none-heavy
    torch_xla.sync()


def in_a_method(loader):
    torch_xla.sync()
    loss = model(x)
    Trainer().evaluate(loader)
    print(loss.sum().item())  # state: none-heavy
    torch_xla.sync()


def in_a_generator(loader):
    torch_xla.sync()
    loss = model(x)
    for batch in yields(loader):
        pass
    print(loss.sum().item())  # state: none-heavy
    torch_xla.sync()


# Eager mode as a context


def inside_eager_mode():
    with eager_mode_context(True):
        print(model(x).sum().item())  # state: none
        torch_xla.sync()


def lazily_inside_eager_mode():
    with eager_mode_context(True):
        with eager_mode_context(False):
            torch_xla.sync()
            loss = model(x)
            print(loss.sum().item())  # expect: XLA102
            torch_xla.sync()


def eager_in_a_helper():
    with eager_mode_context(True):
        reads()


def reads():
    loss = model(x)
    print(loss.sum().item())
    torch_xla.sync()


@eager_mode_context(True)
def eager_by_a_decorator():
    loss = model(x)
    print(loss.sum().item())  # expect: XLA102 likely
    torch_xla.sync()


# What a marker is told by position and by name


def by_position():
    with xp.Trace("a"):
        xm.mark_step(False, False)  # expect: XLA002


def by_name():
    with xp.Trace("a"):
        xm.mark_step(wait=False, reset_scope=False)  # expect: XLA002


def by_both():
    with xp.Trace("a"):
        xm.mark_step(False, reset_scope=False)  # expect: XLA002


def not_told():
    with xp.Trace("a"):
        xm.mark_step(False)  # expect: XLA002


def log(value, maybe_sync):
    maybe_sync()
    print(value.item())


def synced_by_an_argument(accelerator):
    for _ in range(1000):
        log(model(x), accelerator.sync)
        torch_xla.sync()


def synced_by_something_unknown(accelerator):
    for _ in range(1000):
        y = model(x)
        accelerator.sync()
        print(y.sum().item())  # state: none-heavy
        torch_xla.sync()


def not_synced_by_a_context(accelerator):
    for _ in range(1000):
        y = model(x)
        accelerator.no_sync()
        print(y.sum().item())  # expect: XLA102 likely
        torch_xla.sync()  # expect: XLA201 likely
