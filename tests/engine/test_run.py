"""`xlalint run` on programs as users write them: what is marked is found, and its cure is silent."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from xlalint import numbers
from xlalint.lazy.events import Changed
from xlalint.lazy.site import Site
from xlalint.merging import merged
from xlalint.output import runs
from xlalint.runs import Run
from xlalint_runtime.differences import first_difference
from xlalint_runtime.proving.forkserver import ForkServer
from xlalint_runtime.proving.measurement import Job, Measurement
from xlalint_runtime.traces import Operation, Trace

PROGRAMS = Path(__file__).parent / "run"
HARMFUL = sorted(path for path in PROGRAMS.glob("*.py") if not path.stem.endswith(".fixed"))


def marked(path: Path) -> set[tuple[str, int]]:
    """Codes and lines that the program is marked with."""
    lines = enumerate(path.read_text().splitlines(), start=1)
    marks = ((text.partition("  # ")[2], line) for line, text in lines)
    return {(code, line) for mark, line in marks for code in re.findall(r"XLA\d+", mark)}


def watched(server: ForkServer, path: Path, **request: object) -> Measurement:
    replicas = re.search(r"^# replicas: (\d+)$", path.read_text(), re.MULTILINE)
    job = Job(str(path), replicas=int(replicas[1]) if replicas else 1, request=request)
    (measurement,) = server.run([job])
    assert measurement.error is None, measurement.error
    return measurement


def found(measurement: Measurement) -> set[tuple[str, int]]:
    """Codes and lines that were reported."""
    assert measurement.run is not None, measurement.output
    return {(each["code"], each["range"]["start"]["line"]) for each in measurement.run["diagnostics"]}


LAUNCHES = {
    "issue3043_amp": 2.0,
    "rfc6751_eager_closure": 2.0,
    "rfc6751_log_in_step": 2.0,
    "rfc7253_eager_trainer": 2.0,
}
"""Of each step, where more than the one that is expected is the harm."""


@pytest.mark.parametrize("path", HARMFUL, ids=lambda path: path.stem)
def test_what_is_marked_is_found_and_its_cure_is_silent(path: Path, server: ForkServer) -> None:
    cure = path.with_name(f"{path.stem}.fixed.py")
    before, after = watched(server, path), watched(server, cure)
    assert found(before) == marked(path)
    assert not found(after)
    assert (after.raised, after.aborted) == (None, None), after.output
    assert before.run is not None
    assert after.run is not None
    assert before.run["unattributed"] == after.run["unattributed"] == []
    if path.stem in LAUNCHES:
        assert before.run["launches_per_step"] == LAUNCHES[path.stem]
    assert after.run["launches_per_step"] == after.run["expected_per_step"] == 1.0


MORE = PROGRAMS / "more"


def test_a_run_is_counted(server: ForkServer) -> None:
    report = watched(server, MORE / "reads_in_steps.py").run
    assert report is not None
    assert (report["steps"], report["counted"], report["end"]) == (6, "optimizer steps", "ended")
    assert (report["launches_per_step"], report["late_compiles"]) == (2.0, 0)
    assert report["causes"] == {"cuts": 6, "reads": 6, "unattributed": 0}
    (diagnostic,) = report["diagnostics"]
    evidence = diagnostic["evidence"]
    assert (evidence["count"], evidence["per_step"], evidence["launches"]) == (6, 1.0, 6)
    assert evidence["ms_median"] > 0


def test_what_nothing_is_known_to_launch_is_told_with_its_place(server: ForkServer) -> None:
    report = watched(server, MORE / "masked.py").run
    assert report is not None
    assert report["causes"]["unattributed"] >= 4
    assert {place["line"] for place in report["unattributed"]} <= {11, 12, 13}


def test_a_program_stops_after_so_many_steps(server: ForkServer) -> None:
    measurement = watched(server, MORE / "reads_in_steps.py", stop_after=3)
    assert measurement.run is not None
    assert (measurement.run["steps"], measurement.run["end"]) == (3, "stopped after 3 optimizer steps")
    assert measurement.raised == "Stopped"


def test_a_step_that_is_only_begun_is_not_counted(server: ForkServer) -> None:
    measurement = watched(server, MORE / "two_reads_and_no_cut.py", stop_after=3)
    assert measurement.run is not None
    assert (measurement.run["steps"], measurement.run["end"]) == (3, "stopped after 3 optimizer steps")
    assert (measurement.run["launches"], measurement.run["launches_per_step"]) == (6, 2.0)


def test_a_second_read_that_runs_the_step_again_is_told_where_nothing_cuts(server: ForkServer) -> None:
    program = MORE / "two_reads_and_no_cut.py"
    assert found(watched(server, program)) == marked(program)


def test_a_read_that_another_read_and_a_cut_run_again_counts_once(server: ForkServer, tmp_path: Path) -> None:
    program = tmp_path / "two_reads.py"
    program.write_text(
        "import torch, torch_xla\n"
        "model = torch.nn.Linear(4, 2).to(torch_xla.device())\n"
        "for _ in range(3):\n"
        "    loss = model(torch.ones(3, 4).to('xla')).sum()\n"
        "    first = loss.item()\n"
        "    second = loss.item()\n"
        "    torch_xla.sync()\n"
    )
    report = watched(server, program).run
    assert report is not None
    counts = {each["range"]["start"]["line"]: each["evidence"]["count"] for each in report["diagnostics"]}
    assert counts == {5: 3, 6: 3}


def test_by_what_a_graph_differs_is_what_there_is_more_or_less_of_in_all() -> None:
    def trace(*calls: str) -> Trace:
        sites = (Site("train.py", line, 0, line) for line in range(1, len(calls) + 1))
        return Trace(
            tuple(Operation(name, (), (), (), (), site) for name, site in zip(calls, sites, strict=True)),
            None, is_whole=True,
        )  # fmt: skip

    step = ("to", "to_of_labels", "linear", "loss")
    validated = trace("to", "linear", "to_of_labels", "loss", *step)
    found = first_difference(validated, [trace(*step)])
    assert found is not None
    assert (found[1].how, found[1].operation) == (Changed.NEW, "linear")
    back = first_difference(trace(*step), [validated])
    assert back is not None
    assert (back[1].how, back[1].operation) == (Changed.GONE, "linear")


def test_what_spares_a_distribution_its_questions_is_named(server: ForkServer) -> None:
    report = watched(server, MORE / "distributions.py").run
    assert report is not None
    told = {(each["code"], each["range"]["start"]["line"]): each["help"] for each in report["diagnostics"]}
    assert {("XLA101", 12), ("XLA101", 13), ("XLA103", 16)} <= told.keys()
    assert all("validate_args=False" in help for help in told.values())


def test_raise_stops_the_program_at_its_line_and_warn_lets_it_go_on(server: ForkServer) -> None:
    raising = watched(server, MORE / "reads_in_steps.py", mode="raise")
    assert raising.raised == "Hazard"
    lines = raising.output.splitlines()
    (mark,) = (line for _, line in marked(MORE / "reads_in_steps.py"))
    assert any(f'reads_in_steps.py", line {mark}, in <module>' in line for line in lines), raising.output
    assert not any("xlalint_runtime/watch" in line or "xlalint/lazy" in line for line in lines)
    warning = watched(server, MORE / "reads_in_steps.py", mode="warn")
    assert warning.raised is None
    assert warning.output.count("XLA101 host-read-in-step") == 1


def test_what_the_host_runs_is_found_at_its_line_and_what_nothing_trains_is_named(server: ForkServer) -> None:
    program = MORE / "before_renting.py"
    at_once, later = (watched(server, program, follows_lines=follows) for follows in (True, False))
    (first, *_) = (line for line, text in enumerate(program.read_text().splitlines(), 1) if "unique(" in text)
    assert found(at_once) == marked(program)
    assert found(later) == marked(program) - {("XLA108", first)}, (
        "what comes once is over before it is looked for"
    )
    for one in (at_once, later):
        assert one.run is not None
        assert one.run["fallbacks"] == {"_unique2": 1, "median": 6}
        (every_step,) = (each for each in one.run["diagnostics"] if each["range"]["start"]["line"] != first)
        assert every_step["evidence"]["count"] == 6
        assert {(each["names"][0], each["count"], each["why"]) for each in one.run["untrained"]} == {
            ("head.weight", 2, "no optimizer that stepped holds them"),
            ("spare.weight", 2, "no gradient reached them"),
        }


def test_why_a_loop_was_compiled_again_is_told_at_its_line(server: ForkServer) -> None:
    program = MORE / "ten_causes.py"
    measurement = watched(server, program)
    assert (measurement.raised, measurement.run is not None) == (None, True), measurement.output
    assert measurement.run is not None
    told = {"XLA401", "XLA402", "XLA403", "XLA407"}
    assert {each for each in found(measurement) if each[0] in told} == marked(program)
    (unawares,) = (
        line for line, text in enumerate(program.read_text().splitlines(), 1) if "# unawares" in text
    )
    missed = [each["line"] for each in measurement.run["recompiled"] if "not recorded" in each["why"]]
    assert missed[0] == unawares
    assert measurement.run["notes"] == []
    # Modes of torch's that the program enters and leaves meanwhile are its own again.
    assert "modes left: 0" in measurement.output.splitlines()


def test_all_by_which_graphs_differ_is_shown_where_that_is_asked_for(server: ForkServer) -> None:
    program = MORE / "ten_causes.py"
    report = watched(server, program, explain_graphs=True).run
    assert report is not None
    assert len(report["recompiled"]) >= 10
    for each in report["recompiled"]:
        assert "not recorded" not in each["why"]
        assert each["diff"][0][2:].startswith(f"{program.name}:{each['line']} "), each


def test_what_only_an_accelerator_has_is_stood_in_for_and_named(server: ForkServer) -> None:
    program = MORE / "of_an_accelerator.py"
    with_them, without = (watched(server, program, stand_ins=wanted) for wanted in (True, False))
    assert with_them.raised is None, with_them.output
    said = with_them.output.splitlines()
    assert {"scores are torch.bfloat16", "memory is told: True", "device: CPU"} <= set(said)
    assert "saves: [False, True, False]" in said
    assert with_them.run is not None
    assert [note.split()[0] for note in with_them.run["notes"]] == [
        "`torch_xla.amp.autocast`", "`xm.get_memory_info`", "preemption",
    ]  # fmt: skip
    assert without.raised == "AttributeError"
    assert without.run is not None
    assert without.run["notes"] == []


def test_which_lines_ran_is_known_of_those_that_were_asked_about(server: ForkServer) -> None:
    program = MORE / "reads_in_steps.py"
    lines = {text.strip(): number for number, text in enumerate(program.read_text().splitlines(), start=1)}
    ran, not_ran = lines["loss.backward()"], lines["os.abort()"]
    asked = {str(program): [[ran, ran], [not_ran, not_ran]]}
    report = watched(server, program, asked=asked).run
    assert report is not None
    assert report["asked"] == {str(program): [ran, not_ran]}
    assert report["reached"] == {str(program): [ran]}
    assert report["covering"] < 1
    assert len(report["files"][str(program)]) == 32
    assert "XLA101" in report["judged"]


def test_a_comment_suppresses(server: ForkServer) -> None:
    report = watched(server, MORE / "suppressed.py").run
    assert report is not None
    assert (report["diagnostics"], report["suppressed"]) == ([], 1)


def test_the_engine_refuses_as_without_the_guard(server: ForkServer) -> None:
    program = MORE / "full_graph.py"
    said = [one for one in watched(server, program).output.splitlines() if one.startswith("refused")]
    (plain,) = server.run([Job(str(program), request={}, guarded=False)])
    assert said
    assert said == [one for one in plain.output.splitlines() if one.startswith("refused")]


def test_replicas_that_part_end_with_their_places(server: ForkServer) -> None:
    measurement = watched(server, PROGRAMS / "rfc6751_master_checkpoint.py")
    assert (measurement.raised, measurement.aborted) == ("Parted", None), measurement.output
    assert measurement.run is not None
    assert measurement.run["end"] == "stopped: replicas part"
    (places,) = (note for note in measurement.run["notes"] if note.startswith("replicas part"))
    assert "replica 0  torch.save" in places
    assert "replica 1  at a cut" in places


# As users call it: a process each --------------------------------------------------------------


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = str(MORE / "reads_in_steps.py")
    return subprocess.run(
        [sys.executable, "-m", "xlalint", "run", *arguments[:-1], program, *arguments[-1].split()],
        text=True, capture_output=True, timeout=200, check=False, input="",
    )  # fmt: skip


@pytest.mark.usefixtures("engine")
def test_a_report_survives_an_abort() -> None:
    done = called("--fail-on", "warning", "abort")
    assert done.returncode == -signal.SIGABRT
    assert "__main__ ['abort'] more" in done.stdout
    assert "ended by SIGABRT" in done.stderr
    assert "note: counts are those of " in done.stderr
    assert "warning[XLA101]" in done.stderr


@pytest.mark.usefixtures("engine")
def test_a_program_that_hangs_is_ended_with_its_stacks() -> None:
    done = called("--hang-timeout", "3", "hang")
    assert done.returncode == 124
    assert 'reads_in_steps.py", line' in done.stderr
    assert "hangs: nothing was seen for 3 seconds" in done.stderr


PROCESSES = str(MORE / "processes.py")


def reported(folder: Path, *command: str) -> list[Run]:
    """What the processes of a command have written, the first one's first."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, text=True, capture_output=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return [runs.read(path.read_text()) for path in sorted(folder.glob("report*.json"))]


