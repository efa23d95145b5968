"""The state of the lazy engine at one moment of the user's program."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypeVar

from xlalint.lazy.site import Path, Site
from xlalint.lazy.values import NOTHING, Recorded, Weight


class ScopeKind(Enum):
    """A region of the program that the engine, or one of our rules, treats as a whole."""

    STEP = "torch_xla.step()"
    COMPILE = "torch_xla.compile"
    FULL_GRAPH = "torch_xla.compile(full_graph=True)"
    TRACE = "xp.Trace"
    STEP_TRACE = "xp.StepTrace"
    OPTIMIZER = "optimizer step"

    __hash__ = object.__hash__

    @property
    def is_step(self) -> bool:
        """Whether a cut is made at its entry and exit, and none is wanted between."""
        return self in _STEP_SCOPES


_T = TypeVar("_T")

_STEP_SCOPES = frozenset({ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH})


class Scope(NamedTuple):
    """An open scope. `depth` counts, inside a summary, the caller's scope it stands for."""

    kind: ScopeKind
    site: Site
    depth: int = -1

    @property
    def inherited(self) -> bool:
        """Whether a caller of the present function opened it."""
        return self.depth >= 0


class Split(NamedTuple):
    """The replicas are not all here: those for which `test` came out as `polarity` are."""

    site: Site
    polarity: bool
    certain: bool = True
    master: bool = True
    depth: int = -1

    @property
    def inherited(self) -> bool:
        """Whether a caller of the present function made the test."""
        return self.depth >= 0


class Gradient(Enum):
    """How far the gradients of the current step have come."""

    NONE = "none"
    LOCAL = "local"
    REDUCED = "reduced"
    USED = "used"

    __hash__ = object.__hash__


class Owed(Enum):
    """What an obligation waits for (interpreter.md, Obligations)."""

    READ = "host read that a later cut will run again"
    EXIT = "exit from a loop that left work recorded"
    SPLIT_STEP = "cut between backward and the optimizer step"
    CLIP = "gradients clipped before they were reduced"
    CLOSURE = "step closure that no cut has run"
    COLLECTIVE = "collective that other replicas have not reached"
    LONE_CUT = "cut that only some replicas made"

    __hash__ = object.__hash__


class Obligation(NamedTuple):
    """Something one event opened and a later one settles.

    `path` leads to the opening event; it is empty when a caller's obligation is meant, which the
    caller puts in its place when it replays the summary. `detail` is what the rule's message and
    the settling need: the read's spelling, the way a loop was left, the collective's name and tag.
    """

    owed: Owed
    path: Path
    doubts: int = 0
    in_loop: bool = False
    detail: str = ""
    split: Split | None = None
    since: tuple[Site, ...] = ()
    """Where the work had been recorded that the opening event was about."""

    @property
    def inherited(self) -> bool:
        """Whether a caller's obligation is meant."""
        return not self.path


class Deed(NamedTuple):
    """Something that happened since the innermost loop was entered; see `LoopLeft`.

    `nested` says that it happened in a loop inside that loop.
    """

    what: str
    site: Site | None = None
    nested: bool = False


