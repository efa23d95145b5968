"""Cures: what would mend a hazard, as data. Rules name them; nothing here knows text.

A cure names places of the program. A rule does not know where the scope or rank test stands that its
finding is about: it names the scope itself, and `judging` puts the place in. A site may be that of an
expression; "the statement" is then the one that holds it, in the block that the cure is about. If the
site stands in a called function instead, the call on the finding's path that leads there is meant.

Whether the text allows a cure is for whoever writes the edits to decide; if not, the next is tried.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from typing import ClassVar, TypeVar

from xlalint.diagnostic import Applicability
from xlalint.lazy.records import Record, record
from xlalint.lazy.scopes import Scope, Split
from xlalint.lazy.site import Site
from xlalint.lazy.state import Fetch
from xlalint.lazy.values import Weight
from xlalint.versions import LATEST, Version

Where = Site | Scope | Split
"""A place, or that which stands there."""

_C = TypeVar("_C", bound="Cure")

RANDOM_NUMBERS = "random numbers differ, such as dropout's: each graph cut advances the device's random state"
DEVICE_PRECISION = "the device computes in its own precision, Python in double precision"
AS_ONE_GRAPH = "results may differ in the last digits, and random numbers differ: it is compiled as one graph"
LAST_DIGITS = "results may differ in the last digits: two graphs are compiled as one"


@record(kw_only=True)
class Cure(Record):
    """One way to mend a hazard.

    Args:
        title: What it does, as an editor shows it: "Move the read below the step".
        applicability: How far it may be trusted.
        changes: What may come out otherwise after it; empty: nothing.
        also: What has to be done with it, or it must not be done at all.
    """

    title: str
    applicability: Applicability = Applicability.UNSAFE
    changes: str = ""
    also: tuple[Cure, ...] = ()

    since: ClassVar[Version] = (1, 8)
    """The first release that has what the cure writes: for a target that begins earlier it is left out."""


def placed(cure: _C, place: Callable[[Where], Site]) -> _C:
    """The cure with a site in the place of each scope and rank test."""

    def filled(held: object) -> object:
        if isinstance(held, Site | Scope | Split):
            return place(held)
        if isinstance(held, tuple):
            return tuple(filled(each) for each in held)
        return placed(held, place) if isinstance(held, Cure) else held

    known = {each.name: filled(getattr(cure, each.name)) for each in dataclasses.fields(cure)}
    return dataclasses.replace(cure, **known)  # type: ignore[arg-type]  # each keeps its kind


# Names ------------------------------------------------------------------------------------------


@record
class Rename(Cure):
    """A name at `site`, or what is called there, gives way to another; both are qualified names.

    Args:
        parameters: Those of the function, in order, with what the successor calls them: one that it does not
            take ("") must not be passed. Empty: it takes the same.
        omitted: Such as may be passed all the same and are left out, with the value for which that holds; "":
            whatever the value.
        oldest: The first release that the code must run on; what the name shares an import with must have its
            successor there, too.
    """

    site: Site
    name: str
    successor: str
    parameters: tuple[tuple[str, str], ...] = ()
    omitted: tuple[tuple[str, str], ...] = ()
    oldest: Version = field(default=LATEST, kw_only=True)


@record
class RenameKeyword(Cure):
    """The keyword argument at `site` is passed by another name."""

    site: Site
    keyword: str
    successor: str


@record
class DropArgument(Cure):
    """The innermost call that holds `site` no longer passes `keyword`, by name or by position.

    Args:
        for_xla: Whether that is right on XLA alone, and so not in a file that is for CUDA, too.
    """

    site: Site
    keyword: str
    for_xla: bool = field(default=False, kw_only=True)


@record
class PassArgument(Cure):
    """The innermost call that holds `site` passes `keyword` with the value that `text` spells.

    Args:
        for_one: Whether what is made must serve one caller alone, who does not say otherwise.
        for_xla: Whether that is right on XLA alone, and so not in a file that is for CUDA, too.
    """

    site: Site
    keyword: str
    text: str
    for_one: bool = field(default=False, kw_only=True)
    for_xla: bool = field(default=False, kw_only=True)


@record
class DropSetting(Cure):
    """The statement at `site` goes, which does nothing but set the environment variable `variable`."""

    site: Site
    variable: str


# Comments ---------------------------------------------------------------------------------------


@record
class DropSuppression(Cure):
    """The comment at `site` no longer names `codes`; with none left, or () given, it goes."""

    site: Site
    codes: tuple[str, ...]


# Cuts -------------------------------------------------------------------------------------------


@record
class Remove(Cure):
    """The statement at `site`, a marker, goes, and with it a block that held nothing else."""

    site: Site
    changes: str = field(default=LAST_DIGITS, kw_only=True)


@record
class SyncBefore(Cure):
    """A marker comes above the statement at `site`; of an `elif`, above the first `if`.

    Args:
        recorded: Where the work was recorded that the marker is to cut. Loops in which none of it was stay
            below the marker. None: not known.
    """

    site: Where
    recorded: tuple[Where, ...] | None = None
    changes: str = field(default=RANDOM_NUMBERS, kw_only=True)


@record
class SyncBelow(Cure):
    """A marker comes directly below the block of `scope`, or below the statement at that place."""

    scope: Where
    title: str = field(default="Sync below the block", kw_only=True)


@record
class WaitBefore(Cure):
    """The host waits for the device above the statement at `site`."""

    site: Site
    title: str = field(default="Wait for the device by `xm.wait_device_ops()`", kw_only=True)
    changes: str = field(default="the host waits there for the device", kw_only=True)


# Scopes -----------------------------------------------------------------------------------------


@record
class WrapBody(Cure):
    """The work in the body of a loop becomes a step scope, from its first device work to its last.

    Several cures of one loop are one: their markers and what moves below are taken together.

    Args:
        loop: The loop, or a place in its body: the innermost loop that holds it is meant.
        markers: Those that go, in order; each ends a stretch of the body with a scope of its own.
        below: Places of statements that move below the scope, as `MoveBelow` moves them.
        reads: Where something in the loop reads, if only in a function that it calls.
        leaves_work: Those of them where a called function leaves work behind which it recorded itself.
        recorded: Where the work was recorded that has to come into the step.
        meets: Where replicas meet in the loop, which cuts the graph, if only in a function that it calls.
    """

    loop: Where
    markers: tuple[Site, ...] = ()
    below: tuple[Where, ...] = ()
    reads: tuple[Where, ...] = ()
    leaves_work: tuple[Where, ...] = ()
    recorded: tuple[Where, ...] = ()
    meets: tuple[Where, ...] = ()
    title: str = field(default="Put the step in `with torch_xla.step():`", kw_only=True)
    changes: str = field(default=RANDOM_NUMBERS, kw_only=True)

    since: ClassVar[Version] = (2, 4)

    def of_loop(self, fetches: Iterable[Fetch]) -> WrapBody:
        """The cure with what is known of the loop's reads."""
        fetches = sorted(fetches)
        reads = tuple(fetch.site for fetch in fetches)
        return replace(
            self,
            reads=reads,
            leaves_work=tuple(fetch.site for fetch in fetches if fetch.leaves >= Weight.LIGHT),
        )


