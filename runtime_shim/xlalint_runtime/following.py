"""Following the program through its loops: which it has entered and left since it was seen last."""

from __future__ import annotations

import itertools
from dataclasses import replace

from xlalint.lazy.assumptions import NONE, Assumptions
from xlalint.lazy.model import FEW_UPDATES, LazyModel
from xlalint.lazy.obligations import Owed
from xlalint.lazy.state import State
from xlalint.lazy.values import NOTHING, Kind, Value, Weight
from xlalint_runtime import counters, pending
from xlalint_runtime.exits import Exit, at_head, exit_between, has_marker_under_test
from xlalint_runtime.replica import Around, Replica
from xlalint_runtime.report import Report
from xlalint_runtime.sites import Chain

GROWING = 3
"""A loop is told to have no cut, though it still runs, after so many optimizer steps without one, more if it
is inside another or a marker stands there under a test, or so many reads of which each has run more than the
one before."""
_REFINING = {"choose": 8, "answer": 31}
"""A loop makes a text if so many tokens in turn each rest on the one before, and refines what it has made if
so often in turn a model is handed what rests on its last answer: fewer may be one graph."""
_FEW = 3
"""Of so few rounds a loop that lets its work go cannot be told from one that gathers it."""
_REGULAR = 2
"""After so many steps that a loop has cut it is known where it does: the first may be an exception."""
_LEAVES = frozenset({"break"})
_ENDS = frozenset({"break", "return"})


