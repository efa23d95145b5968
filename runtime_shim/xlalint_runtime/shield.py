"""Keeps faults of the guard away from the program that it watches."""

from __future__ import annotations

import functools
import os
import threading
import traceback
import types
from collections.abc import Callable
from typing import Any

from xlalint_runtime.stopping import Deliberate

MOST_FAULTS = 3
"""After so many faults of one hook it watches no more."""


class Faults:
    """What went wrong in the guard itself."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def note(self, error: BaseException, where: str) -> None:
        """Remember a fault."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}:{last.lineno}"  # noqa: PTH119
        self.seen.append(f"{where}: {type(error).__name__}: {error} ({place})")


class _Call:
    """One call of what was there before the hook."""

    made = False  # Of the class: a function more would be called for each call.
    result: Any = None
    error: BaseException | None = None


Passes = Callable[[tuple[Any, ...]], bool]


class _Calls(threading.local):
    def __init__(self) -> None:
        self.open: list[_Call] = []


def shielded(
    wrap: Callable[[Any], Any], original: Any, name: str, faults: Faults, passes: Passes | None = None
) -> Any:
    """What `wrap` makes of `original`; where that fails by itself, `original` counts alone.

    Errors of `original`, and what the guard raises on purpose, go to the program.

    Args:
        wrap: Makes what watches.
        original: What is there.
        name: What a fault is told by.
        faults: Where it is told.
        passes: Whether there is nothing to watch in a call with these arguments; it must not fail. So
            cost little what happens often.
    """
    if not callable(original):
        return wrap(original)
    calls = _Calls()

    @functools.wraps(original)
    def tracked(*args: Any, **kwargs: Any) -> Any:
        if not calls.open:  # Somebody has kept it longer than the call that it was made for.
            return original(*args, **kwargs)
        call = calls.open[-1]
        call.made = True
        try:
            call.result = original(*args, **kwargs)
        except BaseException as error:
            call.error = error
            raise
        return call.result

    wrapped = wrap(tracked)
    failed = [0]

    @functools.wraps(original)
    def hook(*args: Any, **kwargs: Any) -> Any:
        if failed[0] >= MOST_FAULTS or (passes is not None and passes(args)):
            return original(*args, **kwargs)
        call = _Call()
        calls.open.append(call)
        try:
            return wrapped(*args, **kwargs)
        except BaseException as error:
            if error is call.error or isinstance(error, (Deliberate, KeyboardInterrupt)):
                raise
            failed[0] += 1
            faults.note(error, name)
            if call.error is not None:
                raise call.error from None
            return call.result if call.made else original(*args, **kwargs)
        finally:
            calls.open.pop()
            # The error holds the program's frames, whose tensors would outlive their function.
            call.error = None

    return hook if isinstance(original, _FUNCTIONS) else _InPlaceOf(original, hook)


class _InPlaceOf:
    """Stands in the place of an object that can be called and has attributes of its own."""

    def __init__(self, original: Any, call: Callable[..., Any]) -> None:
        self._original = original
        self._call = call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodType,
)
