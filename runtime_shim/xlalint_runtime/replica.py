"""What the guard knows of one replica, and of the loops that it is in."""

from __future__ import annotations

import weakref
from collections import Counter
from dataclasses import dataclass, field
from types import CodeType

import torch

from xlalint.lazy.obligations import Obligation
from xlalint.lazy.sharding import Setup
from xlalint.lazy.site import Site
from xlalint.lazy.state import Loop, State
from xlalint.lazy.values import NOTHING, Ragged
from xlalint_runtime import pending
from xlalint_runtime.agreement import Meeting, Standing
from xlalint_runtime.outside import Outside
from xlalint_runtime.parting import Progress
from xlalint_runtime.separate import Stretch
from xlalint_runtime.sites import Chain


@dataclass
class Around:
    """A loop that the program is in.

    Args:
        call: The call of the function that it stands in.
        chain: The calls that led to it; the last is its own function, at the loop.
        outside: What happened before it, for the model.
        owed: What was owed when it began.
        pended: Whether heavy work was recorded then.
        is_over_loader: Whether a loader was asked for its batches.
        ragged: Where that was made, if its last batch is smaller.
        steps: How often an optimizer has stepped in it since it cut the graph last.
        is_told: Whether it was judged while it runs.
        waiting: The most tensors that were seen to wait in it, while nothing cut the graph.
        rounds: How many iterations were seen.
        line: The line of its function at which the program was seen in it last.
        cut_line: The one at which it cut the graph last; 0: it did not.
        is_cut_by_loader: Whether a loader did that, which cuts for each batch before it gives it.
        intervals: How many cuts it has made after a step of an optimizer.
        is_regular: Whether no optimizer has stepped twice at one place of it without a cut between.
        is_left: Whether an exit from it was told.
        refines: Whether each of its rounds makes more of what those before have made.
    """

    call: int
    chain: Chain
    outside: Loop
    owed: frozenset[Obligation]
    pended: bool
    is_over_loader: bool = False
    ragged: Ragged | None = None
    steps: int = 0
    is_told: bool = False
    waiting: int = 0
    rounds: int = 0
    line: int = 0
    cut_line: int = 0
    is_cut_by_loader: bool = False
    intervals: int = 0
    is_regular: bool = True
    is_left: bool = False
    refines: bool = False
    _stepped: set[Site] = field(default_factory=set)
    _grown: dict[tuple[str, tuple[Site, ...]], tuple[int, int]] = field(default_factory=dict)
    """By what is done somewhere, how many operations wait for it, and how often more did than before."""
    _seen: Counter[tuple[Site, ...]] = field(default_factory=Counter)

    @property
    def site(self) -> Site:
        """Where it stands."""
        return self.chain[-1].site

    @property
    def stands_in_forward(self) -> bool:
        """Whether it stands in a model's `forward`, or in what that calls."""
        return any(frame.code.co_name == "forward" for frame in self.chain)

    def grown(self, what: str, chain: Chain, operations: int) -> int:
        """How often in turn more operations have waited for what is done at one place, now so many."""
        place = what, self._place(chain)
        before, times = self._grown.get(place, (operations, 0))
        times = times + 1 if operations > before else 0
        self._grown[place] = operations, times
        return times

    def _place(self, chain: Chain) -> tuple[Site, ...]:
        """Where in this loop the program is, whatever function that stands in."""
        return tuple(frame.site for frame in chain[len(self.chain) - 1 :])

    def come(self, chain: Chain) -> bool:
        """The program comes to a place in this loop, and in none inside it: whether a round begins."""
        place = self._place(chain)
        self._seen[place] += 1
        begins = self._seen[place] > self.rounds
        self.rounds += begins
        return begins

    def step(self, chain: Chain) -> None:
        """An optimizer steps in it."""
        place = chain[len(self.chain) - 1].site
        self.is_regular = self.is_regular and place not in self._stepped
        self._stepped.add(place)

    def cut(self, chain: Chain, *, by_loader: bool) -> None:
        """The graph was cut in it."""
        self.cut_line = chain[len(self.chain) - 1].site.line
        self.is_cut_by_loader = by_loader
        self.intervals += bool(self._stepped)
        self._stepped.clear()


@dataclass(frozen=True)
class Fetched:
    """A list of the gradients of an optimizer. It is not held, as tensors that live on are launched."""

    identity: int
    length: int
    optimizer: torch.optim.Optimizer

    def are(self, gradients: object) -> bool:
        """Whether this is that list."""
        return isinstance(gradients, list) and (id(gradients), len(gradients)) == (self.identity, self.length)


