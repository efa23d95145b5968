"""What the guard tells is what it says it does, in the words of the analyzer."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from checking import diagnostics_of
from fixture_programs import FIXTURES, Program, bad_programs, read_program
from guard_findings import GUARDED
from xlalint.registry import all_rules
from xlalint_runtime.events import EMITTED
from xlalint_runtime.proving.measurement import Measurement

PROGRAMS = bad_programs()

SAID_ALIKE = (
    "XLA101/log_in_step.py",
    "XLA102/first_loss_before_training.py",
    "XLA103/branch_on_loss.py",
    "XLA104/metrics_of_another_module",
    "XLA106/resnet_closure.py",
    "XLA202/plain_loop_reads_the_loss.py",
    "XLA203/break_in_every_epoch.py",
    "XLA204/nested_step.py",
    "XLA205/split_after_warm_up.py",
    "XLA205/marker_between_forward_and_backward.py",
    "XLA206/marker_below_the_barrier.py",
    "XLA210/rfc_trainer.py",
    "XLA212/normalized_above_the_step.py",
    "XLA213/compiled_step_function.py",
    "XLA301/trace_me.py",
    "XLA304/backward_below_the_trace.py",
    "XLA401/sampler_of_every_kind.py",
    "XLA402/row_of_the_step.py",
    "XLA403/tokens_one_by_one.py",
    "XLA406/tokens_of_each_batch.py",
    "XLA404/one_epoch.py",
    "XLA501/rfc_checkpoint.py",
    "XLA502/early_return_before_mesh_reduce.py",
    "XLA506/plain_step_of_each_replica.py",
    "XLA507/stepped_by_xla_under_fsdp.py",
    "XLA508/clip_then_reduce.py",
    "XLA509/world_size_asked_before.py",
    "XLA512/accuracy_of_every_batch.py",
    "XLA515/plain_then_summed.py",
    "XLA601/whole_module.py",
    "XLA602/save_inside_the_step.py",
    "XLA605/first_checkpoint.py",
    "XLA607/run_that_goes_on.py",
    "XLA701/model_rebound.py",
    "XLA702/moved_where_it_is_made.py",
    "XLA703/grad_scaler_loop.py",
    "XLA705/precision_of_a_gpu.py",
    "XLA707/dropout_of_every_seed.py",
    "XLA708/blocks_of_a_transformer.py",
    "XLA801/moved_in_the_step.py",
    "XLA802/few_steps_of_each_epoch.py",
    "XLA803/probed_before.py",
    "XLA805/device_above_use_spmd.py",
    "XLA806/loss_of_all_replicas.py",
    "XLA807/axis_of_another_mesh.py",
    "XLA808/weights_then_all.py",
    "XLA812/mesh_of_data.py",
    "XLA709/mean_of_the_epoch.py",
)
"""A program of every rule that both observers judge by."""

OF_A_RUN = frozenset({
    "XLA101", "XLA102", "XLA103", "XLA104", "XLA105", "XLA106", "XLA107", "XLA108", "XLA202",
    "XLA203", "XLA204", "XLA205", "XLA206", "XLA210", "XLA212", "XLA213", "XLA301", "XLA401",
    "XLA402", "XLA403", "XLA404", "XLA405", "XLA406", "XLA407", "XLA408", "XLA501", "XLA502", "XLA503",
    "XLA506", "XLA507", "XLA508", "XLA509", "XLA512", "XLA515", "XLA601", "XLA602", "XLA607",
    "XLA701", "XLA702", "XLA703", "XLA705", "XLA707", "XLA708", "XLA709", "XLA710", "XLA801",
    "XLA802", "XLA803", "XLA805", "XLA806", "XLA807", "XLA808", "XLA811", "XLA812",
})  # fmt: skip
"""Rules whose harm a run could show."""


@pytest.mark.parametrize("programs", [PROGRAMS], ids=["all programs"])
def test_the_guard_emits_the_kinds_of_events_that_it_says_and_no_others(
    programs: list[Program], measured: dict[str, Measurement]
) -> None:
    kinds = {kind for program in programs for kind in measured[str(program.entry)].emitted}
    # No cut follows a closure in none of them: `rules_of_its_own.py` holds that it is told.
    assert kinds | {"ClosureNeverRun"} == {kind.__name__ for kind in EMITTED}


@pytest.mark.parametrize(
    "program",
    [read_program(FIXTURES / path, path.partition("/")[0]) for path in SAID_ALIKE],
    ids=lambda program: program.id,
)
def test_guard_and_analyzer_say_the_same(program: Program, measured: dict[str, Measurement]) -> None:
    code = program.code
    assert code
    seen = {
        (finding["line"], _words(finding["message"]), finding["help"])
        for finding in measured[str(program.entry)].findings
        if finding["code"] == code
    }
    known = {
        (diagnostic.range.start.line, _words(diagnostic.message), diagnostic.help)
        for diagnostic in diagnostics_of(program.root, code)
        if diagnostic.code == code
    }
    assert seen
    # What comes after a program has broken down is never reached.
    assert seen == known or (measured[str(program.entry)].aborted and seen <= known)


def test_every_rule_of_the_guard_is_compared() -> None:
    of_runs = {rule.code for rule in all_rules() if rule.of_runs}
    assert _codes(SAID_ALIKE) == GUARDED - of_runs


def test_a_rule_that_the_guard_does_not_judge_by_says_why_on_its_page() -> None:
    """Where it does, each line that the rule's programs mark is held by the tests of proofs."""
    by_reading = {rule for rule in all_rules() if rule.code in OF_A_RUN - GUARDED}
    assert {rule.code for rule in by_reading} == {
        "XLA105", "XLA107", "XLA405", "XLA408", "XLA503", "XLA710", "XLA811",
    }  # fmt: skip
    for rule in by_reading:
        assert re.search(r"(the guard|while a program runs)", rule.documentation(), re.IGNORECASE), rule.code


def test_a_program_of_such_a_rule_says_why_and_no_other_does() -> None:
    said = {program.id for program in PROGRAMS if program.no_guard}
    assert said == {program.id for program in PROGRAMS if program.code in OF_A_RUN - GUARDED}


def _codes(paths: Iterable[str]) -> set[str]:
    return {path.partition("/")[0] for path in paths}


def _words(message: str) -> str:
    """The message without the lines where work was recorded: the guard knows fewer of them, and exactly.

    It sees what a number is, and not which name the program has for it.
    """
    message = re.sub(r"Python's number `[^`]+`", "a number of Python's", message)
    return re.sub(r"lines? \d+(?:(?:, | and )\d+)*", "lines", message)
