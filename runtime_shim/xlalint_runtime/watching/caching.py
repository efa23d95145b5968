"""The persistent cache of compiled graphs: when it is set up, and by whom at which path."""

from __future__ import annotations

import functools
from typing import Any

import torch_xla
import torch_xla.runtime as xr

from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint_runtime import replicas
from xlalint_runtime.sites import frames_below_user, user_chain
from xlalint_runtime.watch import Hook, Watch


def _asked(watch: Watch, original: Any) -> Any:
    """The engine is asked whether the cache is there, by what sets it up: that raises if it is."""

    @functools.wraps(original)
    def is_initialized() -> Any:
        caller = next(frames_below_user(), None)
        if caller and caller.f_code is xr.initialize_cache.__code__ and (chain := user_chain()):
            written = not caller.f_locals["readonly"]
            at = watch.caches.setdefault(caller.f_locals["path"], set()) if written else set()
            shared = bool(at - {replicas.rank()})
            at.add(replicas.rank())

            def transition(state: State, site: Site) -> None:
                watch.model.initialize_cache(state, site, shared=shared)

            watch.tell(chain, transition)
        return original()

    return is_initialized


HOOKS = (Hook(torch_xla._XLAC, "_xla_computation_cache_is_initialized", _asked),)
