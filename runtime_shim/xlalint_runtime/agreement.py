"""Whether replicas are about to launch the same collectives, and what is told when they are not."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from torch import Tensor

from xlalint.lazy.site import Site
from xlalint_runtime import pending
from xlalint_runtime.forks import parted_at
from xlalint_runtime.sites import Chain, callee, is_user_file, source, written
from xlalint_runtime.stopping import Parted

Waiting = Callable[[], Mapping[str, list[Tensor]]]
"""By device, the tensors that wait."""


class Meeting(NamedTuple):
    """A collective that a replica has recorded since its last cut.

    Args:
        operation: The engine's name of it.
        terms: What else it was given: how it reduces, along which dimension, by which scale.
        shapes: Type and shape of each tensor in it.
        chain: The calls in which it was recorded.
        graph: What the engine knows the graph of these tensors by.
    """

    operation: str
    terms: tuple[object, ...]
    shapes: tuple[str, ...]
    chain: Chain
    graph: bytes = b""

    def meets(self, other: Meeting) -> bool:
        """Whether these two wait for each other, and for nothing else."""
        return self[:3] == other[:3]


@dataclass
class Standing:
    """Where a replica is when all that still run are at a cut.

    Args:
        chain: Where it is, or was seen last.
        device: Its device.
        meetings: The collectives that it is about to launch.
        tests: Functions that asked for its rank since its last cut, and where.
        waits: Whether it is at a cut.
        has_ended: Whether it has come to its end.
        error: The exception by which it has ended.
        graph: What the engine knows the graph by of all that its optimizers have updated since its last cut.
    """

    chain: Chain
    device: str
    meetings: list[Meeting]
    tests: dict[CodeType, Site]
    waits: bool = False
    has_ended: bool = False
    error: BaseException | None = None
    graph: bytes = b""


def shapes_in(values: object) -> tuple[str, ...]:
    """Type and shape of each tensor among the arguments of a collective."""
    return tuple(
        f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"
        for tensor in pending.tensors_in(values)
    )


def terms_in(values: Iterable[object]) -> tuple[object, ...]:
    """What a collective was given beside tensors and groups."""
    return tuple(value for value in values if isinstance(value, str | int | float))


def disagreement(
    standings: Mapping[int, Standing], lone_cuts: Mapping[int, Chain], *, throughout: bool
) -> Parted | None:
    """What parts replicas that are about to launch; None: nothing does.

    Args:
        standings: Where each is.
        lone_cuts: Where replicas have launched by themselves since the last cut of all. The same
            collectives may then be in different graphs, and these do not meet.
    """
    launching = [replica for replica, one in standings.items() if not one.has_ended]
    if not any(standings[replica].meetings for replica in launching):
        return None
    first = launching[0]
    ours = standings[first]
    waiting = cache(pending.waiting)  # nobody goes on meanwhile
    for replica, theirs in standings.items():
        pairs = zip_longest(ours.meetings, [] if theirs.has_ended else theirs.meetings)
        parted = next(((a, b) for a, b in pairs if a is None or b is None or not a.meets(b)), None)
        if parted is not None and (_waits(ours, waiting) or _waits(theirs, waiting)):
            return told(standings, {first: parted[0], replica: parted[1]})
    for lone, chain in lone_cuts.items():
        other = next((replica for replica in launching if replica not in lone_cuts), None)
        if other is not None and _graphs(standings[lone], waiting) != _graphs(standings[other], waiting):
            return told(standings, {lone: chain, other: None})
    for replica in launching[1:]:
        theirs = standings[replica]
        doing = _in_other_graphs(ours, theirs)
        if doing is None and throughout and _graphs(ours, waiting) != _graphs(theirs, waiting):
            doing = None, None
        if doing is not None and _waits(ours, waiting) and _waits(theirs, waiting):
            return told(standings, dict(zip((first, replica), doing, strict=True)), why=OTHER_GRAPHS)
    return None


def _in_other_graphs(ours: Standing, theirs: Standing) -> tuple[Meeting | None, Meeting | None] | None:
    """Where two replicas that launch the same collectives compute something else before them, or below them.

    Each would compile a graph of its own, and what is in one does not meet what is in the other.
    """
    pairs = zip(ours.meetings, theirs.meetings, strict=False)
    computed = next(((a, b) for a, b in pairs if a.graph != b.graph), None)
    return computed or ((None, None) if ours.graph != theirs.graph else None)


def told(
    standings: Mapping[int, Standing], doing: Mapping[int, Meeting | Chain | None], why: str = ""
) -> Parted:
    """The exception that ends all replicas.

    Args:
        standings: Where each is.
        doing: Of two replicas that part, what each does, or in which calls; None: it is at its cut.
        why: Why they do not meet, where that is not to be seen from what they do.
    """
    places = {replica: _chain(doing.get(replica)) or one.chain for replica, one in standings.items()}
    lines = [
        f"replica {replica}  {_shown(doing.get(replica), one)}  "
        + (_raised_at(one.error) or _way(places[replica]))
        for replica, one in sorted(standings.items())
    ]
    one, other = sorted(doing, key=lambda replica: standings[replica].has_ended)
    sites = parted_at(
        places[one], places[other], [*standings[one].tests.items(), *standings[other].tests.items()],
        has_ended=standings[other].has_ended,
    )  # fmt: skip
    errors = [each.error for each in standings.values() if each.error is not None]
    if sites and standings[other].error is None:
        tests = (f"`{source(site).strip()}`  {Path(site.path).name}:{site.line}" for site in sites)
        lines.append(f"parted by  {'  or the end of  '.join(tests)}")
    lines += [why] if why else []
    message = "replicas part, and would wait for each other for ever; nothing of this was launched:\n  "
    error = Parted(message + "\n  ".join(lines))
    error.__cause__ = next(iter(errors), None)
    return error


OTHER_GRAPHS = "the same collectives in different graphs: what these replicas compute beside them differs"


def _waits(standing: Standing, waiting: Waiting) -> bool:
    """Whether the engine waits for others in what this replica launches: results may have been dropped."""
    if standing.has_ended or not standing.meetings:
        return False
    tensors = waiting().get(standing.device, [])
    return bool(tensors) and pending.holds_collective(pending.graph_text(tensors))


def _graphs(standing: Standing, waiting: Waiting) -> frozenset[bytes]:
    return pending.graphs_of(waiting().get(standing.device, ()))


def _chain(doing: Meeting | Chain | None) -> Chain:
    return doing.chain if isinstance(doing, Meeting) else doing or ()


def _shown(doing: Meeting | Chain | None, standing: Standing) -> str:
    if doing is None and standing.error is not None:
        return f"has ended by {type(standing.error).__name__}"
    if doing is None and standing.has_ended:
        return "has ended, last seen at"
    if doing is None:
        return "at a cut" if standing.waits else "goes on, last seen at"
    assert doing, "a collective or a launch is somewhere"
    site = _chain(doing)[-1].site
    shapes = f" of {', '.join(doing.shapes)}" if isinstance(doing, Meeting) and doing.shapes else ""
    return (written(site) or callee(site)) + shapes


def _raised_at(error: BaseException | None) -> str:
    """The line of the user's that an exception was raised at; empty where there is none."""
    frames = traceback.walk_tb(error.__traceback__ if error is not None else None)
    lines = [(frame.f_code.co_filename, line) for frame, line in frames]
    return next((f"{Path(path).name}:{line}" for path, line in reversed(lines) if is_user_file(path)), "")


def _way(chain: Chain) -> str:
    places = (f"{Path(frame.site.path).name}:{frame.site.line}" for frame in reversed(chain))
    return " < ".join(places)
