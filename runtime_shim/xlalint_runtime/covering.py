"""Which lines ran, of those that the run was asked about; in no other function is anything followed."""

from __future__ import annotations

import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any

Lines = Mapping[str, tuple[tuple[int, int], ...]]
"""By absolute path, the first and last lines of the statements that are asked about."""


class Covering:
    """Watches in all threads until every statement has been reached."""

    def __init__(self, asked: Lines) -> None:
        self._waiting = {path: {(first, last) for first, last in spans} for path, spans in asked.items()}
        self._spans: dict[CodeType, bool] = {}
        self.asked = {path: tuple(sorted({first for first, _ in spans})) for path, spans in asked.items()}
        self._reached: defaultdict[str, set[int]] = defaultdict(set)
        self.seconds = 0.0
        """How long it took so far, in all threads together."""
        self.is_possible = sys.gettrace() is None
        """Whether nobody else follows lines, such as a debugger."""

    def begin(self) -> None:
        """Watch what is called from now on."""
        if self.is_possible and self._waiting:
            threading.settrace(self._called)
            sys.settrace(self._called)

    def end(self) -> None:
        """Watch no longer."""
        threading.settrace(None)
        if sys.gettrace() == self._called:
            sys.settrace(None)

    @property
    def reached(self) -> dict[str, tuple[int, ...]]:
        """By path, the first lines of the statements that have run."""
        return {path: tuple(sorted(lines)) for path, lines in tuple(self._reached.items())}

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in self._waiting:
            return None
        began = time.perf_counter()
        inside = self._holds(code)
        self.seconds += time.perf_counter() - began
        return self._line if inside else None

    def _holds(self, code: CodeType) -> bool:
        if code not in self._spans:
            lines = {line for _, _, line in code.co_lines() if line is not None}
            spans = tuple(self._waiting.get(code.co_filename, ()))
            self._spans[code] = any(not lines.isdisjoint(range(a, b + 1)) for a, b in spans)
        return self._spans[code]

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        if event != "line":
            return self._line
        began = time.perf_counter()
        path, line = frame.f_code.co_filename, frame.f_lineno
        waiting = self._waiting.get(path, set())
        for span in [span for span in tuple(waiting) if span[0] <= line <= span[1]]:
            self._reached[path].add(span[0])
            waiting.discard(span)
        if not waiting:
            self._waiting.pop(path, None)
            if not self._waiting:
                self.end()
        self.seconds += time.perf_counter() - began
        return self._line
