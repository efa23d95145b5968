"""Autocast for CUDA around what an XLA device computes."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch_xla

from xlalint_runtime.sites import user_chain
from xlalint_runtime.watch import Hook, Watch

_OTHER = "cuda"


def _made(watch: Watch, original: Any) -> Any:
    """An autocast is made: one for CUDA raises where it is asked for what only a device of CUDA has."""

    @functools.wraps(original)
    def make(autocast: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
        try:
            original(autocast, device_type, *args, **kwargs)
        except RuntimeError:
            on_xla = torch_xla._XLAC._xla_runtime_is_initialized()
            if device_type == _OTHER and on_xla and (chain := user_chain()):
                watch.tell(chain, watch.model.refuse_autocast)
            raise

    return make


def _entered(watch: Watch, original: Any) -> Any:
    """From here on it is on."""

    @functools.wraps(original)
    def enter(autocast: Any) -> Any:
        result = original(autocast)
        if autocast.device == _OTHER and autocast._enabled and (chain := user_chain()):
            watch.autocasts[autocast] = chain[-1].site
            watch.tell(chain, watch.model.enter_autocast)
        return result

    return enter


def _left(watch: Watch, original: Any) -> Any:
    """It is off again."""

    @functools.wraps(original)
    def leave(autocast: Any, *args: Any) -> Any:
        entered = watch.autocasts.pop(autocast, None)
        if entered is not None:
            watch.model.leave_autocast(watch.replica.state, entered)
        return original(autocast, *args)

    return leave


HOOKS = (
    Hook(torch.autocast, "__init__", _made),
    Hook(torch.autocast, "__enter__", _entered),
    Hook(torch.autocast, "__exit__", _left),
)
