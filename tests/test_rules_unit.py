"""Each rule judged on events of a model that is driven by hand: no analyzer, no engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import FOLLOWED, NONE, Assumptions, assume
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Event, Reading
from xlalint.lazy.model import LazyModel
from xlalint.lazy.scopes import Scope, ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.state import NOTHING_DONE, State, join
from xlalint.lazy.values import HEAVY, HOST, LIGHT, NOTHING, UNKNOWN, Kind, Recorded, Value, Weight
from xlalint.rule import Finding, Rule
from xlalint.versions import DEFAULT_TARGET, VersionRange
from xlalint_rules.xla101_host_read_in_step import HostReadInStep
from xlalint_rules.xla102_host_read_before_sync import HostReadBeforeSync
from xlalint_rules.xla103_tensor_as_bool import TensorAsBool
from xlalint_rules.xla106_eager_closure_argument import EagerClosureArgument
from xlalint_rules.xla201_manual_step_marker import ManualStepMarker
from xlalint_rules.xla202_missing_step_marker import MissingStepMarker
from xlalint_rules.xla203_early_exit_with_pending_graph import EarlyExitWithPendingGraph
from xlalint_rules.xla204_marker_in_step import MarkerInStep
from xlalint_rules.xla205_split_step import SplitStep
from xlalint_rules.xla206_redundant_marker import RedundantMarker
from xlalint_rules.xla711_xla_generator import XlaGenerator

LOSS = Value(Kind.TENSOR, recorded=HEAVY)
LOADER = Value(Kind.LOADER)


class Program:
    """A program told as the model's transitions, one line after the other, judged by one rule."""

    def __init__(self, rule: type[Rule[Any]], target: VersionRange = DEFAULT_TARGET) -> None:
        self.rule = rule(target)
        self.model = LazyModel(self._judge)
        self.state = State()
        self.findings: list[Finding] = []
        self.line = 0

    def _judge(self, event: Event, state: State) -> None:
        if isinstance(event, self.rule.events):
            self.findings.extend(self.rule.judge(event, state.view()))

    def next(self) -> Site:
        """The place of the next line."""
        self.line += 1
        return Site("train.py", self.line)

    def forward(self) -> None:
        self.model.record(self.state, Weight.HEAVY, self.next())

    def backward(self) -> None:
        self.model.backward(self.state, self.next())

    def train(self) -> None:
        self.backward()
        self.step()

    def step(self, *, barrier: bool = False) -> None:
        site = self.next()
        self.model.step_optimizer(self.state, site, barrier=barrier)
        if barrier:
            self.model.cut(self.state, Cause.BARRIER, "xm.optimizer_step", site)

    def read(
        self, value: Value = LOSS, reading: Reading = Reading.EXPLICIT, *, closure_argument: bool = False
    ) -> None:
        self.model.read(self.state, value, reading, ".item()", self.next(), closure_argument=closure_argument)

    def cut(self, cause: Cause = Cause.MARKER, *, sure: bool = True) -> None:
        self.model.cut(self.state, cause, "torch_xla.sync()", self.next(), sure=sure)

    def enter(self, kind: ScopeKind) -> Scope:
        scope = Scope(kind, self.next())
        self.model.enter(self.state, scope, kind.value)
        return scope

    def leave(self, scope: Scope) -> None:
        self.model.leave(self.state, scope, scope.kind.value)

    def loop(self, body: Callable[[], None], over: Value | None = None) -> None:
        """A loop of one pass: what its body leaves at the end is what every iteration leaves."""
        site, outside, in_loop = self.next(), self.state.loop, self.state.scopes.in_loop
        self.state.loop = NOTHING_DONE
        self.state.scopes = self.state.scopes._replace(in_loop=True)
        body()
        self.state.scopes = self.state.scopes._replace(in_loop=in_loop)
        engine = self.state.engine
        self.model.end_loop(self.state, outside, over, engine.recorded, site, since=engine.since)

    def end(self) -> None:
        self.model.end(self.state, self.next())

    @property
    def lines(self) -> list[int]:
        """The lines of what was found."""
        return [finding.path[-1].line for finding in self.findings]