@pytest.mark.usefixtures("engine")
def test_a_process_that_a_program_starts_has_a_report_of_its_own(tmp_path: Path) -> None:
    form = ("--output-format", "json", "--output-file", "report.json")
    own, started = reported(tmp_path, "xlalint", "run", "--isolated", *form, PROCESSES, "fork class")
    assert (own.end, own.launches, own.rank) == ("ended", 0, None)
    assert (started.end, started.steps, started.rank) == ("ended", 3, 0)
    assert [(each.code, each.range.start.line) for each in started.diagnostics] == [("XLA101", 22)]


@pytest.mark.soak
@pytest.mark.usefixtures("engine")
def test_a_process_that_is_forked_by_hand_does_what_it_would(tmp_path: Path) -> None:
    command = [sys.executable, PROCESSES, "os.fork", "spawn class"]
    plain, watched = (
        subprocess.run(each, text=True, capture_output=True, timeout=200, check=True, cwd=tmp_path).stdout
        for each in (command, [sys.executable, "-m", "xlalint", "run", "--isolated", *command[1:]])
    )
    assert "ended by [7, 0]" in plain
    assert watched == plain


@pytest.mark.soak
@pytest.mark.usefixtures("engine")
def test_processes_are_told_of_together(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "xlalint", "run", "--isolated", PROCESSES, "spawn", "fork"],
        text=True, capture_output=True, timeout=200, check=True,
    )  # fmt: skip
    assert "2 replicas in 2 processes, 3 optimizer steps, ended" in done.stderr
    assert "seen: 6 times, 1.0 per step, 6 launches" in done.stderr
    form = ("--output-format", "json", "--output-file", "report.json")
    launcher = ("torch.distributed.run", "--nproc-per-node", "2", "-m", "xlalint", "run", "--isolated", *form)
    each = reported(tmp_path, *launcher, str(MORE / "reads_in_steps.py"))
    assert [(run.rank, run.steps, run.end) for run in each] == [(0, 6, "ended"), (1, 6, "ended")]
    both = merged(each)
    assert both.diagnostics[0].evidence is not None
    assert (both.diagnostics[0].evidence.count, len(both.processes)) == (12, 2)


