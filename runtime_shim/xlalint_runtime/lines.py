"""Follows a thread line by line through the user's code, for as long as that is worth its cost.

Python calls back for every line then. Nothing of torch is touched: a mode of torch's own would become part of
what Dynamo compiles.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from xlalint.lazy.site import Site
from xlalint_runtime.sites import Chain, is_user_file, user_chain

Passed = Callable[[Callable[[], Chain]], None]
"""Is called when a line has been run, with what gives the frames at that line."""


class Lines:
    """Tells of every line of the user's code that this thread has run."""

    def __init__(self, passed: Passed) -> None:
        self._passed = passed

    def follow(self) -> bool:
        """Begin. Returns whether it did: where somebody else follows already, such as a debugger, not."""
        if sys.gettrace() is not None:
            return False
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if is_user_file(frame.f_code.co_filename):
                frame.f_trace = self._inside(frame.f_lineno)
            frame = frame.f_back
        sys.settrace(self._called)
        return True

    def end(self) -> None:
        """Follow no longer."""
        if isinstance(getattr(sys.gettrace(), "__self__", None), Lines):
            sys.settrace(None)

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        if not is_user_file(frame.f_code.co_filename):
            return None
        self._passed(lambda: user_chain()[:-1])  # Where it was called.
        return self._inside(frame.f_lineno)

    def _inside(self, line: int) -> Callable[[FrameType, str, Any], Any]:
        """Follows one call of a function, which is at `line`."""
        last = [line]

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            if event in ("line", "return"):
                before = last[0]
                self._passed(lambda: _at(user_chain(), before))
                last[0] = frame.f_lineno
            return trace

        return trace


def _at(chain: Chain, line: int) -> Chain:
    """The same frames, the innermost at another line of its function."""
    if not chain or chain[-1].site.line == line:
        return chain
    innermost = chain[-1]
    return (*chain[:-1], innermost._replace(site=Site(innermost.site.path, line, 0, line)))
