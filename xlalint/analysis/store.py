"""What the interpreter holds at one point of a function: names, attributes, the engine's state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from xlalint.analysis.payloads import (
    Bound,
    Container,
    Module,
    Optimizer,
    Partial,
    Scoped,
    Target,
    Targets,
    freed,
    kept,
    run,
)
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import State
from xlalint.lazy.state import join as join_states
from xlalint.lazy.values import NOTHING, Place, Value
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Class, Outline

AttributeKey = tuple[Class | Outline, str]
"""Under which name the objects of a class hold something, or a module or one of its classes stands for it."""


class Move(NamedTuple):
    """Where a module moved, and what must be so for that to be an XLA device.

    Args:
        to: Where it lives now.
        left: Where it left the device, if it did.
        unseen: What must be so for it to have come from elsewhere, of a module that nobody saw made; of
            others that is known.
    """

    path: Path
    assumes: Assumptions = assumptions.NONE
    to: Place = Place.XLA
    left: Path = ()
    unseen: Assumptions = assumptions.NONE

    def called_at(self, site: Site) -> Move:
        """The same as seen from a caller."""
        return self._replace(path=(site, *self.path), left=(site, *self.left) if self.left else ())


class Store:
    """Names and attributes with their values, and the state of the lazy engine."""

    __slots__ = ("attributes", "moved", "names", "state")

    def __init__(
        self,
        state: State,
        names: dict[str, Value] | None = None,
        attributes: dict[AttributeKey, Value] | None = None,
        moved: dict[Path, Move] | None = None,
    ) -> None:
        """
        Args:
            names: Names with their values.
            attributes: Attributes that the present activation, or one it called, assigned.
            moved: Modules that moved to the device in place; told to the caller.
        """
        self.names = {} if names is None else names
        self.attributes = {} if attributes is None else attributes
        self.state = state
        self.moved = {} if moved is None else moved

    def copy(self) -> Store:
        """An independent store that holds the same."""
        return Store(self.state.copy(), self.names.copy(), self.attributes.copy(), self.moved.copy())

    def take(self, other: Store) -> None:
        """Hold from now on what `other` holds."""
        self.names, self.attributes = other.names, other.attributes
        self.state, self.moved = other.state, other.moved

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Store):
            return NotImplemented
        return (
            self.names == other.names
            and self.attributes == other.attributes
            and self.state == other.state
            and self.moved == other.moved
        )

    __hash__ = None  # type: ignore[assignment]

    def run_all(self) -> None:
        """A cut: nothing that any value holds is recorded any more."""
        for held in (self.names, self.attributes):
            for key, value in held.items():
                if value.recorded is NOTHING and value.reduced is False and value.payload is None:
                    continue  # as mostly, which is seen without a call
                after = run(value)
                if after is not value:
                    held[key] = after  # type: ignore[index]

    def maybe_run_all(self) -> None:
        """A cut that perhaps happened: nothing is surely recorded any more."""
        for held in (self.names, self.attributes):
            for key, value in held.items():
                if value.recorded.must:
                    # What a cut has perhaps run waits for the other replicas perhaps: too little to tell.
                    held[key] = join_values(value, run(value))._replace(reduced=False)  # type: ignore[index]

    def free_history(self) -> None:
        """Gradients were computed: what autograd had kept for them is gone, whoever holds the results."""
        for held in (self.names, self.attributes):
            for key, value in held.items():
                after = freed(value)
                if after is not value:
                    held[key] = after  # type: ignore[index]

    def keep_grown(self) -> None:
        """A model's worth of work was run by a read, for what grows as for all else."""
        for held in (self.names, self.attributes):
            for key, value in held.items():
                after = kept(value)
                if after is not value:
                    held[key] = after  # type: ignore[index]

    def as_moved(self, value: Value) -> Value:
        """A module that a name of the program's stands for, where it is by now."""
        for identity, move in self.moved.items():
            value = _after_move(value, identity, move)
        return value

    def move_module(
        self, identity: Path, move: Move, *, others: Iterable[tuple[AttributeKey, Value]] = ()
    ) -> list[AttributeKey]:
        """The module made at one of `identity` moves to the device or off it, whoever names it.

        Args:
            others: Attributes, with their values, that nobody has assigned here. Those that move with it are
                assigned by this, and returned.
        """
        before = self.moved.get(identity)
        self.moved[identity] = move if move.left or before is None else move._replace(left=before.left)
        for held in (self.names, self.attributes):
            for key, value in held.items():
                after = _after_move(value, identity, move)
                if after is not value:
                    held[key] = after  # type: ignore[index]
        assigned = []
        for other, value in others:
            after = _after_move(value, identity, move)
            if after is not value and other not in self.attributes:
                self.attributes[other] = after
                assigned.append(other)
        return assigned


def _after_move(value: Value, identity: Path, move: Move) -> Value:
    held = value.payload
    if isinstance(held, Module) and held.place is not move.to:
        if held.identity == identity:
            assumes = both(value.assumes, move.assumes)
            return value._replace(assumes=assumes, payload=held._replace(place=move.to))
        if not set(held.identity).isdisjoint(identity):
            # It may be the one that moves.
            return value._replace(payload=held._replace(place=Place.UNKNOWN))
    if isinstance(held, Targets):
        return value._replace(payload=Targets(tuple(_target_after(t, identity, move) for t in held.of)))
    if isinstance(held, Optimizer) and held.over == identity and not held.stale:
        stale = move.left if held.place is Place.XLA else ()
        unseen = move.unseen if held.place is Place.UNKNOWN else assumptions.NONE
        if move.to is Place.XLA and (held.place is Place.HOST or unseen):
            stale = move.path
        if stale:
            assumes = both(both(value.assumes, move.assumes), unseen)
            return value._replace(assumes=assumes, payload=held._replace(stale=stale))
    if isinstance(held, Container):
        after = held.map(lambda each: _after_move(each, identity, move))
        return value if after == held else value._replace(payload=after)
    return value


def _target_after(target: Target, identity: Path, move: Move) -> Target:
    """What was made of a module, or holds it, moves with it."""
    if isinstance(target, Scoped):
        return target._replace(target=_after_move(target.target, identity, move))
    if isinstance(target, Bound) and target.captured:
        captured = tuple((name, _after_move(held, identity, move)) for name, held in target.captured)
        return target if captured == target.captured else target._replace(captured=captured)
    if isinstance(target, Partial):
        arguments = tuple(_after_move(held, identity, move) for held in target.arguments)
        keywords = tuple((name, _after_move(held, identity, move)) for name, held in target.keywords)
        return Partial(_after_move(target.target, identity, move), arguments, keywords)
    return target


def join(a: Store | None, b: Store | None) -> Store | None:
    """The store that stands for "either `a` or `b`"; None is "never gets here"."""
    if a is None or a is b:
        return b
    if b is None:
        return a
    return Store(
        join_states(a.state, b.state),
        _join(a.names, b.names),
        _join(a.attributes, b.attributes),
        {**a.moved, **b.moved},
    )


def merge_into(store: Store, other: Store) -> None:
    """Make `store` stand for "either `store` or `other`"."""
    joined = join(store, other)
    assert joined is not None
    store.take(joined)


_Key = TypeVar("_Key")


def _join(a: dict[_Key, Value], b: dict[_Key, Value]) -> dict[_Key, Value]:
    if a == b:
        return a.copy()
    joined = a.copy()
    for key, value in b.items():
        mine = joined.get(key)
        if mine is None:
            joined[key] = value
        elif mine is not value:
            joined[key] = join_values(mine, value)
    return joined