class Follower:
    """Tells the model of loops, which no hook sees: each place where the program is seen tells of them."""

    def __init__(self, model: LazyModel, report: Report) -> None:
        self._model = model
        self._report = report

    def follow(self, replica: Replica, chain: Chain) -> None:
        """Tell the model which loops the program has left and entered since it was seen last."""
        now = [
            (frame.call, loop, (*chain[:depth], frame._replace(site=loop)))
            for depth, frame in enumerate(chain)
            for loop in frame.loops
        ]
        held, state = replica.around, replica.state
        same = itertools.takewhile(
            lambda pair: pair[0].call == pair[1][0] and pair[0].chain[-1].site == pair[1][1],
            zip(held, now, strict=False),
        )
        shared = sum(1 for _ in same)
        if len(held) > shared:
            self._tell_exit(replica, state, held[shared:], still_in={frame.call for frame in chain})
            scopes = state.scopes
            while len(held) > shared:
                left = held.pop()
                # The forward in which the program is seen now may have begun below the loop.
                in_forward = scopes.in_forward and left.stands_in_forward
                state.scopes = scopes._replace(in_loop=bool(held), in_forward=in_forward)
                self._end_loop(replica, state, left)
            state.scopes = scopes
        for call, _, path in now[shared:]:
            owed, pended = state.obligations, replica.recorded.must is Weight.HEAVY
            held.append(Around(call, path, self._model.enter_loop(state), owed, pended))
        if held and held[-1].come(chain):
            self._tell_skip(replica, state, held[-1])
            self._model.begin_round(state)
            if not state.loop.cuts:
                # Below the loop, what gathered its work may have gone, and the work with it into one result.
                held[-1].waiting = max(held[-1].waiting, _waiting_tensors())
        for loop in held:
            loop.line = chain[len(loop.chain) - 1].site.line

    def end(self, replica: Replica) -> None:
        """The program has ended, and with it the loops that it was in when it was seen last."""
        self._tell_exit(replica, replica.state, replica.around, still_in=set())

    def _tell_exit(self, replica: Replica, state: State, left: list[Around], still_in: set[int]) -> None:
        """Tell the model by what the innermost of these loops that cut were left early, if they were.

        Args:
            left: The loops, the outermost first.
            still_in: The calls of functions that the program is in now.
        """
        for loop in reversed(left):
            if loop.is_left:
                return
            words = _LEAVES if loop.call in still_in else _ENDS
            found = _exit(loop, words | {"continue"})
            if found is None and loop.is_cut_by_loader and loop.cut_line:
                found = at_head(loop.chain[-1].site)
            if found is not None:
                self._tell(replica, state, loop, found)
                return

    def _tell_skip(self, replica: Replica, state: State, loop: Around) -> None:
        """Tell the model what has kept the last iteration from its cut, when another one begins."""
        found = _exit(loop, frozenset({"continue"})) if not loop.is_cut_by_loader else None
        if found is not None:
            self._tell(replica, state, loop, found)
            loop.is_regular = False  # Now it is known to do so.

    def _tell(self, replica: Replica, state: State, loop: Around, found: Exit) -> None:
        self._report.chain((*loop.chain[:-1], loop.chain[-1]._replace(site=found.site)))
        self._model.leave_loop(state, found.word, found.site)

    def _end_loop(
        self, replica: Replica, state: State, loop: Around, *, goes_on: Assumptions | None = None
    ) -> None:
        """A loop is over, or as good as that; `goes_on` is for the model."""
        site = loop.chain[-1].site
        self._report.chain(loop.chain)
        # What was recorded below it is not told apart from what its last iteration has left, unless
        # that is the work of all its steps.
        recorded = NOTHING if state.loop.cuts else replica.recorded
        # Here a loop is known to have cut before, and is asked at the marker: what was not told is no harm.
        state.obligations -= set(state.owes(Owed.FORWARD_SPLIT))
        over = Value(Kind.LOADER) if loop.is_over_loader else None
        keeps = recorded.must is Weight.HEAVY and _waiting(loop) >= loop.rounds
        done = state.loop.all
        if loop.rounds > _FEW and not (keeps or loop.pended or done.trains or done.cuts):
            self._model.leave_rounds(state, loop.owed, frozenset())  # no name is seen here
        self._model.end_loop(
            state, loop.outside, over, recorded, site, since=state.engine.since, keeps=keeps,
            ragged=loop.ragged, told=loop.rounds > 1 and not loop.is_told, goes_on=goes_on,
            refines=NONE if loop.refines else None,
            few=state.scopes.in_loop and loop.rounds <= FEW_UPDATES and not loop.is_over_loader,
        )  # fmt: skip

    def stepped(self, replica: Replica) -> None:
        """An optimizer has stepped: where nothing ends the steps of a loop, that is told while it runs."""
        for around in replica.around:
            around.step(replica.chain)
        if not replica.around or replica.state.loop.cuts:
            return
        loop = replica.around[-1]
        loop.steps += 1
        is_seldom = len(replica.around) > 1 or has_marker_under_test(loop.chain[-1].site)
        if loop.steps >= (FEW_UPDATES if is_seldom else GROWING):
            state = replica.state.copy()
            state.scopes = state.scopes._replace(in_loop=len(replica.around) > 1)
            self._end_loop(replica, state, replace(loop, is_told=False))
            loop.is_told = True

    def rests(self, replica: Replica, what: str, operations: int) -> None:
        """A token is chosen, or a model is to answer, in a loop that nothing has cut."""
        loop = replica.around[-1]
        loop.refines = loop.grown(what, replica.chain, operations) >= _REFINING[what]

    def read(self, replica: Replica, operations: int) -> None:
        """A value is read in a loop that nothing has cut, after so many operations.

        Where each round goes on with what the one before has recorded, it is told while the loop runs: each
        read compiles more than the one before.
        """
        loop = replica.around[-1]
        if loop.grown("read", replica.chain, operations) >= GROWING and not loop.is_told:
            state = replica.state.copy()
            state.scopes = state.scopes._replace(in_loop=len(replica.around) > 1)
            self._end_loop(replica, state, loop, goes_on=NONE)
            loop.is_told = True


def _exit(loop: Around, words: frozenset[str]) -> Exit | None:
    """The one statement by which an iteration has not come to what cuts the graph in the others."""
    if not (loop.is_regular and loop.intervals >= _REGULAR and loop.cut_line):
        return None
    last = loop.site.end_line if loop.is_cut_by_loader else loop.cut_line
    return exit_between(loop.site, loop.line, last, words) if last > loop.line else None


def _waiting(loop: Around) -> int:
    """How many tensors wait after a loop; at its last round it was seen before that round's own."""
    return max(_waiting_tensors(), loop.waiting + 1 if loop.rounds > _FEW else 0)


def _waiting_tensors() -> int:
    device = pending.default_device()
    return counters.pending_tensors(device) if device is not None else 0
