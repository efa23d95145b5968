"""The garbage collector, which a process as short as the command does without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Collect no garbage: the process ends before that would pay."""
    import gc

    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.freeze()  # the process ends soon, so nothing is gained by collecting what the check leaves behind
        if was_enabled:
            gc.enable()
