"""Rules on steps, profiler scopes, replicas, checkpoints and optimizers, driven by hand."""

from __future__ import annotations

from typing import Any

import pytest

from xlalint.lazy.assumptions import NONE, assume
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Event, Reading, Use
from xlalint.lazy.model import LazyModel
from xlalint.lazy.scopes import Scope, ScopeKind, Split
from xlalint.lazy.site import ENTRY, Site
from xlalint.lazy.state import NOTHING_DONE, State
from xlalint.lazy.values import HEAVY, LIGHT, NOTHING, Kind, Recorded, Role, Tensor, Value, Weight
from xlalint.rule import Finding, Rule
from xlalint.versions import DEFAULT_TARGET, VersionRange
from xlalint_rules.xla212_work_outside_step import WorkOutsideStep
from xlalint_rules.xla301_marker_in_trace import MarkerInTrace
from xlalint_rules.xla501_master_only_save_before_sync import MasterOnlySaveBeforeSync
from xlalint_rules.xla502_master_only_collective import MasterOnlyCollective
from xlalint_rules.xla508_clip_before_reduction import ClipBeforeReduction
from xlalint_rules.xla601_torch_save_of_device_tensors import TorchSaveOfDeviceTensors
from xlalint_rules.xla602_save_before_sync import SaveBeforeSync
from xlalint_rules.xla701_optimizer_before_device_move import OptimizerBeforeDeviceMove
from xlalint_rules.xla703_item_in_amp_optimizer import ItemInAmpOptimizer

TENSOR = Value(Kind.TENSOR)
PENDING = Value(Kind.TENSOR, recorded=HEAVY)
STATE_DICT = Value(Kind.STATE_DICT, recorded=HEAVY)


class Engine:
    """The model of the lazy engine, one rule that listens to it, and what the rule has found."""

    def __init__(self, rule: type[Rule[Any]], target: VersionRange = DEFAULT_TARGET) -> None:
        self.rule = rule(target)
        self.findings: list[Finding] = []
        self.state = State()
        self.model = LazyModel(self.emit)

    def emit(self, event: Event, state: State) -> None:
        if isinstance(event, self.rule.events):
            self.findings += self.rule.judge(event, state.view())

    def step_scope(self, line: int, *works: int) -> None:
        """A `with torch_xla.step():` at `line` with heavy work at the lines `works`."""
        scope = Scope(ScopeKind.STEP, at(line))
        self.model.enter(self.state, scope, "torch_xla.step()")
        for work in works:
            self.model.record(self.state, Weight.HEAVY, at(work))
        self.model.leave(self.state, scope, "torch_xla.step()")

    @property
    def lines(self) -> list[int]:
        """The lines of the places that the findings are about."""
        return [finding.path[-1].line for finding in self.findings]


def at(line: int) -> Site:
    return Site("train.py", line)


def master(line: int = 1, *, polarity: bool = True, certain: bool = True, master: bool = True) -> Split:
    return Split(at(line), polarity, NONE if certain else assume("the test tells them apart"), master)


# XLA212 ------------------------------------------------------------------------------------------


def test_work_above_the_step_scope_is_found_in_the_second_iteration() -> None:
    engine = Engine(WorkOutsideStep)
    engine.state.scopes = engine.state.scopes._replace(in_loop=True)
    for _ in range(2):
        engine.model.cut(engine.state, Cause.LOADER, "next", at(10))
        engine.model.record(engine.state, Weight.LIGHT, at(11))
        engine.step_scope(12, 13)
    assert engine.lines == [11]


def test_work_below_the_step_scope_is_found_at_the_loaders_next_cut() -> None:
    engine = Engine(WorkOutsideStep)
    engine.state.scopes = engine.state.scopes._replace(in_loop=True)
    engine.step_scope(12, 13)
    engine.model.record(engine.state, Weight.LIGHT, at(14))
    engine.model.cut(engine.state, Cause.LOADER, "next", at(10))
    assert engine.lines == [14]