class TestHostReadInStep:
    def program(self, value: Value, reading: Reading, kind: ScopeKind = ScopeKind.STEP) -> Program:
        program = Program(HostReadInStep)
        program.enter(kind)
        program.forward()
        program.read(value, reading)
        return program

    @pytest.mark.parametrize("kind", [ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH])
    def test_finds_a_read_and_names_the_scope(self, kind: ScopeKind) -> None:
        (finding,) = self.program(LOSS, Reading.EXPLICIT, kind).findings
        assert finding.path == (Site("train.py", 3),)
        assert finding.owner == Scope(kind, Site("train.py", 1))
        assert "{owner}" in finding.message
        assert finding.assumes == NONE

    def test_explicit_reads_need_not_be_sure(self) -> None:
        unsure = LOSS._replace(assumes=assume("this is a tensor"))
        assert [len(f.assumes) for f in self.program(unsure, Reading.EXPLICIT).findings] == [1]
        assert [
            len(f.assumes)
            for f in self.program(UNKNOWN._replace(assumes=unsure.assumes), Reading.EXPLICIT).findings
        ] == [1]

    def test_implicit_reads_must_be_sure(self) -> None:
        assert self.program(LOSS, Reading.TEXT).lines == [3]
        assert self.program(LOSS._replace(assumes=assume("this is a tensor")), Reading.TEXT).lines == []
        assert self.program(UNKNOWN, Reading.TEXT).lines == []

    def test_silent_on_host_values_and_on_what_has_run(self) -> None:
        assert self.program(HOST, Reading.EXPLICIT).lines == []
        assert self.program(LOSS.run(), Reading.EXPLICIT).lines == []

    def test_silent_below_the_scope(self) -> None:
        program = Program(HostReadInStep)
        scope = program.enter(ScopeKind.STEP)
        program.forward()
        program.leave(scope)
        program.read(LOSS)
        assert program.lines == []


class TestHostReadBeforeSync:
    def test_waits_for_the_cut(self) -> None:
        program = Program(HostReadBeforeSync)
        program.state.scopes = program.state.scopes._replace(in_loop=True)
        program.forward()
        program.read()
        assert program.findings == []
        program.cut(Cause.LOADER)
        (finding,) = program.findings
        assert finding.path == (Site("train.py", 2),)
        assert finding.since == (Site("train.py", 1),)
        assert finding.severity is Severity.WARNING
        assert "loader" in finding.message

    def test_is_a_note_outside_of_loops(self) -> None:
        program = Program(HostReadBeforeSync)
        program.forward()
        program.read()
        program.cut()
        assert [f.severity for f in program.findings] == [Severity.INFO]

    @pytest.mark.parametrize("cause", list(Cause))
    def test_every_cut_has_words(self, cause: Cause) -> None:
        program = Program(HostReadBeforeSync)
        program.forward()
        program.read()
        program.cut(cause)
        assert len(program.findings) == 1

    def test_silent_on_light_work_and_after_a_cut(self) -> None:
        program = Program(HostReadBeforeSync)
        program.read(Value(Kind.TENSOR, recorded=LIGHT))
        program.read(LOSS.run())
        program.cut()
        assert program.lines == []

    def test_silent_where_the_cut_is_not_sure(self) -> None:
        program = Program(HostReadBeforeSync)
        program.forward()
        program.read()
        program.cut(sure=False)
        assert program.lines == []


