"""Stands in on the CPU engine for what only an accelerator has, so that programs which use it run."""

from __future__ import annotations

import functools
import resource
import signal
import threading
from typing import Any

import torch_xla
import torch_xla.amp.autocast_mode as autocast_mode
import torch_xla.runtime as xr

from xlalint_runtime.hooks import Patches

AUTOCAST = "`torch_xla.amp.autocast` does not run on the CPU engine: here it computes in bfloat16"
MEMORY = "`xm.get_memory_info` is not there on the CPU engine: here it tells the memory of this process"
PREEMPTION = "preemption is announced to TPUs only: here the signal SIGTERM stands for it"
_LIMIT = 16 * 2**30


class StandIns:
    """What took the place of something that is missing, as far as the program has used it."""

    def __init__(self) -> None:
        self.used: dict[str, None] = {}
        self._is_preempted = False

    def install(self, patches: Patches) -> None:
        """Stand in from now on."""
        patches.replace(autocast_mode, "xm", lambda original: _Answers(original, self.used))
        patches.replace(torch_xla._XLAC, "_xla_memory_info", self._memory)
        patches.replace(xr, "get_master_ip", lambda original: self._master_ip)
        patches.replace(torch_xla._XLAC, "_ensure_xla_coordinator_initialized", lambda original: _nothing)
        patches.replace(torch_xla._XLAC, "_activate_preemption_sync_manager", lambda original: self._notice)
        patches.replace(torch_xla._XLAC, "_sync_point_reached", lambda original: self._sync_point_reached)

    def _memory(self, original: Any) -> Any:
        @functools.wraps(original)
        def memory_info(device: str) -> dict[str, int]:
            self.used[MEMORY] = None
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            return {"bytes_used": peak, "bytes_limit": _LIMIT, "peak_bytes_used": peak}

        return memory_info

    def _master_ip(self) -> str:
        """Where processes meet that watch for a preemption together; there is one."""
        self.used[PREEMPTION] = None
        return "127.0.0.1"

    def _notice(self) -> None:
        """Notice preemption from now on. A handler can be set in the main thread alone, as Python has it."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._preempted)

    def _preempted(self, *_: object) -> None:
        self._is_preempted = True

    def _sync_point_reached(self, step: int) -> bool:
        """Whether at this step all have to save; that is so once."""
        reached, self._is_preempted = self._is_preempted, False
        return reached


def _nothing(*_: object) -> None:
    """Nobody has to be met."""


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
