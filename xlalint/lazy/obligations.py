"""Obligations: what one event opens and a later one settles."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions
from xlalint.lazy.scopes import Split
from xlalint.lazy.site import Path, Site
from xlalint.lazy.values import BY_IDENTITY


class Owed(Enum):
    """What an obligation waits for; `TERMS` says how each is settled, dropped and carried."""

    READ = "host read; the next cut runs the step again"
    EXIT = "loop left before its last step has run"
    SPLIT_STEP = "cut between backward and the optimizer step"
    FORWARD_CUT = "cut between the forward pass and backward"
    FORWARD_SPLIT = "such a cut and a backward, of a loop that may end its rounds with no cut of its own"
    STEP_IN_TWO = "optimizer step after such a cut, unless gradients are accumulated over it"
    CUT_IN_STEP = "cut within a step; what follows in it is a graph of its own"
    ACCUMULATION = "cut that ends a micro-batch of an optimizer step"
    CLIP = "gradients clipped before they were reduced"
    CLOSURE = "step closure that has not run yet"
    COLLECTIVE = "collective that other replicas have not reached"
    LONE_CUT = "cut that only some replicas made"
    STEPS = "steps of a loop that nothing in it ends or reads"
    DEVICE = "device that this process uses; it can launch no replicas any more"
    AUTOCAST = "autocast for other devices"
    LOWERED = "autocast; a backward inside of it computes everything in lower precision"
    PRECISE = "work in full precision; its gradients must not be computed within an autocast"
    TIED = "weights that were tied and are two since their module moved"
    SEED = "seed that what is drawn on the device does not follow"
    DRAWN = "random numbers of a forward, drawn on the device in spite of such a seed"
    SEEDED = "seed of what is drawn on the device"
    OWN_SEED = "seed that is another one on each replica; what is drawn by it differs"
    OWN_WEIGHTS = "weights that each replica has drawn by a seed of its own"
    RUN = "graph that has run; the persistent cache comes too late for it"
    SERVER = "server of the profiler in this process; whoever captures must not wait for it"
    LOADER = "loader left early; one made in its place leaves its threads behind"
    SPENT = "loader that has run out; it starts no second time"
    SINGLE = "device that is used as one of several; SPMD comes too late for it"
    TRACED = "StepTrace that was left; the rest of the step must not follow"
    WRITTEN = "file that one replica writes; the others must wait for it"
    REFERENCES = "file of references to tensors, which `torch.load` does not follow"
    UNPRIMED = "optimizer without a state before its first step; no checkpoint must be restored into it"
    VARYING = "work that chance decides on; no step must be compiled with it"
    STEPPED = "optimizer step; the same gradients must not be applied once more"

    __hash__ = BY_IDENTITY


class Terms(NamedTuple):
    """The terms of one sort of obligation, read by the model, by summaries and by the guard.

    Args:
        dropped_by_cut: A cut settles it, silently.
        settled_by_one_arm: Settled in one arm of a branch, it is taken as settled after the branch.
        told_apart_by_detail: Two that differ in their detail are two, also inside a called function.
        enters_calls: A called function can settle it.
        placed_in_caller: The diagnostic belongs to the function that makes the settling cut or holds
            the rank test, and so its path starts there.
        needs_heavy_work: It is void once no heavy work is recorded any more.
        dropped_by_work: Heavy work settles it, silently.
    """

    dropped_by_cut: bool = False
    settled_by_one_arm: bool = False
    told_apart_by_detail: bool = False
    enters_calls: bool = True
    placed_in_caller: bool = False
    needs_heavy_work: bool = False
    dropped_by_work: bool = False

    @property
    def waits_to_be_asked_for(self) -> bool:
        """Whether it makes a difference in a called function only where that asks for its sort."""
        settled_otherwise = self.dropped_by_cut or self.needs_heavy_work or self.dropped_by_work
        return self.enters_calls and not (settled_otherwise or self.told_apart_by_detail)


TERMS: Final[dict[Owed, Terms]] = {
    Owed.READ: Terms(placed_in_caller=True, needs_heavy_work=True),
    Owed.EXIT: Terms(
        dropped_by_cut=True, settled_by_one_arm=True, told_apart_by_detail=True, needs_heavy_work=True
    ),
    Owed.SPLIT_STEP: Terms(),
    Owed.FORWARD_CUT: Terms(dropped_by_cut=True),
    Owed.FORWARD_SPLIT: Terms(enters_calls=False),
    Owed.STEP_IN_TWO: Terms(enters_calls=False),
    Owed.CUT_IN_STEP: Terms(placed_in_caller=True, told_apart_by_detail=True),
    Owed.ACCUMULATION: Terms(enters_calls=False),
    Owed.CLIP: Terms(),
    Owed.CLOSURE: Terms(dropped_by_cut=True, settled_by_one_arm=True),
    Owed.COLLECTIVE: Terms(enters_calls=False),
    Owed.LONE_CUT: Terms(dropped_by_cut=True, settled_by_one_arm=True, placed_in_caller=True),
    Owed.STEPS: Terms(settled_by_one_arm=True, needs_heavy_work=True),
    Owed.DEVICE: Terms(),
    Owed.AUTOCAST: Terms(told_apart_by_detail=True),
    Owed.LOWERED: Terms(told_apart_by_detail=True),
    Owed.PRECISE: Terms(),
    Owed.TIED: Terms(),
    Owed.SEED: Terms(settled_by_one_arm=True),
    Owed.DRAWN: Terms(),
    Owed.SEEDED: Terms(),
    Owed.OWN_SEED: Terms(settled_by_one_arm=True, placed_in_caller=True),
    Owed.OWN_WEIGHTS: Terms(),
    Owed.RUN: Terms(),
    Owed.SERVER: Terms(),
    Owed.LOADER: Terms(told_apart_by_detail=True),
    Owed.SPENT: Terms(settled_by_one_arm=True, told_apart_by_detail=True),
    Owed.SINGLE: Terms(),
    Owed.TRACED: Terms(dropped_by_cut=True),
    Owed.WRITTEN: Terms(dropped_by_cut=True, settled_by_one_arm=True, told_apart_by_detail=True),
    Owed.REFERENCES: Terms(settled_by_one_arm=True, told_apart_by_detail=True),
    Owed.UNPRIMED: Terms(settled_by_one_arm=True),
    Owed.VARYING: Terms(dropped_by_cut=True, settled_by_one_arm=True),
    Owed.STEPPED: Terms(enters_calls=False, dropped_by_work=True),
}

TRAINS, REFINES = "trains", "refines"
"""What a loop does of which steps are owed."""

WAITING: Final = {
    owed: 1 << number
    for number, owed in enumerate(owed for owed in Owed if TERMS[owed].waits_to_be_asked_for)
}
"""Those sorts that make a difference in a called function only where it asks for them, each with a bit."""

OF_ONE_MODEL: Final = frozenset({Owed.OWN_SEED, Owed.OWN_WEIGHTS})
"""The sorts that are about weights which a function has drawn: trained there, too, they are of no other."""

OF_WEIGHTS: Final = WAITING[Owed.OWN_SEED]
"""The bit of the sort that waits for whoever makes a module, which is nothing that happens by itself."""

_OF_FILES: Final = (Owed.WRITTEN, Owed.REFERENCES)
OF_FILES: Final = 1 << len(WAITING)
"""The bit of the sorts that wait for whoever reads a file."""
ASKED: Final = {**WAITING, **dict.fromkeys(_OF_FILES, OF_FILES)}
"""The sorts of which it is noted that they were asked for, each with a bit."""


class Asked:
    """The sorts of obligations that one activation has asked for, as bits of `ASKED`."""

    __slots__ = ("sorts",)

    def __init__(self) -> None:
        self.sorts = 0


MADE_OF: Final[dict[Owed, Owed]] = {
    Owed.FORWARD_SPLIT: Owed.FORWARD_CUT,
    Owed.STEP_IN_TWO: Owed.SPLIT_STEP,
    Owed.ACCUMULATION: Owed.SPLIT_STEP,
}
"""What takes the place of an obligation; in a called function, of one of its caller's."""


