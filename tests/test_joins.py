"""How two states become one: each field by its law, over all pairs of values that it may hold."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, get_type_hints

import pytest

from xlalint.analysis.reuse.summaries import entered_state
from xlalint.lazy.assumptions import MANY, NONE, Assumptions, assume
from xlalint.lazy.cuts import AT_ENTRY, Cause, LastCut, Marker
from xlalint.lazy.gradients import Gradient, Gradients
from xlalint.lazy.obligations import WAITING, Asked, Obligation, Owed
from xlalint.lazy.scopes import Between, Replicas, Scope, ScopeKind, Scopes, Split
from xlalint.lazy.sharding import NO_MESH, Marked, Mesh, Setup
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import (
    JOINS,
    MOST_PLACES,
    Activity,
    Engine,
    Fetch,
    Loop,
    Raised,
    State,
    Training,
    Trust,
    join,
    join_loops,
)
from xlalint.lazy.values import Recorded, Weight


def at(line: int) -> Site:
    return Site("train.py", line)


STEP, TRACE = Scope(ScopeKind.STEP, at(1)), Scope(ScopeKind.TRACE, at(2))
MASTER, BEST = Split(at(3), True), Split(at(4), True, master=False)

VALUES: dict[Any, list[Any]] = {
    bool: [False, True],
    bool | None: [False, True, None],
    Between | None: [None, *Between],
    str | None: [None, "", "xla", "gloo"],
    Site | None: [None, at(1), at(3)],
    Recorded: [Recorded(must, may) for must in Weight for may in Weight if must <= may],
    tuple[Site, ...]: [
        (),
        (at(5),),
        (at(1), at(2)),
        (at(1), at(2), at(3)),
        (at(2), at(3), at(4)),
    ],
    tuple[Scope, ...]: [(), (STEP,), (TRACE,), (STEP, TRACE), (STEP, STEP)],
    tuple[Split, ...]: [(), (MASTER,), (BEST,), (MASTER, BEST), (MASTER, MASTER)],
    frozenset[tuple[Cause, Site]]: [
        frozenset(),
        frozenset({(Cause.MARKER, at(1))}),
        frozenset({(Cause.MARKER, at(2)), (Cause.LOADER, at(1))}),
    ],
    Assumptions: [NONE, assume("this is so"), assume("that is so"), MANY],
    frozenset[tuple[Site, Assumptions]]: [
        frozenset(),
        frozenset({(at(1), NONE)}),
        frozenset({(at(2), MANY), (at(1), NONE)}),
    ],
    frozenset[Site]: [frozenset(), frozenset({at(1)}), frozenset({at(2), at(3)})],
    tuple[LastCut, ...]: [
        (),
        AT_ENTRY,
        (LastCut(at(1), Cause.LOADER),),
        (LastCut(at(2), Cause.MARKER), LastCut(at(3), Cause.BARRIER)),
        (*AT_ENTRY, LastCut(at(4), Cause.SCOPE_EXIT), LastCut(at(5), Cause.RENDEZVOUS)),
    ],
    frozenset[Fetch]: [
        frozenset(),
        frozenset({Fetch(at(1))}),
        frozenset({Fetch(at(1), Weight.LIGHT), Fetch(at(2))}),
    ],
    frozenset[Training]: [
        frozenset(),
        frozenset({Training(at(1))}),
        frozenset({Training(at(1), at(7), True), Training(at(2))}),
    ],
    Raised | None: [
        None,
        Raised(at(1), "a call"),
        Raised(at(1), "an import", (2, 0)),
        Raised(at(2), "a call"),
    ],
    Mesh | None: [None, NO_MESH, Mesh(("fsdp",), 1), Mesh(None, 2)],
    frozenset[Marked]: [
        frozenset(),
        frozenset({Marked(at(1), "weight", ("fsdp", None))}),
        frozenset({Marked(at(1), "weight", ("fsdp", None)), Marked(at(1), "bias", ("fsdp",))}),
    ],
    frozenset[Marker]: [
        frozenset(),
        frozenset({Marker(at(1))}),
        frozenset({Marker(at(1), needed=True), Marker(at(2), cuts=(at(1),), cause=Cause.LOADER)}),
    ],
}
"""What a field may hold, by its type."""


def both(a: bool, b: bool) -> bool:
    return (a, b) == (True, True)


def either(a: bool, b: bool) -> bool:
    return True in (a, b)


def agreed(a: Any, b: Any) -> Any:
    return a if a is b else None


def agreed_on(a: Mesh | None, b: Mesh | None) -> Mesh | None:
    return a if a == b else None


def common(a: frozenset[Any], b: frozenset[Any]) -> frozenset[Any]:
    return frozenset(each for each in a if each in b)


def interval(a: Recorded, b: Recorded) -> Recorded:
    return Recorded(min(a.must, b.must), max(a.may, b.may))


def united(a: frozenset[Any], b: frozenset[Any]) -> frozenset[Any]:
    return frozenset(itertools.chain(a, b))


def of_both_ways(a: tuple[LastCut, ...], b: tuple[LastCut, ...]) -> tuple[LastCut, ...]:
    """Nothing was recorded only if nothing was on either way."""
    return tuple(sorted({*a, *b}, key=lambda cut: cut.site))[:MOST_PLACES] if a and b else ()


def worse(a: Assumptions, b: Assumptions) -> Assumptions:
    """On either way one of them is enough: what assumes more counts."""
    return max(a, b, key=lambda assumed: (len(assumed), [-ord(c) for c in "".join(sorted(assumed))]))


def first_of_both(a: Raised | None, b: Raised | None) -> Raised | None:
    """What raises on one way alone stands before nothing."""
    return sorted([a, b], key=lambda raised: raised[:2])[0] if a and b else None


def first_places(a: tuple[Site, ...], b: tuple[Site, ...]) -> tuple[Site, ...]:
    return tuple(sorted(set(a + b)))[:MOST_PLACES]


def common_prefix(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False))
    )


LAWS: dict[type[Any], dict[str, Callable[[Any, Any], Any]]] = {
    Engine: {
        "recorded": interval,
        "since": first_places,
        "parameters": interval,
        "parameters_reduced": both,
        "gradients": interval,
        "eager": agreed,
        "skip_cut": either,
        "idle_since": of_both_ways,
        "markers": united,
        "unwaited": both,
        "clock": agreed,
        "of_forward": either,
    },
    Scopes: {
        "open": common_prefix,
        "in_closure": both,
        "in_forward": both,
        "in_loop": either,
        "in_batches": either,
        "seldom": either,
        "no_grad": agreed,
        "between": agreed,
    },
    Replicas: {
        "splits": common_prefix,
        "launched": agreed,
        "wrapped": agreed,
        "spmd": agreed,
        "sharded": agreed,
        "backend": agreed,
    },
    Activity: {
        "works": either,
        "reads": either,
        "fetches": united,
        "backward": either,
        "clears": either,
        "steps": either,
        "steps_often": either,
        "cuts": either,
        "cuts_often": either,
        "may_cut": either,
        "cut_by": united,
        "opens_step": either,
        "saves": either,
        "closures": united,
        "trained": united,
        "meets": united,
        "asks": either,
        "moves": either,
        "dynamo": united,
    },
    Trust: {"opaque": worse, "bounded": worse, "summing": worse, "raised": first_of_both},
    Setup: {"mesh": agreed_on, "marked": common, "caches": either, "registered": either},
}
"""What each field of the joined state must be, said once more and without a look at how it is done."""


class Joined(NamedTuple):
    """Two states that hold `mine` and `theirs` in one field and are equal in all others, and their join."""

    mine: Any
    theirs: Any
    one: State
    other: State
    join: State


every_field = pytest.mark.parametrize(
    ("of", "field"),
    [pytest.param(of, field, id=f"{of.__name__}-{field}") for of, laws in LAWS.items() for field in laws],
)


def joined(of: type[Any], field: str) -> Iterator[Joined]:
    """All pairs of values of one field."""
    for mine, theirs in itertools.product(VALUES[get_type_hints(of)[field]], repeat=2):
        one, other = held(of(**{field: mine})), held(of(**{field: theirs}))
        yield Joined(mine, theirs, one, other, join(one, other))


def held(part: Any) -> State:
    """A state that holds a sub-state."""
    state = State()
    if isinstance(part, Activity):
        state.loop = Loop(own=part)
    else:
        setattr(state, type(part).__name__.lower(), part)
    return state


def part_of(state: State, of: type[Any]) -> Any:
    return state.loop.own if of is Activity else getattr(state, of.__name__.lower())


def test_every_field_of_every_part_has_its_join_in_its_order() -> None:
    whole = State()
    parts = {type(getattr(whole, slot)) for slot in State.__slots__}
    parts -= {Asked, Loop, Gradients, frozenset, tuple}
    assert set(JOINS) == parts | {Activity}
    assert {of: list(joins) for of, joins in JOINS.items()} == {of: list(of._fields) for of in JOINS}  # type: ignore[attr-defined]


def test_every_field_has_its_law() -> None:
    assert {of: list(laws) for of, laws in LAWS.items()} == {of: list(joins) for of, joins in JOINS.items()}


@every_field
def test_a_field_is_joined_by_its_law_and_no_other_field_changes(of: type[Any], field: str) -> None:
    law = LAWS[of][field]
    for pair in joined(of, field):
        # A state joined with itself is itself: places of recorded work keep the order they came in.
        wanted = pair.mine if pair.mine == pair.theirs else law(pair.mine, pair.theirs)
        assert part_of(pair.join, of) == part_of(pair.one, of)._replace(**{field: wanted})


@every_field
def test_a_join_does_not_mind_the_order_and_is_reached_in_one_go(of: type[Any], field: str) -> None:
    for pair in joined(of, field):
        assert join(pair.other, pair.one) == pair.join
        assert join(pair.join, pair.one) == join(pair.join, pair.other) == pair.join
        assert join(pair.join, pair.join.copy()) == pair.join


@every_field
def test_states_that_differ_in_one_field_are_two(of: type[Any], field: str) -> None:
    for pair in joined(of, field):
        assert (pair.one == pair.other) is (pair.mine == pair.theirs)
        assert (pair.one.key() == pair.other.key()) is (pair.mine == pair.theirs)
        assert pair.one.copy() == pair.one


# Loops -------------------------------------------------------------------------------------------


def test_a_state_is_made_again_of_its_key() -> None:
    parts = [f"the {part} of a state" for part in inspect.signature(State).parameters]
    state = State(*parts)  # type: ignore[arg-type]
    again = State(*state.key())  # type: ignore[arg-type]
    assert again.key() == state.key() == tuple(parts[:-2])
    assert inspect.signature(State).parameters.keys() == {*State.__slots__}


def test_a_context_is_a_state_without_what_nobody_asks_for() -> None:
    seed, read = Obligation(Owed.SEED, ()), Obligation(Owed.READ, ())
    state = State(obligations=frozenset({seed, read}))
    assert state.context() == State(obligations=frozenset({read})).key()
    assert entered_state(state.context(), state.waiting) == state


def test_all_states_of_an_activation_know_what_it_asked_for() -> None:
    state, other = State(), State()
    joined, copied, mapped = join(state, other), state.copy(), state.map(lambda part: part)
    for owed, each in zip(WAITING, (state, joined, copied, mapped), strict=False):
        each.owes(owed)
    assert state.asked.sorts == sum([*WAITING.values()][:4])
    assert not other.asked.sorts


def test_what_a_loop_did_by_itself_and_what_loops_in_it_did_stay_apart() -> None:
    reads, cuts = Activity(reads=True), Activity(cuts=True)
    assert join_loops(Loop(own=reads), Loop(own=cuts)) == Loop(own=Activity(reads=True, cuts=True))
    assert join_loops(Loop(nested=reads), Loop(nested=cuts)) == Loop(nested=Activity(reads=True, cuts=True))
    assert join_loops(Loop(own=reads), Loop(nested=cuts)) == Loop(reads, cuts)
    assert join_loops(Loop(nested=cuts), Loop(own=reads)) == Loop(reads, cuts)


# Gradients ---------------------------------------------------------------------------------------

ADAM, SGD = at(6), at(7)
STAGES = [
    frozenset({Gradient.NONE}),
    frozenset({Gradient.LOCAL}),
    frozenset({Gradient.LOCAL, Gradient.USED}),
]
GRADIENTS = [
    Gradients(others, tuple(sorted(named.items())))
    for others in STAGES
    for named in (
        {},
        *({ADAM: stage} for stage in STAGES),
        *({ADAM: one, SGD: other} for one, other in itertools.combinations(STAGES, 2)),
    )
]


def test_gradients_of_each_optimizer_are_those_of_either_way() -> None:
    for one, other in itertools.product(GRADIENTS, repeat=2):
        both_of_them = one.join(other)
        for optimizer in (ADAM, SGD, at(99)):
            assert both_of_them.of(optimizer) == one.of(optimizer) | other.of(optimizer)
        assert both_of_them.of(None) >= one.of(None) | other.of(None)


def test_joined_gradients_do_not_mind_the_order_and_are_reached_in_one_go() -> None:
    for one, other in itertools.product(GRADIENTS, repeat=2):
        both_of_them = one.join(other)
        assert other.join(one) == both_of_them
        assert both_of_them.join(one) == both_of_them.join(other) == both_of_them
        assert both_of_them.join(both_of_them) == both_of_them


def test_a_state_joins_its_gradients() -> None:
    one, other = State(), State()
    one.gradients, other.gradients = GRADIENTS[1], GRADIENTS[-1]
    assert join(one, other).gradients == one.gradients.join(other.gradients)


# What is owed, and where replicas met ------------------------------------------------------------


def test_what_is_owed_after_either_way_is_owed() -> None:
    read, exit_ = Obligation(Owed.READ, (at(1),)), Obligation(Owed.EXIT, (at(2),))
    one, other = State(), State()
    one.obligations, other.obligations = frozenset({read}), frozenset({exit_})
    assert join(one, other).obligations == {read, exit_}


MET: tuple[tuple[str, Path], ...] = (("rendezvous one", (at(1),)), ("rendezvous two", (at(2),)))


def test_the_way_on_which_replicas_met_more_often_counts() -> None:
    one, other = State(), State()
    one.collectives, other.collectives = MET[:1], MET
    assert join(one, other).collectives == join(other, one).collectives == MET