class TestTensorAsBool:
    @pytest.mark.parametrize("reading", [Reading.BOOL, Reading.INDEX, Reading.MATH])
    def test_finds_what_python_asks_for(self, reading: Reading) -> None:
        program = Program(TensorAsBool)
        program.state.scopes = program.state.scopes._replace(in_loop=True)
        program.read(Value(Kind.TENSOR, recorded=LIGHT), reading)
        assert [f.severity for f in program.findings] == [Severity.WARNING]

    def test_is_a_note_outside_of_loops(self) -> None:
        program = Program(TensorAsBool)
        program.read(LOSS, Reading.BOOL)
        assert [f.severity for f in program.findings] == [Severity.INFO]

    def test_asks_for_a_sync_only_where_something_pends(self) -> None:
        program = Program(TensorAsBool)
        program.read(LOSS, Reading.BOOL)
        program.read(Value(Kind.TENSOR, recorded=LIGHT), Reading.BOOL)
        pends, has_run = [finding.help or "" for finding in program.findings]
        assert "call `torch_xla.sync()` first" in pends
        assert has_run.startswith("no sync is missing")

    def test_silent_on_what_the_programmer_asked_for(self) -> None:
        program = Program(TensorAsBool)
        program.read(LOSS, Reading.EXPLICIT)
        program.read(LOSS, Reading.TEXT)
        assert program.lines == []

    def test_silent_on_unsure_values_and_in_closures(self) -> None:
        program = Program(TensorAsBool)
        program.read(LOSS._replace(assumes=assume("this is a tensor")), Reading.BOOL)
        program.state.scopes = program.state.scopes._replace(in_closure=True)
        program.read(LOSS, Reading.BOOL)
        assert program.lines == []


class TestEagerClosureArgument:
    def test_finds_a_read_among_the_arguments(self) -> None:
        program = Program(EagerClosureArgument)
        program.forward()
        program.read(closure_argument=True)
        program.read()
        assert program.lines == [2]

    def test_silent_on_what_has_run_and_on_unknown_values(self) -> None:
        program = Program(EagerClosureArgument)
        program.read(LOSS.run(), closure_argument=True)
        program.read(UNKNOWN, closure_argument=True)
        assert program.lines == []


class TestManualStepMarker:
    def loop(self, *actions: str, target: VersionRange = DEFAULT_TARGET) -> Program:
        program = Program(ManualStepMarker, target)

        def body() -> None:
            for action in actions:
                if action == "closure":
                    program.model.add_closure(program.state, program.next(), asynchronous=False)
                else:
                    getattr(program, action)()

        program.loop(body)
        return program

    def test_finds_the_marker(self) -> None:
        (finding,) = self.loop("forward", "backward", "step", "cut").findings
        assert finding.path == (Site("train.py", 5),)
        assert finding.severity is Severity.INFO

    def test_finds_the_last_of_several_markers(self) -> None:
        assert self.loop("forward", "cut", "step", "cut").lines == [5]

    def test_finds_a_closure_before_another_cut(self) -> None:
        program = Program(ManualStepMarker)

        def body() -> None:
            program.cut(Cause.LOADER)
            program.step()
            program.model.add_closure(program.state, program.next(), asynchronous=False)

        program.loop(body, LOADER)
        assert program.lines == [4]

    def test_silent_on_a_conditional_marker(self) -> None:
        program = Program(ManualStepMarker)

        def body() -> None:
            program.step()
            program.cut()
            program.state.engine = program.state.engine._replace(recorded=Recorded(Weight.NONE, Weight.HEAVY))

        program.loop(body)
        assert program.lines == []

    def test_silent_without_work(self) -> None:
        assert self.loop("cut").lines == []

    def test_silent_on_a_marker_that_does_not_end_the_step(self) -> None:
        program = Program(ManualStepMarker)

        def body() -> None:
            program.backward()
            program.cut()
            program.step(barrier=True)

        program.loop(body)
        assert program.lines == []

    def test_silent_on_the_layers_of_a_forward(self) -> None:
        program = Program(ManualStepMarker)
        program.state.scopes = program.state.scopes._replace(in_forward=True)

        def body() -> None:
            program.forward()
            program.cut()

        program.loop(body)
        assert program.lines == []

    def test_silent_where_a_scope_or_a_profiler_is_at_work(self) -> None:
        for kind in (ScopeKind.STEP, ScopeKind.STEP_TRACE):
            program = Program(ManualStepMarker)

            def body(program: Program = program, kind: ScopeKind = kind) -> None:
                scope = program.enter(kind)
                program.step()
                program.leave(scope)
                program.cut()

            program.loop(body)
            assert program.lines == []

    def test_silent_for_the_loop_around(self) -> None:
        program = Program(ManualStepMarker)

        def body() -> None:
            program.train()
            program.cut()

        program.loop(lambda: program.loop(body))
        assert program.lines == [5]

    def test_silent_on_micro_batches_of_an_outer_loop(self) -> None:
        program = Program(ManualStepMarker)

        def micro_batch() -> None:
            program.backward()
            program.cut()

        def step() -> None:
            program.loop(micro_batch)
            program.step()

        program.loop(step)
        assert program.lines == []

    def test_silent_where_the_step_scope_does_not_exist(self) -> None:
        old = VersionRange((2, 3), (2, 9))
        assert self.loop("step", "cut", target=old).lines == []


