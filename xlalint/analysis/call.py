"""One call while it is interpreted: who is called, with what, from where."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from xlalint.analysis.frame import Frame, NumberRead
from xlalint.analysis.payloads import COUNTER, Constant, counts, taken_from
from xlalint.analysis.separate_reads import reads_along, reads_of_each, runs_rows
from xlalint.analysis.store import Store
from xlalint.analysis.work import read, record
from xlalint.lazy.assumptions import PART
from xlalint.lazy.events import Reading
from xlalint.lazy.site import Site
from xlalint.lazy.values import Kind, Value, Weight
from xlalint.spelling import THE_FRAMEWORK, spelling


class Call:
    """A call with its evaluated arguments."""

    __slots__ = ("arguments", "frame", "keywords", "node", "open_ended", "site", "spread", "store")

    def __init__(
        self, frame: Frame, store: Store, site: Site, node: ast.Call | None,
        arguments: list[Value] | None = None, keywords: dict[str, Value] | None = None, *,
        open_ended: bool = False, spread: list[Value] | None = None,
    ) -> None:  # fmt: skip
        """
        Args:
            node: What stands in the program; None where a library calls back.
            open_ended: Whether `*args` or `**kwargs` of unknown length were passed.
            spread: What these hold, each.
        """
        self.frame = frame
        self.store = store
        self.site = site
        self.node = node
        self.arguments: list[Value] = [] if arguments is None else arguments
        self.keywords: dict[str, Value] = {} if keywords is None else keywords
        self.open_ended = open_ended
        self.spread: list[Value] = [] if spread is None else spread

    def with_store(self, store: Store) -> Call:
        """The same call where other things are known."""
        return Call(
            self.frame, store, self.site, self.node, self.arguments, self.keywords,
            open_ended=self.open_ended, spread=self.spread,
        )  # fmt: skip

    def argument(self, position: int, keyword: str = "") -> Value | None:
        """The argument passed at `position` or as `keyword`; None when there is none."""
        if keyword and keyword in self.keywords:
            return self.keywords[keyword]
        if 0 <= position < len(self.arguments):
            return self.arguments[position]
        return None

    def written(self, keyword: str, position: int = -1) -> ast.expr | None:
        """What stands in the program for an argument; None where it is not given."""
        if not isinstance(self.node, ast.Call):
            return None
        if 0 <= position < len(self.node.args):
            return self.node.args[position]
        return next((given.value for given in self.node.keywords if given.arg == keyword), None)

    @property
    def values(self) -> list[Value]:
        """All arguments."""
        return [*self.arguments, *self.keywords.values(), *self.spread]

    def flag(self, keyword: str, default: bool, position: int = -1) -> bool | None:
        """The truth of an argument; None when it is given and not known."""
        value = self.argument(position, keyword)
        if value is None:
            return default
        if isinstance(value.payload, Constant):
            return bool(value.payload.value)
        return None

    def record(self, inputs: Iterable[Value], base: Weight) -> Value:
        """The call records device work on `inputs`, at least of weight `base`; returns its result."""
        return record(inputs, base, self.site, self.frame, self.store)

    def read(self, value: Value, reading: Reading, *, one_of_many: bool = False) -> Value:
        """The call reads a value on the host; returns what comes of it."""
        return read(value, reading, self, self.site, self.frame, self.store, one_of_many=one_of_many)

    def read_number(self, value: Value, reading: Reading) -> Value:
        """The same of a single number: in a loop it is another one in each round."""
        number = self.read(value, reading, one_of_many=reading is not Reading.INDEX)
        in_loop = self.store.state.scopes.in_loop
        is_read = value.kind is Kind.TENSOR and value.known
        varies = in_loop and is_read
        if reading is not Reading.INDEX:
            if is_read:
                along = reads_along(self.node, self.frame) or reads_of_each(self.node, self.frame)
                self._note_rows(value)
                self.frame.reads.append(NumberRead(self.site, value, self.spelling, along=along))
            # A part of a batch, be that a tensor or a number, is another one in each batch.
            varies = varies or (in_loop and (taken_from(value) is not None or value.assumes >= PART))
        return COUNTER._replace(differs=number.differs) if varies or counts(value) else number

    def read_row(self, value: Value) -> Value:
        """The same of what may be a row of a tensor of which the others are read by themselves, too."""
        read = self.read(value, Reading.EXPLICIT, one_of_many=True)
        along = reads_along(self.node, self.frame)
        if (along or self.frame.in_elements) and value.known and self.store.state.scopes.in_loop:
            self.frame.reads.append(NumberRead(self.site, value, self.spelling, along=along, row=True))
        self._note_rows(value)
        return read

    def _note_rows(self, value: Value) -> None:
        if value.recorded.must is Weight.HEAVY and runs_rows(self.node, self.frame, self.store):
            self.frame.of_rows.append(self.site)

    @property
    def function(self) -> ast.expr | None:
        """What the program calls, as it stands there."""
        return self.node.func if self.node is not None else None

    @property
    def spelling(self) -> str:
        """The call as the program wrote it, shortened."""
        if self.frame.outline.is_framework:
            return THE_FRAMEWORK
        return spelling(self.node) if self.node is not None else "a call"