@dataclass
class RunningLoop:
    """A loop over a loader, known by its iterator.

    Args:
        cuts_before: How many cuts the replica had made when it began.
        cuts: Whether each of its batches is a cut.
        by_for: Whether a `for` runs it.
        rest: Which of its batches is the last one, and smaller than the others; None: none is.
        batches: How many it was given.
        made: Where the loader was made, if it is one of XLA.
        strands_before: Left before so many batches its threads wait for ever; None: that is not known.
    """

    cuts_before: int
    cuts: bool
    by_for: bool
    rest: int | None = None
    batches: int = 0
    made: Site | None = None
    strands_before: int | None = None

    @property
    def strands(self) -> bool:
        """Whether the threads of its loader wait for ever, if it is left now."""
        return self.strands_before is not None and self.batches < self.strands_before


class Replica:
    """What the guard knows of one replica."""

    def __init__(self) -> None:
        self.state = State(setup=Setup(caches=True))
        self.work = pending.Work()
        self.loops: dict[int, RunningLoop] = {}
        """The loops over loaders that run, by the identity of their iterators."""
        self.batch: frozenset[int] = frozenset()
        """The tensors, by identity, of the last batch that a loader of the host has given."""
        self.around: list[Around] = []
        """The loops that the program was in when it was seen last, the outermost first."""
        self.launched_at: set[Site] = set()
        """Where something was launched between cuts. Who comes there again is in some loop."""
        self.outside = Outside()
        self.cuts = self.backwards = self.batches = self.steps = 0
        self.begins_loader = False
        """Whether a loop over a loader has begun since the last cut: what is recorded is not all its own."""
        self.rank_tests: dict[CodeType, Site] = {}
        """Functions that asked for the rank since the last cut, and where."""
        self.meetings: list[Meeting] = []
        """The collectives that it has recorded since its last cut."""
        self.fetched: Fetched | None = None
        """The gradients that it has asked for last, since its last cut."""
        self.read_alone: weakref.ref[torch.Tensor] | None = None
        """The tensor whose number it has read, where nothing else waited then."""
        self.updated: weakref.WeakKeyDictionary[torch.optim.Optimizer, None] = weakref.WeakKeyDictionary()
        """The optimizers that have stepped since its last cut, in the order in which they did."""
        self.graph = b""
        """What the engine knows the graph by of what these have updated, once it has come to a cut."""
        self.device = ""
        """Its device, known once it has come to a cut or to its end."""
        self.ended_by: BaseException | None = None
        """The exception that it has ended by."""
        self.compiled: Chain = ()
        """The calls in which it ran last what Dynamo has compiled, and gradients may be computed of."""
        self.seen = 0
        """How often it was seen."""
        self.apart: Stretch | None = None
        """Numbers that it has read one by one, with nothing between."""
        self.chain: Chain = ()
        """The calls in which it was seen last."""
        self.recorded = NOTHING
        """What was recorded then."""
        self.cut_alone_before: Chain = ()
        """Where another replica went on without the cut that this one waits at."""
        self._met_at: dict[Site, int] = {}
        """Where it met the others, and how many batches it had been given when it did so last."""

    def progress(self, chain: Chain) -> Progress:
        """How far it has come."""
        return Progress(self.backwards, self.batches, chain)

    def standing(self, *, waits: bool, has_ended: bool) -> Standing:
        """Where it is, beside the others."""
        error = self.ended_by if has_ended else None
        return Standing(
            self.chain, self.device, list(self.meetings), dict(self.rank_tests), waits, has_ended, error,
            self.graph,
        )  # fmt: skip

    def comes_again(self, site: Site) -> bool:
        """Whether it meets the others there for one batch of a loader after the other."""
        batches_before = self._met_at.get(site)
        self._met_at[site] = self.batches
        return batches_before is not None and self.batches == batches_before + 1

    def between_steps(self, chain: Chain) -> Site:
        """Where a loop that opens steps does something below them: in its own function, whatever it calls."""
        return self.in_loop(chain) if self.state.loop.own.opens_step else chain[-1].site

    def in_loop(self, chain: Chain) -> Site:
        """Where the innermost loop is, in its own function; where it is in none, the last of these calls."""
        return chain[len(self.around[-1].chain) - 1].site if self.around else chain[-1].site

    def was_cut(self, *, by_loader: bool) -> None:
        """Everything that was recorded has been launched."""
        for loop in self.around:
            loop.cut(self.chain, by_loader=by_loader)
        self.work.cut(pending.default_device())
        self.cuts += 1
        self.rank_tests.clear()
        self.meetings.clear()
        self.fetched = None
        self.updated.clear()
        self.graph = b""