@pytest.mark.usefixtures("engine")
def test_pytest_holds_tests_to_their_limits() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xlalint", "-p", "xlalint_runtime.pytest_plugin",
         "-p", "no:cacheprovider", "--noconftest", "-q", "-c", "/dev/null", str(MORE / "limits.py")],
        text=True, capture_output=True, timeout=200, check=False,
    )  # fmt: skip
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "3 reads, and at most 0 were allowed" in done.stdout
    assert "limits.py:15: XLA101" in done.stdout


def test_a_program_watches_parts_of_itself(server: ForkServer) -> None:
    program = MORE / "in_program.py"
    (measurement,) = server.run([Job(str(program), request={}, guarded=False)])
    assert (measurement.error, measurement.raised) == (None, None), measurement.output
    said = dict(line.split(": ", 1) for line in measurement.output.splitlines() if ": " in line)
    assert said["record"] == "['XLA101'] 3 ended"
    assert said["operator"] == "_c10d_functional.all_reduce.default"
    assert said["file"] == "['XLA101']"
    assert said["raise"] == "Hazard XLA101 host-read-in-step"
    assert said["nested"] == "0 2"


def test_nothing_stands_in_on_an_accelerator_and_it_is_said_that_none_was_tested(server: ForkServer) -> None:
    (measurement,) = server.run([Job(str(MORE / "on_a_tpu.py"), request={}, guarded=False)])
    assert (measurement.error, measurement.raised) == (None, None), measurement.output
    said = dict(line.split(": ", 1) for line in measurement.output.splitlines() if ": " in line)
    assert said["memory"] == "RuntimeError"
    assert said["engine"] == "TPU"
    assert said["notes"] == (
        "the guard was tested on the CPU engine only: on TPU it watches, and launches and changes nothing"
    )
    assert said["found"] == "['XLA101']"