class TestMissingStepMarker:
    def test_finds_a_training_loop(self) -> None:
        program = Program(MissingStepMarker)
        program.loop(program.train)
        (finding,) = program.findings
        assert finding.path == (Site("train.py", 1),)
        assert finding.since == (Site("train.py", 2), Site("train.py", 3))

    def test_names_what_runs_the_steps_below_the_loop(self) -> None:
        program = Program(MissingStepMarker)
        program.loop(program.train)
        program.read()
        program.cut()
        at_the_loop, at_the_read = program.findings
        assert at_the_loop.later is None
        assert at_the_read.path == at_the_loop.path
        assert at_the_read.later is not None
        assert at_the_read.later.site == Site("train.py", 4)
        assert "until the read `.item()` on {later}" in at_the_read.message

    def test_a_loop_over_several_optimizers_is_part_of_a_step(self) -> None:
        program = Program(MissingStepMarker)
        program.loop(program.step)
        assert program.lines == []

    def test_finds_inference_over_a_loader_only(self) -> None:
        program = Program(MissingStepMarker)
        program.loop(program.forward, LOADER)
        program.loop(program.forward)
        assert program.lines == [1]

    @pytest.mark.parametrize("cause", [Cause.MARKER, Cause.LOADER, Cause.BARRIER])
    @pytest.mark.parametrize("sure", [True, False])
    def test_silent_where_something_may_cut(self, cause: Cause, sure: bool) -> None:
        program = Program(MissingStepMarker)

        def body() -> None:
            program.cut(cause, sure=sure)
            program.step()

        program.loop(body)
        assert program.lines == []

    def test_a_read_ends_no_step(self) -> None:
        program = Program(MissingStepMarker)

        def body() -> None:
            program.train()
            program.read()

        program.loop(body)
        (finding,) = program.findings
        assert finding.severity is Severity.ERROR
        assert finding.message.startswith("compiles again for each read")

    def test_silent_where_all_that_inference_records_is_read(self) -> None:
        program = Program(MissingStepMarker)

        def body() -> None:
            program.forward()
            program.read()

        program.loop(body, Value(Kind.LOADER))
        assert program.lines == []

    def test_silent_over_what_may_be_a_loader_that_cuts(self) -> None:
        program = Program(MissingStepMarker)
        program.loop(program.step, UNKNOWN)
        program.loop(program.step, Value(Kind.INSTANCE))
        assert program.lines == []

    def test_silent_where_an_unknown_callee_may_cut(self) -> None:
        program = Program(MissingStepMarker)
        program.state.trust = program.state.trust._replace(opaque=assume("`fit()` does not cut the graph"))
        program.loop(program.step)
        assert program.lines == []

    def test_silent_on_gradients_that_nothing_here_applies(self) -> None:
        program = Program(MissingStepMarker)
        program.loop(program.backward, LOADER)
        assert program.lines == []

    def test_silent_on_micro_batches_of_an_outer_loop(self) -> None:
        program = Program(MissingStepMarker)

        def step() -> None:
            program.loop(program.backward, LOADER)
            program.step()
            program.cut()

        program.loop(step)
        assert program.lines == []

    def test_epochs_are_not_reported_beside_their_steps(self) -> None:
        program = Program(MissingStepMarker)
        program.loop(lambda: program.loop(program.train, LOADER))
        assert program.lines == [2]


