"""The environment in which programs run: the engine, and how many replicas it has."""

from __future__ import annotations

import os
from pathlib import Path


def has_accelerator() -> bool:
    """Whether an accelerator is there that torch_xla would take by itself."""
    devices = (*Path("/dev").glob("accel*"), *Path("/dev").glob("neuron*"), *Path("/dev").glob("vfio/[0-9]*"))
    return bool(devices)


def of_replicas(number: int) -> dict[str, str]:
    """What lets so many replicas run as threads of one process on the CPU engine."""
    found = {"CPU_NUM_DEVICES": str(number)}
    if number > 1:
        # The asynchronous client runs replicas on as many threads as there are cores, where they starve
        # each other (measured: most correct programs abort; none did with these two).
        found |= {"PJRT_CPU_ASYNC_CLIENT": "0", "XLA_THREAD_POOL_SIZE": str(4 * number)}
    return found


def replicas_asked_for() -> int:
    """How many replicas the environment asks for on the CPU engine."""
    asked = os.environ.get("CPU_NUM_DEVICES", "1")
    return int(asked) if asked.isdigit() else 1
