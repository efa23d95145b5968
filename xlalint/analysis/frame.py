"""One activation of a function while it is interpreted, and what it leaves behind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from xlalint.analysis.reuse.trail import Trail
from xlalint.analysis.store import Store
from xlalint.judging import Occurrence
from xlalint.lazy import events
from xlalint.lazy.assumptions import Assumptions
from xlalint.lazy.events import Event, ShapeVaries
from xlalint.lazy.model import LazyModel
from xlalint.lazy.obligations import Fact
from xlalint.lazy.scopes import Between
from xlalint.lazy.site import Site
from xlalint.lazy.state import NOTHING_DONE, State, View
from xlalint.lazy.values import NOTHING, Value
from xlalint.program.outline import Function, Outline


class Exits:
    """The stores with which control leaves the construct being interpreted."""

    __slots__ = ("breaks", "continues", "raises", "returns")

    def __init__(self) -> None:
        self.breaks: list[tuple[Store, Site]] = []
        self.continues: list[Store] = []
        self.returns: list[tuple[Store, Value, Site]] = []
        self.raises: list[tuple[Store, Site]] = []

    def count(self) -> tuple[int, int]:
        """How often it went on to the next round, and returned."""
        return len(self.continues), len(self.returns)

    def copy(self) -> Exits:
        """The same ways out, with stores of their own."""
        copied = Exits()
        copied.breaks += [(store.copy(), site) for store, site in self.breaks]
        copied.continues += [store.copy() for store in self.continues]
        copied.returns += [(store.copy(), value, site) for store, value, site in self.returns]
        copied.raises += [(store.copy(), site) for store, site in self.raises]
        return copied


class Settled(NamedTuple):
    """A loop at its fixpoint: what every iteration starts from, what it leaves, how the loop is left."""

    head: Store
    back: Store | None
    exits: Exits

    def copy(self) -> Settled:
        """The same with stores of its own."""
        return Settled(
            self.head.copy(), self.back.copy() if self.back is not None else None, self.exits.copy()
        )


class Yielded(NamedTuple):
    """What a generator gives away at one place, whether its loop cut the graph before, and what the
    loop goes over."""

    value: Value
    site: Site
    after_cut: bool
    over: Value | None


class Carried(NamedTuple):
    """A derived event whose obligation is a caller's: it happened once the caller fills it in."""

    event: Event
    view: View
    facts: frozenset[Fact] = frozenset()
    """How tests of the function came out where it happened."""


class NumberRead(NamedTuple):
    """One number, or as many as a container has with `each`, was read from the device at `site`.

    `again` says that they are parts of one result, which is computed for each of them, `along` that the
    rounds of a loop read the others. A `row` holds several numbers: only of one tensor they count.
    """

    site: Site
    value: Value
    spelling: str
    number: int = 1
    each: bool = False
    again: bool = False
    along: bool = False
    row: bool = False


class Uncut(NamedTuple):
    """What holds after a test in the rounds in which it does not hold, and so nothing cuts the graph.

    Args:
        known: How the test comes out there.
        assumes: What must be so for there to be such rounds.
        left: How often the function had gone on to the next round, and returned, before.
    """

    store: Store
    known: frozenset[Fact]
    assumes: Assumptions
    left: tuple[int, int]


class SomethingHappened(Exception):
    """Something happened in a trial, which ends here: what else would happen is for nobody to know."""

    def __init__(self, trial: Trail) -> None:
        super().__init__()
        self.trial = trial