class TestEarlyExitWithPendingGraph:
    def left(self, how: str = "break") -> Program:
        program = Program(EarlyExitWithPendingGraph)
        program.step()
        program.model.leave_loop(program.state, how, program.next())
        return program

    def test_finds_work_recorded_on_top(self) -> None:
        program = self.left()
        program.forward()
        (finding,) = program.findings
        assert finding.path == (Site("train.py", 2),)
        assert finding.since[0] == Site("train.py", 1)
        assert "`break`" in finding.message

    def test_finds_a_save_and_the_end(self) -> None:
        saved, ended = self.left("return"), self.left()
        parameters = Value(Kind.STATE_DICT, recorded=HEAVY)
        saved.model.save(saved.state, "torch.save", parameters, HEAVY, saved.next(), by_xla=False)
        ended.model.end(ended.state, ended.next())
        assert saved.lines == ended.lines == [2]

    def test_silent_where_a_cut_comes_first(self) -> None:
        program = self.left()
        program.cut(Cause.LOADER)
        program.forward()
        program.model.end(program.state, program.next())
        assert program.lines == []

    def test_silent_with_nothing_pending(self) -> None:
        program = Program(EarlyExitWithPendingGraph)
        program.step()
        program.cut()
        program.model.leave_loop(program.state, "break", program.next())
        program.forward()
        assert program.lines == []


class TestMarkerInStep:
    @pytest.mark.parametrize("cause", [Cause.MARKER, Cause.BARRIER, Cause.LOADER, Cause.RENDEZVOUS])
    def test_finds_a_cut(self, cause: Cause) -> None:
        program = Program(MarkerInStep)
        scope = program.enter(ScopeKind.STEP)
        program.forward()
        program.cut(cause)
        program.forward()
        program.leave(scope)
        assert [(f.path[-1].line, f.severity) for f in program.findings] == [(3, Severity.WARNING)]

    def test_is_a_note_at_the_border_of_the_step(self) -> None:
        program = Program(MarkerInStep)
        scope = program.enter(ScopeKind.STEP)
        program.cut()
        program.forward()
        program.cut(Cause.BARRIER)
        program.leave(scope)
        told = [(f.path[-1].line, f.severity) for f in program.findings]
        assert told == [(2, Severity.INFO), (4, Severity.INFO)]

    def test_finds_a_nested_scope_once(self) -> None:
        program = Program(MarkerInStep)
        outer = program.enter(ScopeKind.COMPILE)
        inner = program.enter(ScopeKind.STEP)
        program.leave(inner)
        program.leave(outer)
        assert program.lines == [2]

    def test_is_an_error_where_the_engine_raises(self) -> None:
        program = Program(MarkerInStep)
        program.enter(ScopeKind.FULL_GRAPH)
        program.cut()
        assert [f.severity for f in program.findings] == [Severity.ERROR]

    def test_silent_outside_and_on_the_scope_itself(self) -> None:
        program = Program(MarkerInStep)
        program.cut()
        scope = program.enter(ScopeKind.STEP)
        program.leave(scope)
        assert program.lines == []


