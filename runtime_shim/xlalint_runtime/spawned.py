"""Processes that the program starts by `multiprocessing`: each is watched, with a report of its own.

What a process is to do, its target or the `run` of its class, is handed to it together with who watches it,
in whatever way it is started. Workers of loaders are left alone, and what uses no device has no report.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.process import BaseProcess
from typing import Any

from xlalint_runtime import arrival
from xlalint_runtime.choosing import Choice
from xlalint_runtime.hooks import Patches
from xlalint_runtime.request import Request
from xlalint_runtime.session import Session

_LEFT_ALONE = ("torch.utils.data.", "multiprocessing.")
"""Modules whose functions run in processes for the library that starts them."""


def watch_children(request: Request) -> None:
    """Have processes watched that this one starts from now on, as `request` says of this one."""
    of_child = replace(request, is_child=True, asked={}, numbers=None, spare=None, stacks=None)

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def start(process: Any) -> None:
            run, target = process.run, process._target
            if type(process).run is not BaseProcess.run:
                if _is_to_watch(run):
                    process.run = _Watched(run, of_child)
            elif target is not None and _is_to_watch(target):
                process._target = _Watched(target, of_child)
            original(process)

        return start

    Patches().replace(BaseProcess, "start", make)


def _is_to_watch(function: Any) -> bool:
    # What is watched already is so by a process that this one is forked from.
    is_known = isinstance(function, _Watched)
    return not is_known and not getattr(function, "__module__", "").startswith(_LEFT_ALONE)


class _Watched:
    """A function that is watched while it runs in another process."""

    def __init__(self, function: Callable[..., Any], request: Request) -> None:
        self._function = function
        self._request = request

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        session = Session(self._request, Choice(self._request.finder))
        watch_children(self._request)
        arrival.when_imported(arrival.ENGINE, session.begin)
        try:
            return self._function(*args, **kwargs)
        except BaseException as error:
            session.fails(error)
            raise
        finally:
            session.end()