@record
class Unwrap(Cure):
    """The `with` that opens a scope at `site` goes, or that one of its items; its block stays."""

    site: Site
    changes: str = field(default=LAST_DIGITS, kw_only=True)


@record
class Swap(Cure):
    """Two blocks, the inner all that the outer holds, change places: each is known by its header."""

    outer: Where
    inner: Site


@record
class EndBefore(Cure):
    """The block of `scope` ends above the statement at `site`: that and all below it is dedented."""

    scope: Where
    site: Site
    changes: str = field(default="what follows no longer counts to the traced region", kw_only=True)


# Functions --------------------------------------------------------------------------------------


@record
class CompileFunction(Cure):
    """The function that is defined at `site` is compiled: its object gets the compiled one in its place, or
    the function a decorator.

    Args:
        full_graph: Whether whatever would cut the graph inside raises an error.
        decorate: Whether objects with the compiled function among their attributes may be sent to other
            processes, which they cannot: the function gets a decorator.
    """

    site: Site
    full_graph: bool = False
    decorate: bool = False
    title: str = field(default="Compile the step function by `torch_xla.compile`", kw_only=True)
    changes: str = field(default=AS_ONE_GRAPH, kw_only=True)

    since: ClassVar[Version] = (2, 5)


@record
class BindNow(Cure):
    """The step closure that the call at `site` adds keeps what `names` mean there: they become parameters of
    it, with themselves as defaults."""

    site: Site
    names: tuple[str, ...]
    title: str = field(default="Bind the names when the closure is added", kw_only=True)
    changes: str = field(default="the closure sees the values of its own step", kw_only=True)


# Order ------------------------------------------------------------------------------------------


