"""What the interpreter makes of each construct of the language: programs in tests/interpreter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from checking import diagnostics_by_rules
from interpreter_programs import PROGRAMS, expected, found, wrong_states
from xlalint.diagnostic import Severity

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent


def name(program: Path) -> str:
    return program.stem


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_diagnostics_come_on_the_marked_lines(program: Path) -> None:
    wanted, came = expected(program), found(program)
    assert {"missed": sorted(wanted - came), "false": sorted(came - wanted)} == {"missed": [], "false": []}


def test_what_only_the_last_round_of_a_loop_runs_twice_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "rounds_of_an_evaluation.py", "XLA102")
    told = [(each.severity, "last iteration" in each.message) for each in found]
    once, each_time = (Severity.INFO, True), (Severity.WARNING, False)
    assert told == [once, each_time, once, each_time, each_time]


def test_what_is_held_from_one_epoch_to_the_next_is_of_the_last_iteration() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "bound_anew_in_the_next_epoch.py", "XLA102")
    assert [each.severity for each in found] == [Severity.INFO] * 3
    assert all("last iteration" in each.message for each in found)


def test_what_only_an_option_does_that_is_off_by_default_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "options_off_by_default.py", "XLA102")
    info, warning = Severity.INFO, Severity.WARNING
    assert [each.severity for each in found] == [info, warning, warning, info, warning, info, warning]
    found = diagnostics_by_rules(HERE / "interpreter" / "options_as_fields.py", "XLA102")
    assert [each.severity for each in found] == [info, info, warning, warning, warning]


def test_what_a_function_reads_in_every_so_many_rounds_is_a_note() -> None:
    *_, last = diagnostics_by_rules(HERE / "interpreter" / "contexts.py", "XLA102")
    assert last.severity is Severity.INFO


def test_what_an_option_does_that_is_handed_on_is_a_note_as_well() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "options_handed_on", "XLA102")
    assert Counter((each.certainty.value, each.severity) for each in found) == {
        ("likely", Severity.INFO): 6,
        ("definite", Severity.WARNING): 4,
    }


def test_what_only_a_setting_does_that_the_files_have_off_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "settings_off", "XLA102")
    assert [each.severity for each in found] == [Severity.INFO] * 6 + [Severity.WARNING] * 4


def test_what_only_replicas_suffer_that_nothing_starts_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "never_started.py", "XLA501", "XLA502")
    assert [each.severity for each in found] == [Severity.INFO] * len(found) != []


def test_a_number_of_the_master_in_an_f_string_is_a_note_of_xla501() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "shown_by_the_master.py", "XLA501")
    assert [each.severity for each in found] == [Severity.INFO, *[Severity.ERROR] * 3]


def test_a_model_that_an_option_compiles_which_is_off_by_default_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "compiled_if_told_so.py", "XLA809")
    assert [each.severity for each in found] == [Severity.INFO, *[Severity.ERROR] * 3]


def test_what_an_option_does_whose_number_means_nothing_by_default_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "numbers_off_by_default.py", "XLA102")
    assert [each.severity for each in found] == [Severity.INFO] * 4 + [Severity.WARNING] * 5


def test_what_is_asked_once_an_epoch_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "asked_once_an_epoch.py", "XLA103")
    assert [each.severity for each in found] == [Severity.INFO] * 3 + [Severity.WARNING] * 3
    apart = diagnostics_by_rules(HERE / "interpreter" / "asked_once_an_epoch.py", "XLA104")
    assert [each.severity for each in apart] == [Severity.INFO] * 2 + [Severity.WARNING]


def test_batches_that_come_again_in_each_epoch_are_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "batches_in_strides.py", "XLA402")
    told = [(each.severity, "in each step" in each.message) for each in found]
    once, each_time = (Severity.INFO, False), (Severity.WARNING, True)
    assert told == [once, once, each_time, each_time]


def test_a_few_minibatches_that_come_again_in_each_epoch_are_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "minibatches_of_a_rollout.py", "XLA402")
    told = [(each.severity, "in each step" in each.message) for each in found]
    once, each_time = (Severity.INFO, False), (Severity.WARNING, True)
    assert told == [once, once, each_time, each_time]


def test_numbers_that_come_again_in_each_step_are_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "numbers_within_a_step.py", "XLA402")
    told = [(each.severity, "in each step" in each.message) for each in found]
    assert told == [(Severity.INFO, False)] * 6 + [(Severity.WARNING, True)] * 7


def test_a_cut_at_the_border_of_a_step_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "cuts_at_the_border.py", "XLA204")
    told = [(each.severity, "several graphs" in each.message) for each in found]
    assert told == [(Severity.INFO, False)] * 5 + [(Severity.WARNING, True)] * 7


def test_a_number_that_is_another_one_in_each_step_is_named_where_it_is_plain_which_it_is() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "numbers_by_name.py", "XLA402")
    told = [each.message.partition(" is a part")[0].partition("` ")[2] for each in found]
    named = [f"Python's number `{name}`" for name in ("self.end", "step", "step", "step")]
    assert told == [named[0], "a number of Python's", *named[1:]]


def test_a_number_asked_of_an_unknown_loss_in_each_round_compiles_again_for_it() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "numbers_of_losses.py", "XLA202")
    assert ["for each read" in each.message for each in found] == [True, False]


def test_what_a_launch_starts_that_raises_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "launched_in_vain.py", "XLA601")
    notes = [each.severity is Severity.INFO for each in found]
    assert notes == [False, True, True, False, False]


def test_what_comes_after_an_import_that_raises_is_a_note_that_names_the_line() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "imports_that_raise", "XLA003", "XLA102")
    told = {
        Path(each.path).name: (each.severity, each.assumes, [Path(one.path).name for one in each.related])
        for each in found
    }
    removed = "no longer raises: `torch._six` was removed in torch 2.0"
    assert told["main.py"] == (Severity.INFO, f"line 12 {removed}", ["main.py"])
    severity, assumes, related = told["through_two.py"]
    assert (severity, related) == (Severity.INFO, ["clipping.py"])
    assert assumes.startswith("line 2 of ") and assumes.endswith(f"parts/clipping.py {removed}")
    assert told["expected.py"] == (Severity.WARNING, "", [])


def test_what_is_computed_for_a_report_now_and_then_is_a_note() -> None:
    found = diagnostics_by_rules(HERE / "interpreter" / "read_now_and_then.py", "XLA212")
    told = [(each.severity, "each iteration" in each.message) for each in found]
    each_time, now_and_then = (Severity.WARNING, True), (Severity.INFO, False)
    assert told == [each_time, now_and_then, now_and_then, each_time, now_and_then]


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_the_state_is_the_one_marked(program: Path) -> None:
    assert wrong_states(program) == []


@pytest.mark.parametrize(
    "tree",
    [
        "examples",
        pytest.param("fixtures", marks=pytest.mark.soak),
        pytest.param("tests/interpreter", marks=pytest.mark.soak),
    ],
)
def test_answers_do_not_depend_on_the_order_of_hashes(tree: str, tmp_path: Path) -> None:
    """Strings hash by a seed, enum members and classes by their address: both differ by process."""
    shutil.copytree(CHECKOUT / tree, tmp_path / tree)
    command = [sys.executable, "-m", "xlalint", "check", "--isolated", "--no-cache", "--exit-zero", "-v"]
    runs = [
        subprocess.Popen(
            [*command, "--output-format", "json", tree],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for seed in ("1", "2")
    ]
    one, other = (run.communicate(timeout=120) for run in runs)
    assert b"contexts" in one[1]
    assert one == other