class State:
    """What the lazy engine holds, as exactly as the observer knows it.

    `launched`, `wrapped`, `spmd` and `eager` are True, False or None for "not known".
    """

    def __init__(self) -> None:
        self.recorded: Recorded = NOTHING
        """Work recorded on the device and not yet run."""
        self.since: tuple[Site, ...] = ()
        """Where that work was recorded: at most three places."""
        self.parameters: Recorded = NOTHING
        """Work recorded on parameters: what a state dict or a module takes along."""
        self.parameters_reduced: bool = False
        """What is recorded on parameters surely depends on a collective."""
        self.scopes: tuple[Scope, ...] = ()
        self.splits: tuple[Split, ...] = ()
        self.gradients: frozenset[Gradient] = frozenset({Gradient.NONE})
        self.launched: bool | None = None
        self.wrapped: bool | None = None
        self.spmd: bool | None = None
        self.eager: bool | None = False
        self.obligations: frozenset[Obligation] = frozenset()
        self.opaque: bool = False
        """An unknown callee got the model, optimizer, loader or trainer since the last cut."""
        self.in_closure: bool = False
        self.in_forward: bool = False
        """A module's `forward` is running."""
        self.in_loop: bool = False
        self.skip_cut: bool = False
        """A `StepTrace` has just marked: the loader's next cut is left out."""
        self.done: frozenset[Deed] = frozenset()
        self.collectives: tuple[tuple[str, Path], ...] = ()
        """Collectives reached since the innermost split, by operation and tag."""
        self.bounded: bool = False
        """A bound of the analyzer was reached on the way here, or a guess was made."""

    def copy(self) -> State:
        """An independent state that holds the same."""
        other = State.__new__(State)
        other.__dict__.update(self.__dict__)
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def key(self) -> tuple[object, ...]:
        """All that the state holds, to look a summary up by."""
        return tuple(self.__dict__.values())

    __hash__ = None  # type: ignore[assignment]

    def scope(self, *kinds: ScopeKind) -> Scope | None:
        """The outermost open scope of one of `kinds`, or None."""
        for scope in self.scopes:
            if scope.kind in kinds:
                return scope
        return None

    @property
    def step(self) -> Scope | None:
        """The outermost open step scope (step, compile), or None."""
        return self.scope(ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH)

    @property
    def profiler(self) -> Scope | None:
        """The outermost open profiler scope, or None."""
        return self.scope(ScopeKind.TRACE, ScopeKind.STEP_TRACE)

    @property
    def split(self) -> Split | None:
        """The outermost replica split, or None when all replicas are here."""
        return self.splits[0] if self.splits else None

    @property
    def pending(self) -> bool:
        """Whether heavy work is surely recorded."""
        return self.recorded.must is Weight.HEAVY

    def did(self, *what: str) -> bool:
        """Whether one of these deeds was done since the innermost loop was entered."""
        return any(deed.what in what for deed in self.done)

    def owes(self, owed: Owed) -> list[Obligation]:
        """The open obligations of one sort, in a stable order."""
        return sorted((o for o in self.obligations if o.owed is owed), key=_order)


def _order(obligation: Obligation) -> tuple[object, ...]:
    """All that tells obligations of one sort apart, or sets would be told in the order of hashes."""
    return (*obligation[1:5], obligation.split or (), obligation.since)


def join(a: State, b: State) -> State:
    """The state that stands for "either `a` or `b`" (interpreter.md, Join)."""
    if a == b:
        return a
    joined = a.copy()
    joined.recorded = a.recorded.join(b.recorded)
    joined.since = tuple(sorted({*a.since, *b.since})[:3])
    joined.parameters = a.parameters.join(b.parameters)
    joined.parameters_reduced = a.parameters_reduced and b.parameters_reduced
    joined.scopes = _common_prefix(a.scopes, b.scopes)
    joined.splits = _common_prefix(a.splits, b.splits)
    joined.gradients = a.gradients | b.gradients
    joined.launched = a.launched if a.launched == b.launched else None
    joined.wrapped = a.wrapped if a.wrapped == b.wrapped else None
    joined.spmd = a.spmd if a.spmd == b.spmd else None
    joined.eager = a.eager if a.eager == b.eager else None
    joined.obligations = a.obligations | b.obligations
    joined.opaque = a.opaque or b.opaque
    joined.in_closure = a.in_closure and b.in_closure
    joined.in_forward = a.in_forward and b.in_forward
    joined.in_loop = a.in_loop or b.in_loop
    joined.skip_cut = a.skip_cut or b.skip_cut
    joined.done = a.done | b.done
    joined.collectives = a.collectives if len(a.collectives) >= len(b.collectives) else b.collectives
    joined.bounded = a.bounded or b.bounded
    return joined


def _common_prefix(a: tuple[_T, ...], b: tuple[_T, ...]) -> tuple[_T, ...]:
    if a == b:
        return a
    length = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        length += 1
    return a[:length]