class Fact(NamedTuple):
    """How a test came out: whether `subject` is `value`, both as text."""

    subject: str
    value: str
    holds: bool

    @property
    def is_of_one_round(self) -> bool:
        """Whether it is that something is a number, as a counter is in one round of a loop."""
        return self.holds and self.value.isdigit()

    @property
    def is_of_first_round(self) -> bool:
        """Whether it is that a name is zero, as a counter is in the first round of a loop."""
        return self.holds and self.value == "0" and self.subject.isidentifier()

    @property
    def is_of_few_rounds(self) -> bool:
        """Whether it is that a number leaves a certain rest, as a counter does now and then."""
        if "%" not in self.subject:
            return False
        if self.value == "True":
            return self.holds is (" == " in self.subject)
        return self.holds and self.value.isdigit()

    @property
    def is_unset(self) -> bool:
        """Whether it is that something is None, or false."""
        return self.value == "None" if self.holds else self.value == "True"

    @property
    def is_flag(self) -> bool:
        """Whether it is that what a name or an attribute says is so."""
        return self.holds and self.value == "True" and self.subject.replace(".", "").isidentifier()

    @property
    def is_answered(self) -> bool:
        """Whether it is what a call returns that is given nothing: it may return something else later."""
        return "()" in self.subject

    def excludes(self, other: Fact) -> bool:
        """Whether the two cannot both be so."""
        if self.subject != other.subject:
            return False
        if self.value == other.value:
            return self.holds is not other.holds
        return self.holds and other.holds