class Frame:
    """One activation. What happens gathers here, as this function sees it."""

    __slots__ = (
        "acted", "assumed_uncut", "at_once", "attributes", "between", "captured", "carried",
        "closure_argument", "default_device", "depth", "discarded", "exits", "found", "function",
        "goes_along", "in_elements", "kept", "left_uncut", "loops", "may_be_in_batches", "met_uncut",
        "muted", "occurrences", "of_rows", "once", "only", "outline", "over", "quiet", "reads", "resume",
        "shallow", "surrounds", "trial", "uncut", "yields",
    )  # fmt: skip

    def __init__(
        self, outline: Outline, function: Function | None, depth: int, *,
        kept: frozenset[type[Event]] | None = None,
    ) -> None:  # fmt: skip
        """Args: kept: the kinds of events that somebody judges; None where only a value is wanted."""
        self.outline = outline
        self.function = function
        self.depth = depth
        self.kept = kept or frozenset()
        self.quiet = kept is None
        """Whether only a value is wanted: nobody watches."""
        self.captured: dict[str, Value] = {}
        self.found = NOTHING
        """What was recorded when it was entered."""
        self.exits = Exits()
        self.occurrences: list[Occurrence] = []
        self.carried: list[Carried] = []
        self.loops: dict[ast.AST, list[tuple[Store, object, Settled]]] = {}
        """Of loops inside loops: what they were entered with, what else they saw, what came of it."""
        self.attributes = 0
        """How many attributes objects held when it was entered."""
        self.acted = False
        """Whether it has done something that outlives it, other than what is told."""
        self.trial: Trail | None = None
        """What a trial leaves behind that ends when something happens here: it asks whether anything does."""
        self.muted = False
        """Whether what happens is not told: a test waits for the error."""
        self.default_device: Value | None = None
        """The device on which a `with` has tensors made, unless a factory is told another."""
        self.shallow = False
        """Whether functions of the project are not entered from here."""
        self.only: frozenset[ast.stmt] | None = None
        """Which statements are run, be it of a function that is called from no other; None for all."""
        self.once = False
        """Whether what runs here runs in the first round alone: it sets what the test around it missed."""
        self.over: Value | None = None
        """What the innermost `for` that is being run goes over."""
        self.goes_along: ast.For | ast.AsyncFor | None = None
        """That `for` itself, unless it goes over a loader."""
        self.may_be_in_batches = False
        """Whether a `for` goes over something unknown, which may be a loader."""
        self.uncut: Uncut | None = None
        """What holds after the present test in the rounds in which it cuts nothing; see `micro_batches`."""
        self.left_uncut: Uncut | None = None
        """What holds after the block that was run last, in the rounds in which a part of it cuts nothing."""
        self.assumed_uncut: Assumptions | None = None
        """What must be so for there to be the rounds that are being run, in which nothing cuts the graph."""
        self.met_uncut: list[Occurrence] = []
        """Reads in such rounds whose work a cut further below runs again."""
        self.yields: list[Yielded] = []
        self.resume: Callable[[Store], Store | None] | None = None
        """Runs what a `with` holds, where the context manager being interpreted yields."""
        self.surrounds = False
        """Whether it is a context manager, from where the body of a `with` runs: which names hold what is
        done there, is seen there."""
        self.closure_argument = False
        self.discarded: ast.expr | None = None
        """The expression whose value the present statement throws away."""
        self.at_once: ast.expr | None = None
        """The generator of which all elements are asked for, and nothing between them cuts the graph."""
        self.between: Between | None = None
        """What is done between its elements."""
        self.reads: list[NumberRead] = []
        """The numbers that the present statement has read from the device, in a loop."""
        self.of_rows: list[Site] = []
        """Where the rounds of a loop read the rows of a tensor that has not run."""
        self.in_elements = False
        """Whether what a comprehension computes for each of its elements is being evaluated."""

    @property
    def model(self) -> LazyModel:
        """The model, whose events come here. It is not kept: frame and model would keep each other."""
        return LazyModel(self.emit)

    @property
    def around(self) -> ast.AST:
        """The function that runs, or the module."""
        return self.outline.tree if self.function is None else self.function.node

    def site(self, node: ast.AST) -> Site:
        """The place of a node in this function."""
        return self.outline.site(node)

    def emit(self, event: Event, state: State) -> None:
        """Something happened."""
        if type(event) not in self.kept or self.muted or (self.once and isinstance(event, ShapeVaries)):
            if self.assumed_uncut is not None and isinstance(event, events.ReadThenCut):
                self.met_uncut.append(Occurrence(event, state.view()))
            return
        if isinstance(event, events.Settled) and event.obligation.inherited:
            self.carried.append(Carried(event, state.view(), state.facts))
        else:
            self.tell(Occurrence(event, state.view()))

    def tell(self, occurrence: Occurrence) -> None:
        """Something happened, here or in a called function."""
        self.occurrences.append(occurrence)
        if self.trial is not None:
            raise SomethingHappened(self.trial)

    def note_acts(self, store: Store, trail: Trail) -> None:
        """Note whether it has done something, as what is known now shows.

        Args:
            trail: What it leaves behind.
        """
        loop = store.state.loop
        self.acted = (
            len(store.attributes) > self.attributes
            or bool(store.moved)
            or (loop is not NOTHING_DONE and loop.did_anything)
        )
        if self.acted and self.trial is trail:
            raise SomethingHappened(trail)

    def take(self, other: Frame) -> None:
        """Take what happened in another activation that this one is to tell."""
        if not self.muted:
            self.occurrences += other.occurrences
            self.carried += other.carried
