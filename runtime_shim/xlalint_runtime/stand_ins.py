"""Stands in on the CPU engine for what only an accelerator has, so that programs which use it run."""

from __future__ import annotations

import functools
import resource
from typing import Any

import torch_xla
import torch_xla.amp.autocast_mode as autocast_mode

from xlalint_runtime.hooks import Patches

AUTOCAST = "`torch_xla.amp.autocast` does not run on the CPU engine: here it computes in bfloat16"
MEMORY = "`xm.get_memory_info` is not there on the CPU engine: here it tells the memory of this process"
_LIMIT = 16 * 2**30


class StandIns:
    """What took the place of something that is missing, as far as the program has used it."""

    def __init__(self) -> None:
        self.used: dict[str, None] = {}

    def install(self, patches: Patches) -> None:
        """Stand in from now on."""
        patches.replace(autocast_mode, "xm", lambda original: _Answers(original, self.used))
        patches.replace(torch_xla._XLAC, "_xla_memory_info", self._memory)

    def _memory(self, original: Any) -> Any:
        @functools.wraps(original)
        def memory_info(device: str) -> dict[str, int]:
            self.used[MEMORY] = None
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            return {"bytes_used": peak, "bytes_limit": _LIMIT, "peak_bytes_used": peak}

        return memory_info


class _Answers:
    """torch_xla's module for its autocast, which asks it for the device alone."""

    def __init__(self, original: Any, used: dict[str, None]) -> None:
        self._original = original
        self._used = used

    def xla_device_hw(self, device: object) -> str:
        """The kind of device that autocast is made for."""
        self._used[AUTOCAST] = None
        return "TPU"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)