def test_the_numbers_are_equal_with_and_without(server: ForkServer) -> None:
    program = MORE / "reads_in_steps.py"
    (alone,) = server.run([Job(str(program), request={}, guarded=False)])
    both = [watched(server, program).output, alone.output]
    losses = [[line for line in text.splitlines() if line[:1].isdigit()] for text in both]
    assert len(losses[0]) == 6
    assert losses[0] == losses[1]


def test_every_bit_of_the_parameters_is_equal_with_and_without(
    engine: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = MORE / "bits.py"
    kept = tmp_path / "numbers"
    # Graphs that hold the same operation round alike only as the engine compiles them by itself.
    monkeypatch.setenv("XLA_FLAGS", "")
    with ForkServer() as server:
        (alone,) = server.run([Job(str(program), request={}, guarded=False)])
        both = [watched(server, program, numbers=str(kept)), alone]
    said = [[line for line in each.output.splitlines() if line[:5] in ("bits ", "loss ")] for each in both]
    assert len(said[0]) == 3 + 9
    assert said[0] == said[1]
    held = numbers.read(kept)
    assert (len(held.losses), len(held.shapes), len(held.values)) == (8, 6, 8 * 16 + 16 + 16 + 16 + 16 + 1)
    shown = [float.fromhex(line.split()[1]) for line in said[0] if line.startswith("loss")]
    assert shown == [held.losses[0], held.losses[3], held.losses[6]]


def test_what_replicas_add_up_is_the_sum_that_the_host_computes(server: ForkServer) -> None:
    said = watched(server, MORE / "sums_of_replicas.py").output
    assert sorted(line for line in said.splitlines() if line.startswith("replica ")) == [
        "replica 0: True", "replica 1: True",
    ]  # fmt: skip


def test_what_waits_is_known_without_asking_the_engine_each_time(server: ForkServer) -> None:
    (alone,) = server.run([Job(str(MORE / "what_waits.py"), request={}, guarded=False)])
    said = [line for line in alone.output.splitlines() if line.startswith(("differs", "changes"))]
    assert said == ["changes: 32"]


def test_a_step_calls_few_functions_of_ours(server: ForkServer) -> None:
    measurement = watched(server, MORE / "calls_per_step.py")
    (line,) = (line for line in measurement.output.splitlines() if line.startswith("calls: "))
    few, many = map(int, line.split()[1:])
    assert few <= 1250
    assert many - few <= 36 * 3, "a module more costs more"
    assert measurement.run is not None
    assert measurement.run["launches_per_step"] == 1.0