def test_work_that_every_iteration_leaves_below_its_scope_is_found_at_the_loops_end() -> None:
    engine = Engine(WorkOutsideStep)
    engine.step_scope(12, 13)
    engine.model.end_loop(engine.state, NOTHING_DONE, None, LIGHT, at(10), since=(at(14),))
    assert engine.lines == [14]


def test_work_beside_a_loop_that_has_steps_of_its_own_is_quiet() -> None:
    engine = Engine(WorkOutsideStep)
    engine.state.scopes = engine.state.scopes._replace(in_loop=True)
    engine.step_scope(12, 13)
    engine.model.end_loop(engine.state, NOTHING_DONE, None, NOTHING, at(11))
    engine.model.end_loop(engine.state, NOTHING_DONE, None, HEAVY, at(10), since=(at(15),))
    assert engine.findings == []


@pytest.mark.parametrize(
    ("recorded", "found"),
    [(LIGHT, [14]), (NOTHING, []), (HEAVY, []), (Recorded(may=Weight.LIGHT), [])],
)
def test_a_read_below_the_scope_is_found_where_light_work_was_recorded_for_it(
    recorded: Recorded, found: list[int]
) -> None:
    engine = Engine(WorkOutsideStep)
    engine.state.scopes = engine.state.scopes._replace(in_loop=True)
    engine.step_scope(12, 13)
    engine.model.record(engine.state, Weight.LIGHT, at(14))
    value = TENSOR._replace(recorded=recorded)
    engine.model.read(engine.state, value, Reading.EXPLICIT, ".item()", at(15))
    assert engine.lines == found


def test_work_outside_any_loop_is_quiet() -> None:
    engine = Engine(WorkOutsideStep)
    engine.step_scope(12, 13)
    engine.model.record(engine.state, Weight.LIGHT, at(14))
    engine.step_scope(15, 16)
    assert engine.findings == []


def test_a_callers_work_is_shown_at_the_scope_that_cuts_it() -> None:
    engine = Engine(WorkOutsideStep)
    engine.state.scopes = engine.state.scopes._replace(in_loop=True)
    engine.step_scope(12, 13)
    engine.model.record(engine.state, Weight.LIGHT, ENTRY)
    engine.step_scope(12, 13)
    assert engine.lines == [12]


# XLA301 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ScopeKind.TRACE, ScopeKind.STEP_TRACE])
@pytest.mark.parametrize("cause", [Cause.MARKER, Cause.BARRIER, Cause.LOADER, Cause.RENDEZVOUS])
def test_a_cut_inside_a_profiler_scope_belongs_to_that_scope(kind: ScopeKind, cause: Cause) -> None:
    engine = Engine(MarkerInTrace)
    scope = Scope(kind, at(1))
    engine.model.enter(engine.state, scope, "")
    engine.model.cut(engine.state, cause, "torch_xla.sync()", at(2))
    assert [finding.owner for finding in engine.findings] == [scope]


def test_a_step_inside_a_trace_is_found_once_at_its_entry() -> None:
    engine = Engine(MarkerInTrace)
    engine.model.enter(engine.state, Scope(ScopeKind.TRACE, at(1)), "")
    engine.step_scope(2, 3)
    assert engine.lines == [2]


def test_a_trace_inside_a_step_and_the_exit_of_a_step_trace_are_quiet() -> None:
    engine = Engine(MarkerInTrace)
    step, trace = Scope(ScopeKind.STEP, at(1)), Scope(ScopeKind.STEP_TRACE, at(2))
    engine.model.enter(engine.state, step, "")
    engine.model.enter(engine.state, trace, "")
    engine.model.leave(engine.state, trace, "")
    engine.model.leave(engine.state, step, "")
    assert engine.findings == []