@record
class MoveBelow(Cure):
    """The statement of a block that holds `what` moves directly below `below`.

    Work that it records itself stays behind, bound to a name: below it would be a graph of its own.
    So a test of a device value asks with `.item()` there, and a step closure becomes a plain call.

    Args:
        what: What moves: of the block of a scope, or of that in which a marker or branch stands.
        below: The scope, marker, branch or other statement.
        inner: Where the function goes on that `what` calls, if it stands for something in that.
    """

    what: Where
    below: Where
    inner: Site | None = field(default=None, kw_only=True)
    changes: str = field(default="what moves runs later, and sees what has changed by then", kw_only=True)


@record
class MoveAbove(Cure):
    """The statement of a block that holds `what` moves directly above that which holds `above`."""

    what: Site
    above: Where


@record
class MoveInto(Cure):
    """The statements at `what` move into the step scope beside which they stand in a loop's body."""

    what: tuple[Site, ...]
    title: str = field(default="Move the work into the step", kw_only=True)


# Reads ------------------------------------------------------------------------------------------


@record
class ReadFirst(Cure):
    """What is computed at `work` and read at `read` is read first: `(loss / n).item()` becomes
    `loss.item() / n`."""

    read: Site
    work: tuple[Site, ...]
    title: str = field(default="Read first, compute on the host", kw_only=True)
    changes: str = field(default="Python computes in double precision", kw_only=True)


@record
class StackReads(Cure):
    """The list or tuple around the read at `site` is read at once: `[a.item(), b.item()]` becomes
    `torch.stack([a, b]).tolist()`, and `torch.tensor([a, b])` becomes `torch.stack([a, b]).cpu()`."""

    site: Site
    title: str = field(default="Read them at once, by `torch.stack`", kw_only=True)
    changes: str = field(
        default="all get one type, an empty list raises an error, and so do tensors of several shapes",
        kw_only=True,
    )


@record
class KeepOnDevice(Cure):
    """The read at `site` goes: `norm.item()` and `float(norm)` become `norm`."""

    site: Site
    title: str = field(default="Keep the value on the device", kw_only=True)
    changes: str = field(default=DEVICE_PRECISION, kw_only=True)


@record
class FillByMask(Cure):
    """The assignment that holds `site` fills in place: `x[mask] = 0` becomes `x.masked_fill_(mask, 0)`."""

    site: Site
    title: str = field(default="Fill by `masked_fill_`", kw_only=True)
    changes: str = field(default="what is no tensor has no `masked_fill_`", kw_only=True)


@record
class DropScaler(Cure):
    """The gradient scaler that is stepped at `site` goes, from where it is made to its updates: losses
    are no longer scaled, and the optimizer steps by itself."""

    site: Site
    title: str = field(default="Remove the gradient scaler, which bfloat16 does not need", kw_only=True)
    changes: str = field(default="steps that the scaler would have skipped are taken", kw_only=True)


# Random numbers ---------------------------------------------------------------------------------


@record
class SeedDevice(Cure):
    """Below the statement at `site`, which sets the host's seed, the device gets the same."""

    site: Site
    title: str = field(default="Set the seed of the device, too", kw_only=True)
    changes: str = field(default="what is drawn on the device follows the seed", kw_only=True)

    since: ClassVar[Version] = (2, 5)


# Precision --------------------------------------------------------------------------------------


@record
class TieBelow(Cure):
    """Below the statement that moves a module at `site`, `one` of it becomes `other` of it again, by the
    method `again` of it if that is named."""

    site: Site
    one: str
    other: str
    again: str


@record
class Hoist(Cure):
    """What the statement at `site`, directly in the body of a loop, makes in each round is made above it."""

    site: Site


@record
class WriteTuple(Cure):
    """The list at `site` becomes a tuple of the same."""

    site: Site


@record
class AutocastOnXla(Cure):
    """The autocast that is made at `site`, for CUDA, is made for XLA."""

    site: Site

    since: ClassVar[Version] = (2, 1)


# Input ------------------------------------------------------------------------------------------


@record
class LoadAhead(Cure):
    """The loop goes over an `MpDeviceLoader`, which moves the next batches while the device computes.

    Args:
        loop: The loop, or a place in its body: the innermost loop that holds it is meant.
    """

    loop: Where
    title: str = field(default="Go over an `MpDeviceLoader`", kw_only=True)
    changes: str = field(default=RANDOM_NUMBERS, kw_only=True)


@record
class InEveryStep(Cure):
    """The statement at `site` no longer stands under a test of a counter, such as `step % 100 == 0`."""

    site: Site


# Advice -----------------------------------------------------------------------------------------


@record
class ByHand(Cure):
    """Nothing is changed: the title says what the author may write at `site`."""

    site: Site
    applicability: Applicability = field(default=Applicability.SHOWN, kw_only=True)
