"""The thread that analyzes, so that nothing keeps the server from reading what the client sends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from xlalint.stack import large_stack_thread

_T = TypeVar("_T")


class Worker:
    """Does one job after the other, in the order in which they came."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        large_stack_thread(self._work)

    def do(self, job: Callable[[], _T]) -> asyncio.Future[_T]:
        """What `job` returns or raises; it is left out if nobody waits for it when its turn comes."""
        future: Future[_T] = Future()
        self._jobs.put((future, job))
        return asyncio.wrap_future(future)

    def _work(self) -> None:
        while True:
            future, job = self._jobs.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(job())
            except BaseException as error:
                future.set_exception(error)
            del future, job  # what a job has made is not held until the next one