def test_a_marker_that_keeps_the_scope_is_quiet() -> None:
    engine = Engine(MarkerInTrace)
    engine.model.enter(engine.state, Scope(ScopeKind.TRACE, at(1)), "")
    engine.model.cut(engine.state, Cause.MARKER, "torch_xla.sync()", at(2), resets_scope=False)
    assert engine.findings == []


# XLA501 ------------------------------------------------------------------------------------------


def test_a_master_only_save_of_pending_parameters_is_definite() -> None:
    engine = Engine(MasterOnlySaveBeforeSync)
    engine.model.step_optimizer(engine.state, at(1))
    arm = engine.model.part(engine.state, master(2))
    engine.model.save(arm, "torch.save", STATE_DICT, HEAVY, at(3), by_xla=False)
    (finding,) = engine.findings
    assert (finding.assumes, finding.owner, finding.since) == (NONE, master(2), (at(1),))


@pytest.mark.parametrize(
    ("reduced", "certain", "assumed"), [(True, True, 0), (False, True, 1), (False, False, 2)]
)
def test_a_master_only_read_assumes_that_replicas_must_meet_unless_it_depends_on_a_collective(
    reduced: bool, certain: bool, assumed: int
) -> None:
    engine = Engine(MasterOnlySaveBeforeSync)
    arm = engine.model.part(engine.state, master(2, certain=certain))
    value = PENDING._replace(reduced=reduced)
    engine.model.read(arm, value, Reading.TEXT, "print()", at(3))
    assert [len(finding.assumes) for finding in engine.findings] == [assumed]


def test_a_master_only_save_after_a_cut_is_quiet() -> None:
    engine = Engine(MasterOnlySaveBeforeSync)
    arm = engine.model.part(engine.state, master(2))
    engine.model.save(arm, "xm.save", STATE_DICT.run(), NOTHING, at(3), by_xla=True)
    engine.model.read(arm, TENSOR, Reading.TEXT, "print()", at(4))
    assert engine.findings == []


def test_a_save_by_all_replicas_or_by_those_with_the_best_loss_is_another_rules() -> None:
    engine = Engine(MasterOnlySaveBeforeSync)
    engine.model.save(engine.state, "xm.save", STATE_DICT, HEAVY, at(3), by_xla=True)
    arm = engine.model.part(engine.state, master(2, certain=False, master=False))
    engine.model.save(arm, "xm.save", STATE_DICT, HEAVY, at(3), by_xla=True)
    assert engine.findings == []


def test_a_program_with_one_replica_is_quiet() -> None:
    engine = Engine(MasterOnlySaveBeforeSync)
    engine.state.replicas = engine.state.replicas._replace(spmd=True)
    arm = engine.model.part(engine.state, master(2))
    engine.model.save(arm, "torch.save", STATE_DICT, HEAVY, at(3), by_xla=False)
    assert engine.findings == []


def test_a_script_that_starts_no_replicas_but_asks_for_the_master_is_likely_meant_for_several() -> None:
    engine = Engine(MasterOnlySaveBeforeSync)
    engine.state.replicas = engine.state.replicas._replace(launched=False)
    arm = engine.model.part(engine.state, master(2))
    engine.model.save(arm, "torch.save", STATE_DICT, HEAVY, at(3), by_xla=False)
    assert [len(finding.assumes) for finding in engine.findings] == [1]


# XLA502 ------------------------------------------------------------------------------------------


def part_and_meet(engine: Engine, line: int, *, then: str = "", otherwise: str = "") -> None:
    """`if is_master:` at `line`; each arm reaches the collective it names, if any."""
    arms = []
    for polarity, operation in ((True, then), (False, otherwise)):
        split = master(line, polarity=polarity, master=polarity)
        arm = engine.model.part(engine.state, split)
        if operation == "xm.save":
            engine.model.save(arm, operation, STATE_DICT.run(), NOTHING, at(line + 1), by_xla=True)
        elif operation:
            engine.model.collective(arm, operation, "tag", at(line + 1))
        arms.append((split, arm))
    engine.state = engine.model.meet(engine.state, arms)


