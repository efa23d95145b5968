"""The model of the lazy engine, driven by hand: what each transition keeps, settles and forgets."""

from __future__ import annotations

import itertools

import pytest

from xlalint.lazy.assumptions import IS_A_TENSOR, assume
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import (
    ClosureNeverRun,
    Event,
    HostRead,
    Leaving,
    LeftPending,
    LoopLeft,
    Reading,
    ReadThenCut,
    StepSplit,
    UnmatchedCollective,
)
from xlalint.lazy.gradients import Gradient, Gradients
from xlalint.lazy.model import LazyModel
from xlalint.lazy.obligations import Obligation, Owed
from xlalint.lazy.scopes import Scope, ScopeKind, Split
from xlalint.lazy.site import Site
from xlalint.lazy.state import Activity, Loop, State, join
from xlalint.lazy.values import (
    HEAVY,
    LIGHT,
    NOTHING,
    PERHAPS,
    UNKNOWN,
    Kind,
    Recorded,
    Value,
    Weight,
)
from xlalint.lazy.values import join as join_values

LOSS = Value(Kind.TENSOR, recorded=HEAVY)


def at(line: int) -> Site:
    return Site("train.py", line)


class Run:
    """A model, the state it drives and the events it gave."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.model = LazyModel(lambda event, state: self.events.append(event))
        self.state = State()

    def lines(self, kind: type[Event]) -> list[tuple[int, int]]:
        """Where events of one kind stand, and where the event that they are about."""
        return [(event.site.line, event.path[-1].line) for event in self.events if isinstance(event, kind)]


@pytest.fixture
def run() -> Run:
    return Run()


# Work and cuts


def test_work_stays_recorded_until_a_cut(run: Run) -> None:
    run.model.record(run.state, Weight.LIGHT, at(1))
    assert run.state.engine.recorded == LIGHT and not run.state.pending
    run.model.record(run.state, Weight.HEAVY, at(2))
    assert run.state.engine.recorded == HEAVY and run.state.pending
    assert run.state.engine.since == (at(1), at(2))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(3))
    assert run.state.engine.recorded == NOTHING and run.state.engine.since == ()


def test_three_places_of_recorded_work_are_remembered(run: Run) -> None:
    for line in (4, 3, 2, 1, 4):
        run.model.record(run.state, Weight.LIGHT, at(line))
    assert run.state.engine.since == (at(4), at(3), at(2))


def test_a_cut_that_perhaps_happens_leaves_work_perhaps_recorded(run: Run) -> None:
    run.model.record(run.state, Weight.HEAVY, at(1))
    run.model.cut(run.state, Cause.LOADER, "loader", at(2), sure=False)
    assert run.state.engine.recorded == Recorded(Weight.NONE, Weight.HEAVY)
    assert run.state.loop.may_cut and not run.state.loop.cuts
    assert run.events == []


def test_in_eager_mode_nothing_is_recorded_outside_of_a_step(run: Run) -> None:
    run.state.engine = run.state.engine._replace(eager=True)
    assert run.model.record(run.state, Weight.HEAVY, at(1)) == NOTHING
    run.model.enter(run.state, Scope(ScopeKind.COMPILE, at(2)), "step")
    assert run.model.record(run.state, Weight.HEAVY, at(3)) == HEAVY


@pytest.mark.parametrize("kind", ScopeKind)
def test_scopes_cut_as_the_engine_does(run: Run, kind: ScopeKind) -> None:
    scope = Scope(kind, at(2))
    run.model.record(run.state, Weight.HEAVY, at(1))
    run.model.enter(run.state, scope, "scope")
    assert run.state.pending is not kind.is_step
    run.model.record(run.state, Weight.HEAVY, at(3))
    run.model.leave(run.state, scope, "scope")
    assert run.state.pending is not (kind.is_step or kind is ScopeKind.STEP_TRACE)
    assert run.state.scopes.open == ()


def test_leaving_a_scope_leaves_those_within(run: Run) -> None:
    outer, inner = Scope(ScopeKind.STEP, at(1)), Scope(ScopeKind.TRACE, at(2))
    run.model.enter(run.state, outer, "outer")
    run.model.enter(run.state, inner, "inner")
    run.model.leave(run.state, outer, "outer")
    assert run.state.scopes.open == ()


def test_a_loader_leaves_out_one_cut_for_each_step_trace(run: Run) -> None:
    scope = Scope(ScopeKind.STEP_TRACE, at(1))
    run.model.enter(run.state, scope, "trace")
    assert not run.model.takes_batch(run.state)
    assert run.model.takes_batch(run.state)
    run.model.leave(run.state, scope, "trace")
    assert run.model.takes_batch(run.state)
    run.model.enter(run.state, scope, "trace")
    run.model.leave(run.state, scope, "trace")
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(2))
    assert not run.model.takes_batch(run.state)


# Reads


def test_a_read_changes_nothing_that_is_recorded(run: Run) -> None:
    run.model.record(run.state, Weight.HEAVY, at(1))
    before = run.state.engine.recorded
    run.model.read(run.state, LOSS, Reading.EXPLICIT, ".item()", at(2))
    assert run.state.engine.recorded == before
    assert run.lines(HostRead) == [(2, 2)]


def test_every_read_before_a_cut_is_told_at_the_cut(run: Run) -> None:
    for line in (3, 2):
        run.model.read(run.state, LOSS, Reading.EXPLICIT, ".item()", at(line))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(4))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(5))
    assert run.lines(ReadThenCut) == [(4, 2), (4, 3)]


@pytest.mark.parametrize(
    "value", [LOSS.run(), LOSS._replace(recorded=LIGHT), UNKNOWN._replace(recorded=HEAVY)]
)
def test_a_read_that_runs_no_heavy_work_of_a_tensor_costs_nothing_twice(run: Run, value: Value) -> None:
    run.model.read(run.state, value, Reading.EXPLICIT, ".item()", at(1))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(2))
    assert run.lines(ReadThenCut) == []


@pytest.mark.parametrize("where", ["step", "closure", "eager"])
def test_reads_that_other_rules_are_about_wait_for_no_cut(run: Run, where: str) -> None:
    if where == "step":
        run.model.enter(run.state, Scope(ScopeKind.STEP, at(1)), "step")
    run.state.scopes = run.state.scopes._replace(in_closure=where == "closure")
    run.state.engine = run.state.engine._replace(eager=where == "eager")
    run.model.read(run.state, LOSS, Reading.EXPLICIT, ".item()", at(2))
    assert run.state.obligations == frozenset()


# Gradients


def test_a_cut_between_backward_and_the_step_is_told_when_nothing_can_excuse_it_any_more(run: Run) -> None:
    run.model.backward(run.state, at(1))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(2))
    run.model.step_optimizer(run.state, at(3))
    assert run.state.gradients == Gradients(frozenset({Gradient.USED}))
    assert run.state.engine.parameters == HEAVY
    assert run.lines(StepSplit) == []
    run.model.end(run.state, at(9))
    assert run.lines(StepSplit) == [(2, 2)]


def test_a_cut_before_the_next_backward_accumulates(run: Run) -> None:
    run.model.backward(run.state, at(1))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(2))
    run.model.backward(run.state, at(3))
    run.model.step_optimizer(run.state, at(4))
    run.model.end(run.state, at(9))
    assert run.lines(StepSplit) == []


def test_one_iteration_that_accumulates_excuses_the_cut_of_another(run: Run) -> None:
    """The step is taken every so many micro-batches, and each of them ends with a cut."""
    run.model.backward(run.state, at(1))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(2))
    complete, incomplete = run.state.copy(), run.state
    run.model.step_optimizer(complete, at(3))
    run.model.backward(incomplete, at(1))
    run.state = join(complete, incomplete)
    run.model.end_loop(run.state, Loop(), None, NOTHING, at(0))
    assert run.lines(StepSplit) == []
    assert run.state.owes(Owed.STEP_IN_TWO) == []


@pytest.mark.parametrize(("inside", "told"), [(False, [(2, 2)]), (True, [])])
def test_a_split_step_is_told_at_the_end_of_the_outermost_loop(
    run: Run, inside: bool, told: list[tuple[int, int]]
) -> None:
    run.model.backward(run.state, at(1))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(2))
    run.model.step_optimizer(run.state, at(3))
    run.state.scopes = run.state.scopes._replace(in_loop=inside)
    run.model.end_loop(run.state, Loop(), None, NOTHING, at(0))
    assert run.lines(StepSplit) == told


@pytest.mark.parametrize("cause", [Cause.LOADER, Cause.SCOPE_EXIT, Cause.BARRIER, Cause.RENDEZVOUS])
def test_only_a_marker_that_somebody_wrote_splits_a_step(run: Run, cause: Cause) -> None:
    run.model.backward(run.state, at(1))
    run.model.cut(run.state, cause, "", at(2))
    run.model.step_optimizer(run.state, at(3))
    run.model.end(run.state, at(9))
    assert run.lines(StepSplit) == []


# Loops and ends


@pytest.mark.parametrize(("how", "told"), [("break", [(5, 3)]), ("return", [(5, 3)]), ("raise", [])])
def test_a_loop_left_with_parameters_pending_is_told_when_the_program_ends(
    run: Run, how: str, told: list[tuple[int, int]]
) -> None:
    run.model.step_optimizer(run.state, at(2))
    run.model.leave_loop(run.state, how, at(3))
    run.model.end(run.state, at(5))
    assert run.lines(LeftPending) == told


def test_a_cut_after_the_loop_settles_its_early_end(run: Run) -> None:
    run.model.step_optimizer(run.state, at(2))
    run.model.leave_loop(run.state, "break", at(3))
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(4))
    run.model.end(run.state, at(5))
    assert run.lines(LeftPending) == []


def test_more_work_after_the_loop_is_told_at_once(run: Run) -> None:
    run.model.step_optimizer(run.state, at(2))
    run.model.leave_loop(run.state, "break", at(3))
    run.model.record(run.state, Weight.HEAVY, at(4))
    run.model.end(run.state, at(5))
    assert [(e.site.line, e.leaving) for e in run.events if isinstance(e, LeftPending)] == [(4, Leaving.WORK)]


def test_what_an_evaluation_leaves_behind_nobody_misses(run: Run) -> None:
    run.model.record(run.state, Weight.HEAVY, at(2))
    run.model.leave_loop(run.state, "break", at(3))
    assert run.state.obligations == frozenset()


def test_what_a_loop_does_is_nested_for_the_loop_around_it(run: Run) -> None:
    inner = Loop(own=Activity(steps=True, backward=True), nested=Activity(cuts=True))
    run.state.loop = inner
    run.model.end_loop(run.state, Loop(own=Activity(reads=True)), None, HEAVY, at(1))
    assert run.state.loop == Loop(Activity(reads=True), Activity(steps=True, backward=True, cuts=True))
    (left,) = [event for event in run.events if isinstance(event, LoopLeft)]
    assert left.loop == inner


@pytest.mark.parametrize("cut", [True, False])
def test_a_closure_waits_for_a_cut(run: Run, cut: bool) -> None:
    run.model.add_closure(run.state, at(1), asynchronous=False)
    if cut:
        run.model.cut(run.state, Cause.LOADER, "loader", at(2))
    run.model.end(run.state, at(3))
    assert run.lines(ClosureNeverRun) == ([] if cut else [(3, 1)])


@pytest.mark.parametrize(
    ("recorded", "left"),
    [
        (HEAVY, set(Owed)),
        (LIGHT, set(Owed) - {Owed.READ, Owed.EXIT, Owed.STEPS}),
        (NOTHING, set(Owed) - {Owed.READ, Owed.EXIT, Owed.STEPS}),
    ],
)
def test_what_a_cut_would_run_again_is_owed_while_it_is_recorded(
    run: Run, recorded: Recorded, left: set[Owed]
) -> None:
    """An engine may run work without a cut, and tells so."""
    run.state.obligations = frozenset(Obligation(owed, (at(1),)) for owed in Owed)
    run.model.observe(
        run.state,
        recorded=recorded,
        eager=False,
        launched=False,
        in_closure=False,
        in_forward=False,
        in_loop=False,
    )
    assert {obligation.owed for obligation in run.state.obligations} == left


# Replicas

MASTER = Split(at(1), True)
REST = Split(at(1), False, master=False)


def parted(run: Run, *operations: str, rest: tuple[str, ...] = ()) -> list[tuple[int, int]]:
    arms = []
    for split, met, line in ((MASTER, operations, 2), (REST, rest, 4)):
        arm = run.model.part(run.state, split)
        for operation in met:
            run.model.collective(arm, operation, "", at(line))
        arms.append((split, arm))
    joined = run.model.meet(run.state, arms)
    run.model.settle_collectives([joined], at(9))
    return run.lines(UnmatchedCollective)


def test_a_collective_of_one_arm_is_unmatched(run: Run) -> None:
    assert parted(run, "rendezvous") == [(9, 2)]


def test_a_collective_of_both_arms_is_met(run: Run) -> None:
    assert parted(run, "rendezvous", rest=("rendezvous",)) == []


def test_one_collective_does_not_meet_two(run: Run) -> None:
    assert parted(run, "all_reduce", "rendezvous", rest=("all_reduce",)) == [(9, 2)]


def test_wait_then_go_pairs_two_tests(run: Run) -> None:
    """The first test sends all but the master through a rendezvous, a later one the master."""
    arms = [(MASTER, run.model.part(run.state, MASTER)), (REST, run.model.part(run.state, REST))]
    run.model.collective(arms[1][1], "rendezvous", "", at(2))
    state = run.model.meet(run.state, arms)
    arms = [(MASTER, run.model.part(state, MASTER)), (REST, run.model.part(state, REST))]
    run.model.collective(arms[0][1], "rendezvous", "", at(4))
    state = run.model.meet(state, arms)
    run.model.settle_collectives([state], at(9))
    assert run.lines(UnmatchedCollective) == []


# Joins


def test_a_copy_is_independent() -> None:
    state = State()
    copy = state.copy()
    copy.engine = copy.engine._replace(recorded=HEAVY)
    assert state.engine.recorded == NOTHING and state != copy


VALUES = [
    LOSS,
    LOSS.run(),
    LOSS._replace(assumes=assume("this is a tensor")),
    LOSS._replace(differs=True),
    LOSS._replace(reduced=True),
    Value(Kind.HOST),
    Value(Kind.ORDINAL, differs=True),
    Value(Kind.MODULE),
    Value(Kind.NONE),
    UNKNOWN,
]


@pytest.mark.parametrize(("one", "other"), [*itertools.combinations(VALUES, 2)])
def test_joined_values_do_not_mind_the_order(one: Value, other: Value) -> None:
    assert join_values(one, other) == join_values(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [*itertools.combinations([v for v in VALUES if v.kind not in (Kind.MODULE, Kind.ORDINAL)], 2)],
)
def test_joined_values_are_reached_in_one_go(one: Value, other: Value) -> None:
    """But for a tensor joined with an object, which is unknown, and with a tensor again an unsure one."""
    joined = join_values(one, other)
    assert join_values(joined, one) == joined
    assert join_values(joined, other) == joined


def test_none_gives_way_and_a_number_in_one_branch_is_an_unsure_tensor() -> None:
    assert join_values(LOSS, Value(Kind.NONE)) == LOSS._replace(present=PERHAPS)
    # What is recorded is said of the tensor that it may be.
    assert join_values(LOSS, Value(Kind.HOST)) == Value(Kind.TENSOR, IS_A_TENSOR, LOSS.recorded)
    assert join_values(LOSS, Value(Kind.UNKNOWN)) == Value(
        Kind.TENSOR, IS_A_TENSOR, Recorded(Weight.NONE, Weight.HEAVY)
    )
    assert join_values(LOSS, Value(Kind.MODULE)).kind is Kind.UNKNOWN


def test_obligations_are_told_in_an_order_that_all_their_parts_decide() -> None:
    """Of two that stand at one place, the first is the one that is shown."""
    state = State()
    two = [Obligation(Owed.READ, (at(1),), since=(at(line),)) for line in (126, 134)]
    two += [Obligation(Owed.COLLECTIVE, (at(1),), split=split) for split in (MASTER, REST)]
    state.obligations = frozenset(two)
    assert state.owes(Owed.READ) == two[:2]
    assert state.owes(Owed.COLLECTIVE) == [two[3], two[2]]


def test_what_the_engine_tells_replaces_what_the_model_assumed(run: Run) -> None:
    run.model.record(run.state, Weight.HEAVY, at(1))
    run.model.read(run.state, LOSS, Reading.EXPLICIT, "loss.item()", at(2))
    run.model.add_closure(run.state, at(3), asynchronous=False)
    told = {"eager": False, "launched": True, "in_closure": False, "in_forward": False, "in_loop": True}
    run.model.observe(run.state, recorded=HEAVY, **told)
    assert run.state.owes(Owed.READ)
    run.model.observe(run.state, recorded=NOTHING, **told)
    assert not run.state.owes(Owed.READ), "what was read has run meanwhile: no cut runs it again"
    assert run.state.owes(Owed.CLOSURE), "a closure waits for a cut, whatever is recorded"
    assert (run.state.engine.since, run.state.scopes.in_loop, run.state.replicas.launched) == ((), True, True)


def test_what_happened_around_a_loop_is_not_what_happens_in_it(run: Run) -> None:
    run.model.cut(run.state, Cause.MARKER, "torch_xla.sync()", at(1))
    outside = run.model.enter_loop(run.state)
    assert not run.state.loop.cuts
    run.model.end_loop(run.state, outside, None, NOTHING, at(2), told=False)
    assert run.state.loop.own.cuts
    assert not run.lines(LoopLeft)
