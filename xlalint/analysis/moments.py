"""At which moment an activation sees the names of a module that binds some of them anew."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.frame import Frame
from xlalint.analysis.payloads import Moment
from xlalint.lazy.values import Kind, Value
from xlalint.program.outline import Outline
from xlalint.program.rebinding import rebinding

MOMENT: Final = "<module>"
"""Under this name, which no program can have, an activation has captured the moment at which it runs."""


def frame_at(outline: Outline, node: ast.AST) -> Frame:
    """An activation in which an expression of a module is evaluated, for its value only, when it runs."""
    frame = Frame(outline, None, 0)
    enter_moment(frame, rebinding(outline).around(node))
    return frame


def enter_moment(frame: Frame, passed: int | None) -> None:
    """Say when a frame runs what comes next: so many of the statements that bind names anew have run."""
    if passed is not None:
        frame.captured[MOMENT] = Value(Kind.HOST, payload=Moment(passed))


def moment_of(frame: Frame) -> Moment | None:
    """The moment at which an activation runs; None where that is not known, or makes no difference."""
    held = frame.captured.get(MOMENT)
    return held.payload if held is not None and isinstance(held.payload, Moment) else None