def end_function(engine: Engine) -> None:
    engine.model.settle_collectives([engine.state], at(99))


def test_a_collective_in_one_arm_is_found_at_its_own_place() -> None:
    engine = Engine(MasterOnlyCollective)
    part_and_meet(engine, 2, then="xm.rendezvous")
    end_function(engine)
    (finding,) = engine.findings
    assert engine.lines == [3]
    assert finding.owner == master(2)
    assert "`xm.rendezvous` (tag tag)" in finding.message


def test_a_collective_that_all_but_the_master_reach_is_found() -> None:
    engine = Engine(MasterOnlyCollective)
    part_and_meet(engine, 2, otherwise="xm.all_reduce")
    end_function(engine)
    assert engine.lines == [3]


def test_both_arms_reaching_the_same_collective_are_quiet() -> None:
    engine = Engine(MasterOnlyCollective)
    part_and_meet(engine, 2, then="xm.all_reduce", otherwise="xm.all_reduce")
    end_function(engine)
    assert engine.findings == []


def test_wait_then_go_is_quiet() -> None:
    engine = Engine(MasterOnlyCollective)
    part_and_meet(engine, 2, otherwise="xm.rendezvous")
    part_and_meet(engine, 5, then="xm.rendezvous")
    end_function(engine)
    assert engine.findings == []


@pytest.mark.parametrize(("low", "found"), [((2, 0), 1), ((2, 1), 0)])
def test_a_guarded_save_met_the_others_before_2_1_only(low: tuple[int, int], found: int) -> None:
    engine = Engine(MasterOnlyCollective, VersionRange(low, (2, 9)))
    part_and_meet(engine, 2, then="xm.save")
    end_function(engine)
    assert len(engine.findings) == found


def test_a_lone_cut_is_found_only_when_more_work_follows_it() -> None:
    engine = Engine(MasterOnlyCollective)
    engine.model.backward(engine.state, at(1))
    engine.model.step_optimizer(engine.state, at(1))
    then, otherwise = master(2), master(2, polarity=False, master=False)
    arm = engine.model.part(engine.state, then)
    engine.model.cut(arm, Cause.MARKER, "torch_xla.sync()", at(3))
    rest = engine.model.part(engine.state, otherwise)
    engine.state = engine.model.meet(engine.state, [(then, arm), (otherwise, rest)])
    assert engine.findings == []
    engine.model.record(engine.state, Weight.HEAVY, at(5))
    assert engine.lines == [3]
    assert "`torch_xla.sync()`" in engine.findings[0].message


# XLA508 ------------------------------------------------------------------------------------------


def test_clipping_before_the_reduction_is_found_at_the_clipping() -> None:
    engine = Engine(ClipBeforeReduction)
    engine.model.backward(engine.state, at(1))
    engine.model.change_gradients(engine.state, Use.CLIP, "clip_grad_norm_", at(2))
    assert engine.findings == []
    engine.model.reduce_gradients(engine.state, at(3))
    assert engine.lines == [2]


def test_clipping_after_the_reduction_or_without_one_is_quiet() -> None:
    engine = Engine(ClipBeforeReduction)
    engine.model.backward(engine.state, at(1))
    engine.model.reduce_gradients(engine.state, at(2))
    engine.model.change_gradients(engine.state, Use.CLIP, "clip_grad_norm_", at(3))
    engine.model.step_optimizer(engine.state, at(4))
    engine.model.backward(engine.state, at(5))
    engine.model.change_gradients(engine.state, Use.CLIP, "clip_grad_norm_", at(6))
    engine.model.step_optimizer(engine.state, at(7))
    assert engine.findings == []


