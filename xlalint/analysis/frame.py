"""One activation of a function while it is interpreted, and what it leaves behind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from xlalint.analysis.outline import Function, Outline
from xlalint.analysis.store import Store
from xlalint.lazy.events import Event
from xlalint.lazy.model import LazyModel
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import Value
from xlalint.rule import Finding

Judge = Callable[[Event, State], "list[Finding]"]


@dataclass(slots=True)
class Exits:
    """The stores with which control leaves the construct being interpreted."""

    breaks: list[tuple[Store, Site]] = field(default_factory=list)
    continues: list[Store] = field(default_factory=list)
    returns: list[tuple[Store, Value, Site]] = field(default_factory=list)
    raises: list[tuple[Store, Site]] = field(default_factory=list)


class Yielded(NamedTuple):
    """What a generator gives away at one place, and whether its loop cut the graph before."""

    value: Value
    site: Site
    after_cut: bool


class Carried(NamedTuple):
    """A derived event whose obligation is a caller's: judged once the caller fills it in."""

    event: Event
    state: State


class Frame:
    """One activation. Findings gather here, with places relative to this function."""

    __slots__ = (
        "captured", "carried", "closure_argument", "depth", "exits", "findings", "function", "judge", "model",
        "outline", "resume", "shallow", "yields",
    )  # fmt: skip

    def __init__(self, outline: Outline, function: Function | None, judge: Judge | None, depth: int) -> None:
        """Args: judge: What turns events into findings; None where nothing is judged."""
        self.outline = outline
        self.function = function
        self.judge = judge
        self.depth = depth
        self.captured: dict[str, Value] = {}
        self.exits = Exits()
        self.findings: list[Finding] = []
        self.carried: list[Carried] = []
        self.shallow = False
        """Whether functions of the project are not entered from here."""
        self.yields: list[Yielded] = []
        self.resume: Callable[[Store], Store | None] | None = None
        """Runs what a `with` holds, where the context manager being interpreted yields."""
        self.closure_argument = False
        self.model = LazyModel(self._emit)

    def site(self, node: ast.AST) -> Site:
        """The place of a node in this function."""
        return self.outline.site(node)

    def _emit(self, event: Event, state: State) -> None:
        if self.judge is None:
            return
        obligation = getattr(event, "obligation", None)
        if obligation is not None and obligation.inherited:
            self.carried.append(Carried(event, state.copy()))
            return
        self.findings.extend(self.judge(event, state))