class TestRedundantMarker:
    @pytest.mark.parametrize("cause", [Cause.MARKER, Cause.BARRIER, Cause.LOADER, Cause.SCOPE_EXIT])
    def test_finds_a_marker_below_another_cut(self, cause: Cause) -> None:
        program = Program(RedundantMarker)
        program.forward()
        program.cut(cause)
        program.read(LOSS._replace(recorded=NOTHING))
        program.cut()
        program.end()
        assert program.lines == [4]

    def test_finds_a_marker_that_the_next_batch_follows(self) -> None:
        program = Program(RedundantMarker)
        program.forward()
        program.cut()
        program.cut(Cause.LOADER)
        program.end()
        assert program.lines == [2]

    def test_silent_where_it_is_needed_once(self) -> None:
        program = Program(RedundantMarker)
        program.cut()
        program.cut()
        program.forward()
        program.line = 1
        program.cut()
        program.end()
        assert program.lines == []

    def test_silent_where_a_read_needs_it(self) -> None:
        program = Program(RedundantMarker)
        program.forward()
        program.cut()
        program.read(LOSS._replace(recorded=NOTHING))
        program.cut(Cause.LOADER)
        program.end()
        assert program.lines == []

    def test_silent_where_nothing_is_known_of_what_came_before(self) -> None:
        program = Program(RedundantMarker)
        program.cut()
        program.end()
        assert program.lines == []

    def test_two_unknown_calls_between_are_more_than_is_assumed(self) -> None:
        program = Program(RedundantMarker)
        program.cut(Cause.LOADER)
        program.model.work_unseen(program.state, lambda: "one()")
        program.cut()
        program.end()
        assert [len(finding.assumes) for finding in program.findings] == [1]
        program.cut(Cause.LOADER)
        program.model.work_unseen(program.state, lambda: "one()")
        program.model.work_unseen(program.state, lambda: "two()")
        program.cut()
        program.end()
        assert len(program.findings) == 2  # the first once more, and no other


class TestSplitStep:
    def test_finds_a_marker_between_backward_and_step(self) -> None:
        program = Program(SplitStep)
        program.backward()
        program.cut()
        program.step()
        program.end()
        assert [(f.path[-1].line, f.severity) for f in program.findings] == [(2, Severity.INFO)]

    def test_warns_directly_before_a_barrier(self) -> None:
        program = Program(SplitStep)
        program.backward()
        program.cut()
        program.step(barrier=True)
        program.end()
        assert [f.severity for f in program.findings] == [Severity.WARNING]

    def test_warns_in_a_forward(self) -> None:
        program = Program(SplitStep)
        program.state.scopes = program.state.scopes._replace(in_forward=True)
        program.cut()
        assert not program.findings  # nothing of the forward is recorded yet
        program.forward()
        program.cut()
        assert [f.severity for f in program.findings] == [Severity.WARNING]

    def test_silent_where_every_micro_batch_is_cut(self) -> None:
        program = Program(SplitStep)
        program.backward()
        program.cut()
        other = program.state.copy()
        program.step()  # the iteration that completes a batch ...
        program.model.backward(other, program.next())  # ... and one that does not
        program.state = join(program.state, other)
        program.end()
        assert program.lines == []

    def test_silent_on_the_end_of_a_step(self) -> None:
        program = Program(SplitStep)
        program.backward()
        program.step()
        program.cut()
        program.backward()
        program.end()
        assert program.lines == []


class TestXlaGenerator:
    @pytest.mark.parametrize(
        ("assumes", "severity"),
        [
            (NONE, Severity.ERROR),
            (FOLLOWED, Severity.ERROR),  # the device is the program's own, at whatever bound
            (assume("`device` is an XLA device"), Severity.ERROR),
            (assume("`sample(...)` is called with one"), Severity.INFO),
        ],
    )
    def test_is_an_error_unless_somebody_else_chose_the_device(
        self, assumes: Assumptions, severity: Severity
    ) -> None:
        program = Program(XlaGenerator)
        program.model.refuse_generator(program.state, "torch.Generator(...)", program.next(), assumes=assumes)
        assert [f.severity for f in program.findings] == [severity]