# XLA601, XLA602 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by_xla", "on_device", "found"), [(False, True, 1), (False, False, 0), (True, True, 0)]
)
def test_only_a_foreign_save_of_what_surely_is_on_the_device_is_found(
    by_xla: bool, on_device: bool, found: int
) -> None:
    engine = Engine(TorchSaveOfDeviceTensors)
    saved = Value(Kind.CONTAINER)
    engine.model.save(engine.state, "torch.save", saved, NOTHING, at(1), by_xla=by_xla, on_device=on_device)
    assert len(engine.findings) == found


def test_a_device_tensor_itself_needs_no_telling() -> None:
    engine = Engine(TorchSaveOfDeviceTensors)
    engine.model.save(engine.state, "torch.save", TENSOR, NOTHING, at(1), by_xla=False)
    assert engine.lines == [1]


@pytest.mark.parametrize(
    ("recorded", "by_xla", "found"),
    [(HEAVY, True, 1), (LIGHT, True, 0), (NOTHING, True, 0), (HEAVY, False, 0)],
)
def test_a_save_by_all_replicas_is_found_while_a_step_is_pending(
    recorded: Recorded, by_xla: bool, found: int
) -> None:
    engine = Engine(SaveBeforeSync)
    engine.model.save(engine.state, "xm.save", STATE_DICT, recorded, at(1), by_xla=by_xla)
    assert len(engine.findings) == found


def test_a_guarded_save_is_another_rules() -> None:
    engine = Engine(SaveBeforeSync)
    arm = engine.model.part(engine.state, master(2))
    engine.model.save(arm, "xm.save", STATE_DICT, HEAVY, at(3), by_xla=True)
    assert engine.findings == []


# XLA701, XLA703 ----------------------------------------------------------------------------------


def test_a_stale_optimizer_is_found_at_the_move_when_it_is_stepped() -> None:
    engine = Engine(OptimizerBeforeDeviceMove)
    engine.model.step_optimizer(engine.state, at(9), stale=(at(3),), built=(at(2),))
    (finding,) = engine.findings
    assert (finding.path, finding.since) == ((at(3),), (at(2),))


def test_an_optimizer_built_after_the_move_is_quiet() -> None:
    engine = Engine(OptimizerBeforeDeviceMove)
    engine.model.step_optimizer(engine.state, at(9), built=(at(2),))
    assert engine.findings == []


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (TENSOR._replace(recorded=HEAVY), 1),
        (TENSOR, 0),
        (TENSOR._replace(payload=Tensor(Role.FOUND_INF)), 1),
        (Value(Kind.HOST), 0),
    ],
)
def test_a_device_read_inside_an_optimizers_step_is_found(value: Value, found: int) -> None:
    engine = Engine(ItemInAmpOptimizer)
    engine.model.read(engine.state, value, Reading.EXPLICIT, ".item()", at(1))
    engine.model.enter(engine.state, Scope(ScopeKind.OPTIMIZER, at(2)), "step")
    engine.model.read(engine.state, value, Reading.EXPLICIT, ".item()", at(3))
    assert engine.lines == [3] * found


@pytest.mark.parametrize(("in_loop", "found"), [(True, 1), (False, 0)])
def test_a_gradient_scaler_is_found_in_a_loop(in_loop: bool, found: int) -> None:
    engine = Engine(ItemInAmpOptimizer)
    engine.state.scopes = engine.state.scopes._replace(in_loop=in_loop)
    engine.model.step_scaler(engine.state, "scaler.step()", at(1))
    assert len(engine.findings) == found


def test_of_a_gradient_scaler_is_told_where_its_optimizer_was_built() -> None:
    engine = Engine(ItemInAmpOptimizer)
    engine.state.scopes = engine.state.scopes._replace(in_loop=True)
    engine.model.step_scaler(engine.state, "scaler.step()", at(9), built=(at(2),))
    (found,) = engine.findings
    assert found.later is not None
    assert found.later.site == at(2)
