"""Values, states and what else summaries are made of, as rows of JSON; and back.

A row is a type, by its number, and the rows of its parts; each part comes before what it is part of, and
what is equal is one row. Functions, classes and modules are told by their keys. What has no row of its own
below cannot be packed, and what is made of it is not kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from types import NoneType
from typing import Any, Final

from xlalint.analysis.frame import Carried, Yielded
from xlalint.analysis.payloads import (
    Batch,
    Bound,
    Buffer,
    Chance,
    Classes,
    Clock,
    Collator,
    Compiled,
    Constant,
    Container,
    Copied,
    Counter,
    Device,
    Dynamo,
    Fallback,
    Fields,
    Instance,
    Iterated,
    Known,
    Loader,
    Managed,
    Method,
    Module,
    Moment,
    Namespace,
    OfAllHosts,
    OfHost,
    OfNumpy,
    OnHost,
    OpenFile,
    Opening,
    Opens,
    Optimizer,
    Options,
    Parameters,
    Partial,
    Plateau,
    RankTest,
    Rows,
    Scaler,
    Scoped,
    Shared,
    StateDict,
    Switch,
    Targets,
    Tie,
    Uneven,
)
from xlalint.analysis.reuse.trail import Numbered
from xlalint.analysis.store import Move, Store
from xlalint.judging import Caller, Occurrence
from xlalint.lazy import events
from xlalint.lazy.cuts import Cause, LastCut, Marker
from xlalint.lazy.gradients import Gradient, Gradients
from xlalint.lazy.obligations import Fact, Obligation, Owed
from xlalint.lazy.scopes import Between, Replicas, Scope, ScopeKind, Scopes, Split
from xlalint.lazy.sharding import Marked, Mesh, Misuse, Setup
from xlalint.lazy.site import Site
from xlalint.lazy.state import (
    Activity,
    Engine,
    Fetch,
    Loop,
    Raised,
    State,
    Training,
    Trust,
    View,
)
from xlalint.lazy.values import (
    Form,
    Kind,
    Padded,
    Place,
    Ragged,
    Recorded,
    Recursion,
    Role,
    Tensor,
    Value,
    Weight,
    Whole,
)
from xlalint.program.outline import Class, Function, Outline
from xlalint.program.project import Project

Row = list[Any]
"""The number of a type, then the rows of the parts; or what JSON can say of a constant."""


class Unpackable(Exception):
    """Something cannot be told to another run, or is no more what it was."""


def _of_events(base: type[Any]) -> tuple[type[Any], ...]:
    """The classes of some kind that `events` defines: what comes there later is packed, too."""
    named = (getattr(events, name) for name in dir(events))
    classes = (each for each in named if isinstance(each, type) and issubclass(each, base))
    return tuple(each for each in classes if each.__module__ == events.__name__)


_CONSTANT, _NUMBER, _TUPLE, _SET, _FUNCTION, _CLASS, _MODULE, _STATE, _STORE, _GONE = range(10)

_RECORDS: Final[tuple[type[Any], ...]] = (
    Activity, Batch, Bound, Buffer, Caller, Carried, Chance, Classes, Clock, Collator, Compiled, Constant,
    Container, Copied, Counter, Device, Dynamo, Engine, Fact, Fallback, Fetch, Fields, Gradients,
    Instance, Iterated, Known, LastCut, Loader, Loop, Managed, Marked, Marker, Mesh, Method, Module,
    Moment, Move, Namespace, Obligation, Occurrence, OfAllHosts, OfHost, OfNumpy, OnHost, OpenFile,
    Opening, Optimizer, Options, Padded, Parameters, Partial, Plateau, Ragged, Raised, RankTest, Recorded,
    Recursion, Replicas, Rows, Scaler, Scope, Scoped, Scopes, Setup, Shared, Site, Split, StateDict,
    Switch, Targets, Tensor, Tie, Training, Trust, Uneven, Value, View, Whole, Yielded, events.Change,
)  # fmt: skip
_CHOICES: Final[tuple[type[Enum], ...]] = (
    Between, Cause, Gradient, Kind, Misuse, Opens, Owed, Place, Role, ScopeKind, Weight, Form,
    *_of_events(Enum),
)  # fmt: skip
_EVENTS: Final = _of_events(events.Event)

_FIRST: Final = _GONE + 1
_TYPES: Final[tuple[type[Any], ...]] = (*_RECORDS, *_CHOICES, *_EVENTS)
PACKED: Final = frozenset({*_TYPES, Function, Class, Outline, State, Store})
"""What rows are made of, beside what Python brings."""
_NUMBERS: Final = {each: _FIRST + number for number, each in enumerate(_TYPES)}
_FIELDS: Final = {each: tuple(field.name for field in fields(each)) for each in _EVENTS}
_IS_RECORD: Final = frozenset(_RECORDS)
_IS_CHOICE: Final = frozenset(_CHOICES)
_EXACT: Final = frozenset({
    Activity, Engine, Fact, Fetch, Gradients, Instance, LastCut, Loop, Marker, Mesh, NoneType, Obligation,
    Raised, Recorded, Replicas, Scope, Scopes, Site, Split, Tensor, Training, Trust, View,
})  # fmt: skip
"""Of these, what is equal is the same. Elsewhere there may be constants, of which 1 and True are equal."""
_MEMBERS: Final = {each: {member.name: member for member in each} for each in _CHOICES}


_PARTS_OF_STATE: Final = (
    "engine", "scopes", "replicas", "gradients", "loop", "trust", "obligations", "collectives", "setup",
    "facts",
)  # fmt: skip
"""In the order in which a state is made of them."""


class Packer:
    """Turns things into rows."""

    def __init__(self, rows: list[Row], facts: Numbered[tuple[str, str, str]]) -> None:
        """Args: rows: what is packed already; facts: the bit that stands for each fact."""
        self.rows = rows
        self._facts = facts
        self._numbers: dict[tuple[Any, ...], int] = {}
        for number, row in enumerate(rows):
            # 1, 1.0 and True are equal, and no row of a constant stands for another.
            self._numbers[(row[0], row[1], row[1].__class__) if row[0] == _CONSTANT else tuple(row)] = number
        self._met: dict[int, int] = {}
        self._held: list[object] = []
        """What was met, lest something else is found where it was."""
        self._about: dict[int, int] = {}
        self._alike: dict[type, dict[Any, int]] = {kind: {} for kind in (*_EXACT, Value)}

    def about(self, row: int) -> int:
        """The facts that say what the functions and classes are that something speaks of."""
        known = self._about.get(row)
        if known is None:
            kind, *parts = self.rows[row]
            known = 0
            if kind in (_FUNCTION, _CLASS):
                file, key = [self.rows[part][1] for part in parts]
                known = self._facts.bit(("text" if kind == _FUNCTION else "class", file, key))
            elif kind not in (_CONSTANT, _NUMBER):
                for part in parts:
                    known |= self.about(part)
            self._about[row] = known
        return known

    def pack(self, held: object) -> int:
        """The row that stands for something.

        Raises:
            Unpackable: there is none.
        """
        known = self._met.get(id(held))
        if known is not None:
            return known
        kind = held.__class__
        alike = self._alike.get(kind)
        if kind is Value and held.payload.__class__ not in _EXACT:  # type: ignore[attr-defined]
            alike = None
        number = alike.get(held) if alike is not None else None
        if number is None:
            number = self._number(held, kind)
            if alike is not None:
                alike[held] = number
        self._met[id(held)] = number
        self._held.append(held)
        return number

    def _number(self, held: Any, kind: type) -> int:
        if held is None or kind is str or kind is int or kind is bool:
            return self._row((_CONSTANT, held, kind), [_CONSTANT, held])
        pack, met = self.pack, self._met
        row: list[Any]
        if kind is tuple or kind in _IS_RECORD:
            row = [_TUPLE if kind is tuple else _NUMBERS[kind]]
            for part in held:
                known = met.get(id(part))
                row.append(pack(part) if known is None else known)
        elif kind in _IS_CHOICE:
            row = [_NUMBERS[kind], pack(held.name)]
        elif kind is frozenset:
            row = [_SET, *sorted(map(pack, held))]
        elif kind in _FIELDS:
            row = [_NUMBERS[kind], *(pack(getattr(held, name)) for name in _FIELDS[kind])]
        elif kind is State:
            row = [_STATE, *(pack(getattr(held, name)) for name in _PARTS_OF_STATE)]
        elif kind is Store:
            held_by = (held.names, held.attributes, held.moved)
            row = [_STORE, pack(held.state), *(pack(tuple(each.items())) for each in held_by)]
        elif kind is Function or kind is Class:
            row = [_FUNCTION if kind is Function else _CLASS, *map(pack, held.key)]
        elif kind is Outline:
            row = [_MODULE, pack(held.file)]
        elif kind is float:
            row = [_NUMBER, pack(repr(held))]
        else:
            raise Unpackable(kind.__name__)
        return self._row(tuple(row), row)

    def _row(self, told: tuple[Any, ...], row: Row) -> int:
        number = self._numbers.get(told)
        if number is None:
            number = self._numbers[told] = len(self.rows)
            self.rows.append(row)
        return number


class Unpacker:
    """Turns rows back into what they stand for."""

    def __init__(self, rows: list[Row], project: Project) -> None:
        """Args: project: knows the functions, classes and modules that rows speak of."""
        self._rows = rows
        self._project = project
        self._known: dict[int, Any] = {}

    def unpack(self, row: int) -> Any:
        """What a row stands for.

        Raises:
            Unpackable: it speaks of something that the program does not define any more.
        """
        known = self._known.get(row, self)
        if known is self:
            known = self._known[row] = self._made(*self._rows[row])
        return known

    def _made(self, kind: int, *parts: Any) -> Any:
        if kind == _CONSTANT:
            return parts[0]
        if kind == _GONE:
            raise Unpackable("a line that is gone")
        held = list(map(self.unpack, parts))
        if kind >= _FIRST:
            made = _TYPES[kind - _FIRST]
            return _MEMBERS[made][held[0]] if made in _IS_CHOICE else made(*held)
        if kind == _TUPLE:
            return tuple(held)
        if kind == _SET:
            return frozenset(held)
        if kind == _STATE:
            return State(*held)
        if kind == _STORE:
            store = Store(held[0])
            store.names, store.attributes, store.moved = [dict(part) for part in held[1:]]
            return store
        if kind == _NUMBER:
            return float(held[0])
        return self._defined(kind, *held)

    def _defined(self, kind: int, file: str, key: str = "") -> Function | Class | Outline:
        outline = self._project.outline(self._project.path(file))
        if outline is not None and kind == _MODULE:
            return outline
        defined = outline.definition(key) if outline is not None else None
        if not isinstance(defined, Function if kind == _FUNCTION else Class):
            raise Unpackable(key or file)
        return defined


def move_lines(rows: list[Row], file: str, section: str, where: Callable[[int], int | None]) -> None:
    """Have all places in a section stand where its lines are now.

    Args:
        where: The line of the section that another is now; None if it is gone.
    """
    lines: dict[int, int] = {}
    for number, row in enumerate(rows):
        if row[0] == _NUMBERS[Site] and rows[row[1]][1] == file and rows[row[-1]][1] == section:
            for at in (_LINE, _END_LINE):
                line = where(rows[row[at]][1])
                if line is None:
                    rows[number] = [_GONE]
                    break
                if line not in lines:
                    lines[line] = len(rows)
                    rows.append([_CONSTANT, line])
                row = rows[number] = [*row[:at], lines[line], *row[at + 1 :]]


_LINE, _END_LINE = [1 + Site._fields.index(name) for name in ("line", "end_line")]