BETWEEN_CUTS: Final = Fact("%", "True", True)
"""That this is a round which nothing cuts, of several before one that is cut: of the last nobody knows."""


class Obligation(NamedTuple):
    """Something one event opened and a later one settles.

    `path` leads to the opening event; it is empty when a caller's obligation is meant, which the
    caller puts in its place when it replays the summary. `detail` is what the rule's message and
    the settling need: the read's spelling, the way a loop was left, the collective's name and tag.
    """

    owed: Owed
    path: Path
    assumes: Assumptions = assumptions.NONE
    in_loop: bool = False
    detail: str = ""
    split: Split | None = None
    since: tuple[Site, ...] = ()
    """Where the work had been recorded that the opening event was about."""
    before_barrier: bool = False
    """Nothing was recorded between a cut and the optimizer step that cuts by itself."""
    when: frozenset[Fact] = frozenset()
    """How tests of this function came out where it was opened: it is owed where they still do."""
    of_last_round: bool = False
    """It is about the work of a loop's last round: what the rounds before recorded, nobody holds any more."""
    held_by: frozenset[str] = frozenset()
    """The names of this function that alone hold what the opening event was about: it is not owed any more
    when each of them has been bound anew. Empty: who holds it is not known."""
    if_autograd: bool = False
    """Only for backward is what the opening event was about kept, if its caller has autograd on."""

    @property
    def inherited(self) -> bool:
        """Whether a caller's obligation is meant."""
        return not self.path

    @property
    def terms(self) -> Terms:
        """How obligations of this sort are settled, dropped and carried."""
        return TERMS[self.owed]

    def inside_call(self) -> Obligation:
        """This obligation as a called function sees it: not where it was opened, only that it was."""
        return Obligation(
            self.owed, (), assumptions.NONE, False, self.detail if self.terms.told_apart_by_detail else ""
        )

    @property
    def order(self) -> tuple[object, ...]:
        """All that tells obligations of one sort apart, or they would come in the order of hashes."""
        return (
            self.path, sorted(self.assumes), self.in_loop, self.detail, _order_of(self.split), self.since,
            self.before_barrier, sorted(self.when), self.of_last_round, sorted(self.held_by),
            self.if_autograd,
        )  # fmt: skip


def _order_of(split: Split | None) -> tuple[object, ...]:
    if split is None:
        return ()
    return (split.site, split.polarity, sorted(split.assumes), split.master, split.depth)


def left_by_work(obligations: frozenset[Obligation]) -> frozenset[Obligation]:
    """What is still owed after heavy work was recorded."""
    if not obligations:
        return obligations
    dropped = {o for o in obligations if o.terms.dropped_by_work}
    return obligations - dropped if dropped else obligations


def without_unasked(obligations: frozenset[Obligation], asked: int) -> frozenset[Obligation]:
    """What is owed without what a caller owes, of sorts that nobody asked for who would have had to."""
    unasked = {o for o in obligations if o.inherited and WAITING.get(o.owed, 0) & ~asked}
    return obligations - unasked if unasked else obligations
