"""A stack that is large enough for programs that nest deeply, on every system and in every build."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_T = TypeVar("_T")

_SIZE = 64 << 20
"""What is not used of it takes no memory."""
_LOOK_UP = 1.0
"""After so many seconds an interruption by the user is noticed also where waiting cannot be interrupted."""


_MOST_CALLS = 30_000
"""More than what the interpreter nests at most, by its own count."""


def on_large_stack(run: Callable[[], _T]) -> _T:
    """What `run` returns or raises. It runs in a thread, whose stack is as large as we say."""
    returned: list[_T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            with deep_recursion():
                returned.append(run())
        except BaseException as error:
            raised.append(error)

    thread = large_stack_thread(work)
    while thread.is_alive():
        thread.join(_LOOK_UP)
    if raised:
        raise raised[0]
    return returned[0]


def large_stack_thread(run: Callable[[], None]) -> threading.Thread:
    """A thread with a large stack, in which `run` has begun. Python ends without waiting for it."""
    before = threading.stack_size(_SIZE)
    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    return thread


@contextmanager
def deep_recursion() -> Iterator[None]:
    """As many calls in each other as a large stack has room for."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _MOST_CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
