"""Replicas are launched, and processes meet in groups."""

from __future__ import annotations

import functools
from typing import Any

import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_backend as xla_backend
import torch_xla.runtime as xr
from torch_xla._internal import pjrt

from xlalint.knowledge.functions import REDUCING
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint_runtime.sites import callee, frames_below_user, user_chain, written
from xlalint_runtime.watch import Hook, Watch
from xlalint_runtime.watching.sharding import tell_of_device

_LAUNCH = "torch_xla.launch"


def _spawn(watch: Watch, original: Any) -> Any:
    """Replicas are launched, by `torch_xla.launch` or `xmp.spawn`."""

    @functools.wraps(original)
    def spawn(fn: Any, nprocs: int | None = None, *args: Any, **kwargs: Any) -> Any:
        if chain := user_chain():

            def transition(state: State, site: Site) -> None:
                spelling = written(site) or f"{callee(site)}(...)"
                watch.model.launch(state, spelling, site, processes=nprocs)

            watch.tell(chain, transition)
        return original(fn, nprocs, *args, **kwargs)

    return spawn


def _under_spmd(watch: Watch, original: Any) -> Any:
    """Whether SPMD is on is asked by what is only for several replicas: it raises then."""

    @functools.wraps(original)
    def is_spmd() -> Any:
        on = original()
        caller = next(frames_below_user(), None) if on else None
        code = caller and caller.f_code
        if code is torch_xla.launch.__code__ and (chain := user_chain()):
            watch.tell(chain, lambda state, site: watch.model.launch(state, _LAUNCH, site))
        elif code is xla_backend._create_xla_process_group.__code__ and (chain := user_chain()):
            watch.tell(chain, lambda state, site: watch.model.join_group(state, "xla", site))
        return on

    return is_spmd


def _replicas_counted(watch: Watch, original: Any) -> Any:
    """The replicas are counted, for `xr.world_size`: that starts the runtime, and asks for no device yet."""

    @functools.wraps(original)
    def count() -> Any:
        tell_of_device(watch, as_single=False)
        return original()

    return count


def _world_size(watch: Watch, original: Any) -> Any:
    """A collective asks how many replicas there are: under SPMD there is one, so it does nothing."""

    @functools.wraps(original)
    def world_size() -> Any:
        size = original()
        below = list(frames_below_user()) if size == 1 and xr.is_spmd() else []
        if below and below[0].f_code.co_filename == xm.__file__ and not below[0].f_locals.get("groups"):
            operation = below[-1].f_code.co_name
            if operation in REDUCING and (chain := user_chain()):
                watch.tell(chain, lambda state, site: watch.model.collective(state, operation, "", site))
        return size

    return world_size


HOOKS = (
    Hook(pjrt, "spawn", _spawn),
    Hook(xr, "is_spmd", _under_spmd),
    Hook(xr, "world_size", _world_size),
    Hook(torch_xla._XLAC, "_xla_get_replication_devices_count", _replicas_counted),
)
