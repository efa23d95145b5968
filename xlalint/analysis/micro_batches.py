"""Rounds in which a cut is left out that comes once in so many: what follows is run for them by itself."""

from __future__ import annotations

import ast
from dataclasses import replace

from xlalint.analysis.conditions import facts
from xlalint.analysis.frame import Exits, Frame, Uncut
from xlalint.analysis.library.options import number_in
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import literal
from xlalint.analysis.store import Store, join
from xlalint.judging import Occurrence
from xlalint.lazy.assumptions import NONE, Assumptions, assume, both
from xlalint.lazy.events import ReadThenCut
from xlalint.lazy.obligations import BETWEEN_CUTS, Fact, Obligation, Owed
from xlalint.lazy.state import State
from xlalint.lazy.values import Weight
from xlalint.program.counting import set_once
from xlalint.program.outline import within
from xlalint.remembering import remembered
from xlalint.spelling import spelling


def note_uncut(machine: Machine, node: ast.If, yes: Store, no: Store, frame: Frame) -> bool:
    """Keep what holds where a step is not cut, as it is in all rounds but one of so many.

    Returns whether it is the other arm that goes on, in the rounds of which nothing cuts any.
    """
    cuts = yes.state.engine.recorded.must is not Weight.HEAVY
    if not cuts or not no.state.pending or no.state.engine.eager:
        return False
    if frame.muted and frame.assumed_uncut is None:
        return False
    test = _spelled_out(node.test, frame)
    every = _every(test)
    if every is None:
        return False
    number = literal(machine.evaluate(every, frame, no.copy()))
    if number is None:
        number = number_in(machine, every, frame.outline)
    if isinstance(number, int | float) and number < 2:
        return False
    assumes = NONE if number is not None else assume(f"`{spelling(every)}` is more than 1")
    if frame.assumed_uncut is not None:
        frame.assumed_uncut = both(frame.assumed_uncut, assumes)
        return True
    frame.uncut = Uncut(no.copy(), facts(test, False), assumes, frame.exits.count())
    return False


def note_uncut_within(
    arms: tuple[tuple[Store | None, Uncut | None], ...], joined: Store, frame: Frame
) -> None:
    """Keep what holds below a test for the rounds in which nothing has cut what an arm cuts in few of them.

    Args:
        arms: What each arm leaves, and what it leaves in these rounds.
        joined: What holds below the test in whichever round.
    """
    held = next((uncut for _, uncut in arms if uncut is not None), None)
    if held is None or frame.uncut is not None:
        return
    store: Store | None = None
    for after, uncut in arms:
        left = uncut.store if uncut is not None else after
        store = join(store, left.copy() if left is not None else None)
    if store is not None and store.state.pending:
        store.state.replicas, store.state.collectives = joined.state.replicas, joined.state.collectives
        frame.uncut = held._replace(store=store, left=frame.exits.count())


def run_uncut(
    machine: Machine, rest: list[ast.stmt], uncut: Uncut, current: Store | None, frame: Frame
) -> Uncut | None:
    """Run what follows for the rounds that nothing has cut: what they read, the next cut runs again.

    Args:
        rest: What follows.
        current: What holds after it, in whichever round.

    Returns:
        What holds after it in those rounds, if they come so far.
    """
    store, owed = uncut.store, uncut.store.state.obligations
    exits, yields = frame.exits, len(frame.yields)
    frame.exits, frame.muted, frame.assumed_uncut = Exits(), True, uncut.assumes
    after = machine.run_block(rest, frame, store)
    assumes = frame.assumed_uncut
    met, frame.met_uncut = frame.met_uncut, []
    ended = frame.exits.continues
    if frame.over is None:
        # Out of a loop a return leads once only, and perhaps from a round that was cut.
        ended = [*ended, *(end for end, _, _ in frame.exits.returns)]
    frame.exits, frame.muted, frame.assumed_uncut = exits, False, None
    del frame.yields[yields:]
    for occurrence in met:
        if (again := _run_again(occurrence, owed, uncut.known, assumes)) is not None:
            frame.tell(again)
    reads = {
        one._replace(assumes=both(one.assumes, assumes), when=one.when | {BETWEEN_CUTS})
        for end in (after, *ended)
        if end is not None
        for one in end.state.obligations - owed
        if one.owed is Owed.READ and not one.inherited and _is_of_each(one, uncut.known)
    }
    if reads:
        continues, returns = uncut.left
        left = [*exits.continues[continues:], *(end for end, _, _ in exits.returns[returns:])]
        for end in left if current is None else (current, *left):
            end.state.obligations |= reads
    return uncut._replace(store=after, assumes=assumes) if after is not None else None


def _run_again(
    met: Occurrence, owed: frozenset[Obligation], known: frozenset[Fact], assumes: Assumptions
) -> Occurrence | None:
    """A read in the rounds that nothing had cut before, whose work a cut further below runs again."""
    event = met.event
    assert isinstance(event, ReadThenCut)
    read = event.obligation
    if read in owed or read.inherited or not _is_of_each(read, known):
        return None
    return met._replace(event=replace(event, assumes=both(event.assumes, assumes)))


def _is_of_each(read: Obligation, known: frozenset[Fact]) -> bool:
    """Whether a read is met in each such round: it stands under no other test for some of them."""
    return not any(fact.is_of_few_rounds for fact in read.when - known)


def end_rounds(state: State) -> None:
    """A loop has come to its end: its last round may be one that was cut."""
    if state.obligations:
        state.obligations = frozenset(one for one in state.obligations if BETWEEN_CUTS not in one.when)


def _spelled_out(test: ast.expr, frame: Frame) -> ast.expr:
    """A test by a name, such as `not is_accumulating`, as what the function has once set the name to."""
    match test:
        case ast.UnaryOp(op=ast.Not() as negated, operand=ast.Name() as name):
            meant = _spelled_out(name, frame)
            return test if meant is name else ast.copy_location(ast.UnaryOp(negated, meant), test)
        case ast.Name(id=name):
            return set_once(frame.around, name) or test
    return test


@remembered(4096)
def _every(test: ast.expr) -> ast.expr | None:
    """Of how many rounds a test lets one in, where it asks for the rest that a counter leaves."""
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.Or):
            # The last batch, whatever its number is, is let in as well.
            others = [each for each in test.values if _every(each) is None]
            if not all(isinstance(each, ast.Compare) for each in others):
                return None
        return next((every for each in test.values if (every := _every(each)) is not None), None)
    if not any(fact.is_of_few_rounds for fact in facts(test, True)):
        return None
    return next(
        (n.right for n in within(test) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod)), None
    )
