"""Structural rewrites come out as an expert writes them, or are refused with a reason."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fixing import Fixed, fixed, fixed_files, module_of, text_after
from fixture_programs import FIXTURES, Program, bad_programs
from wrong_rewrites import OPERATORS
from xlalint import checker
from xlalint.api import fix_paths
from xlalint.checker import Report
from xlalint.cure import SyncBefore, WrapBody
from xlalint.diagnostic import Severity
from xlalint.fixing.fixer import fix
from xlalint.fixing.markers import require_end_in_callers, sync_before
from xlalint.fixing.module import Module, is_marker, statements
from xlalint.fixing.operations import Delete, Insert, Move, Operation, Undecorate, Unwrap, Wrap
from xlalint.fixing.order import require_order
from xlalint.fixing.rewrite import Refused
from xlalint.fixing.scopes import wrap_body
from xlalint.lazy.site import Site
from xlalint.settings import SettingsFinder
from xlalint.sources.file import show

FIXES = Path(__file__).with_name("fixes")

RULES = (
    "XLA101", "XLA102", "XLA106", "XLA201", "XLA202", "XLA203", "XLA204", "XLA205", "XLA206", "XLA210",
    "XLA211", "XLA212", "XLA301",
    "XLA501", "XLA602", "XLA603", "XLA701", "XLA703",
)  # fmt: skip

WITH_STEP = {
    "XLA203/break_before_the_marker": "the marker below the exit ends the step by hand",
    "XLA203/break_then_more_training": "its second loop has a marker",
    "XLA301/barrier_in_trace": "the marker below the profiler's scope ends the step by hand",
    "XLA301/rfc_marker_in_trace": "the marker below the profiler's scope ends the step by hand",
    "XLA501/log_the_loss_on_the_master": "the marker above the test ends the step by hand",
    "XLA501/model_of_a_registry": "the marker above the test ends the step by hand",
    "XLA501/progress_of_the_local_master": "the marker above the test ends the step by hand",
    "XLA501/rfc_checkpoint": "the marker above the test ends the step by hand",
    "XLA501/two_saves_of_one_state": "the marker above the test ends the step by hand",
    "XLA501/weights_copied_by_the_master": "the marker above the test ends the step by hand",
    "XLA602/save_at_the_end_of_an_epoch": "the marker above the save ends the step by hand",
    "XLA703/grad_scaler_loop": "the loop has a marker",
}
"""Programs whose cure comes out once XLA201 is selected beside their own rule."""

OTHERWISE = {
    "XLA101/logging_and_late_import": "the expert reads once, and logs that",
    "XLA101/optimizer_given_or_built": "the expert asks the trainer for its loss",
    "XLA102/accuracy_per_batch": "the expert keeps the count on the device; the scope reads it below",
    "XLA102/batch_moved_by_recursion": "the expert moves the read below the marker; the scope replaces that",
    "XLA102/checkpoint_among_micro_batches": "the sync of the checkpoint stays; the expert writes a step",
    "XLA102/distance_of_the_average": "the expert measures in the step; what is read stays below",
    "XLA102/last_batch_of_an_evaluation": "the expert moves the sync into the loop, as a scope does",
    "XLA102/long_method_of_a_trainer": "the expert reads all losses at the end; the scope ends each batch",
    "XLA102/gradient_norms_read": "the expert gathers the norms in a list; the loop that reads stays below",
    "XLA102/gradients_without_an_update": "the expert gathers the gradients in a list; the sync comes first",
    "XLA102/item_before_marker": "the expert moves the read below the marker; the scope replaces that",
    "XLA102/loss_by_name": "the expert reads once at the end",
    "XLA102/loss_read_for_the_mean": "a rendezvous cuts: the rule offers the sync, the expert a step",
    "XLA102/model_that_returns_a_pair": "the expert reads once at the end",
    "XLA102/read_into_a_variable_first": "the variable stays",
    "XLA102/sums_of_all_sorts_on_the_cpu": "the expert makes all on the device; copies come below a step",
    "XLA102/tokens_made_text": "the expert fetches all rows at once",
    "XLA106/closure_in_step": "the function is called below the step with what it was given",
    "XLA106/method_closure": "the function is called below the step with what it was given",
    "XLA106/partial_closure": "the function is called below the step with what it was given",
    "XLA106/resnet_closure": "the function is called below the step with what it was given",
    "XLA201/resnet_step_closure": "a host-only statement stays below the scope, the expert took it in",
    "XLA202/gan_with_two_optimizers": "a transfer stays above the scope, the expert took it in",
    "XLA202/helpers_through_importlib": "the module is known by another name: imports are tested elsewhere",
    "XLA202/inference_over_loader": "the expert moves the whole read out of the loop",
    "XLA202/one_graph_for_all_steps": "the expert sets a marker after the loop",
    "XLA202/optimizer_step_without_barrier": "the expert writes `barrier=True`",
    "XLA202/step_in_other_module": "the expert wraps the loader",
    "XLA202/text_written_in_place": "the expert gives the place as a tensor, so that one graph serves all",
    "XLA202/two_outputs_one_read": "the value that stays behind has another name",
    "XLA203/in_many_ways": "before one exit comes a marker; the expert writes a step",
    "XLA204/loader_in_step": "the expert also changes what opens the step",
    "XLA212/compiled_step_function": "what the caller calls the result, the function does, too",
    "XLA212/step_in_a_method": "the loss that nobody reads is returned as before",
    "XLA212/trainer_logs_a_difference": "it is read in the step then; with XLA101 selected, too, it stays",
    "XLA301/helper_in_another_module": "the expert removes the helper that holds the marker",
    "XLA501/chain_of_rank_helpers": "the test is in a helper, and so is the sync; the expert writes a step",
    "XLA501/checkpoint_three_calls_deep": "the expert also saves on all replicas",
    "XLA501/probe_of_updated_parameters": "the expert takes the probe into the step",
    "XLA501/run_of_the_master": "the test is in a helper, and so is the sync; the expert writes a step",
    "XLA501/save_then_rendezvous": "the expert moves the rendezvous, which cuts, above the test",
    "XLA501/trainer_leaves_early": "the test is in a helper, and so is the sync; the expert writes a step",
    "XLA602/save_every_nth_step": "the save is conditional, and so is the sync; the expert writes a step",
    "XLA602/save_then_leave": "the save is conditional, and so is the sync; the expert writes a step",
    "XLA602/save_two_calls_deep": "the save is in a helper, as is the sync; the expert writes a step",
    "XLA602/trainer_with_checkpoints": "the save is in a helper, as is the sync; the expert writes a step",
    "XLA603/pending_on_one_way": "the marker below the save stays",
    "XLA703/scaler_subclass": "the class that nothing uses any more stays",
    "XLA703/trainer_with_scaler": "the expert also sums the gradients of the replicas",
}
"""Programs that are cured, but not as the expert did it."""

UNREACHED = {
    "XLA102/backend_of_a_table": "`torch_xla` may be missing where line 29 runs",
    "XLA102/loss_added_to_a_tensor_on_the_cpu": "the cure is only shown",
    "XLA102/parts_of_a_loss_read_in_a_helper": "would separate the step's forward from its backward",
    "XLA201/marker_in_helper": "the marker stands in `steps.finish`",
    "XLA202/agent_of_a_package": "line 20 reads its own work, which would be a graph of its own",
    "XLA202/device_from_a_helper": "`torch_xla` may be missing where line 20 runs",
    "XLA202/trainer_over_steps": "`torch_xla` may be missing where line 26 runs",
    "XLA202/unknown_helper_may_cut": "nothing is found",
    "XLA203/batches_by_hand": "nothing is found",
    "XLA203/raise_caught_outside": "nothing is found",
    "XLA204/marker_behind_a_flag": "the marker stands in a helper",
    "XLA301/epoch_in_trace": "the cure is only shown",
    "XLA301/trace_me": "the scope is the whole function",
    "XLA701/from_tables_given_to_a_decorator": "in another function or branch",
    "XLA701/one_of_two_models": "in another function or branch",
    "XLA701/optimizer_of_an_unknown_factory": "in another function or branch",
    "XLA701/picked_before_the_move": "the cure is only shown",
    "XLA701/trainer_moves_in_fit": "in another function or branch",
    "XLA703/optimizer_skips_on_nan": "the cure is only shown",
}
"""Programs that are not changed, and why."""

IMPORTED_OTHERWISE = {
    "XLA202/fine_tuning_moved_to_the_device": "a comment beside the import stays",
    "XLA301/barrier_in_trace": "the import stands beside the one that it comes from",
}
"""Programs that come out as the expert wrote them, but for an import."""

PROGRAMS = [program for program in bad_programs() if program.code in RULES]


# As an expert -----------------------------------------------------------------------------------


def outcome(program: Program) -> Fixed:
    codes = {program.code or ""} | ({"XLA201"} if program.id in WITH_STEP else set())
    return fixed(program, frozenset(codes))


def comes_out(program: Program) -> bool:
    """Whether all files of a program are as its expert left them, apart from marks."""
    assert program.fixed is not None
    cured = program.fixed.entry.parent
    own = program.entry.parent
    shown = without_imports if program.id in IMPORTED_OTHERWISE else plain
    pairs = {
        path: cured / path.relative_to(own) if program.root.is_dir() else program.fixed.entry
        for path in program.modules
    }
    return all(
        other.exists() and shown(outcome(program).texts[path]) == shown(other.read_text(encoding="utf-8"))
        for path, other in pairs.items()
    )


_MARK = re.compile(r"\s*# (?:expect|missed|missed by both|quiet):.*$", re.MULTILINE)
_HEADER = re.compile(r"^# (?:proof|replicas|devices|tolerance|no proof):.*\n", re.MULTILINE)


def plain(text: str) -> str:
    """A text without what only fixtures have."""
    return _HEADER.sub("", _MARK.sub("", text))


def without_imports(text: str) -> str:
    return re.sub(r"^\s*(?:import|from \S+ import) .*\n", "", plain(text), flags=re.MULTILINE)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_a_program_comes_out_as_an_expert_wrote_it(program: Program) -> None:
    known = program.id in OTHERWISE or program.id in UNREACHED
    assert comes_out(program) != known


@pytest.mark.parametrize("slug", OTHERWISE)
def test_what_comes_out_otherwise_is_cured_all_the_same(slug: str) -> None:
    (program,) = (program for program in PROGRAMS if program.id == slug)
    assert outcome(program).applied


@pytest.mark.parametrize("slug", UNREACHED)
def test_what_is_not_changed_has_a_reason(slug: str) -> None:
    (program,) = (program for program in PROGRAMS if program.id == slug)
    found = outcome(program)
    assert not found.applied
    if not UNREACHED[slug].startswith(("nothing is found", "the cure is only shown")):
        assert any(UNREACHED[slug] in reason for _, _, reason in found.left)


# Programs of their own --------------------------------------------------------------------------


def header(path: Path, name: str) -> str:
    """What the first lines of a program say: `# select: XLA201, XLA102`, `# refused: <reason>`."""
    match = re.search(rf"^# {name}: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert match is not None, f"{path.name} has no `# {name}:`"
    return match[1]


def pairs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if not path.name.endswith(".fixed.py"))


def cured(path: Path) -> Path:
    return path.with_name(f"{path.stem}.fixed.py")


def fixed_text(text: str, folder: Path, codes: str) -> Fixed:
    """A text after the fixes of some rules, as the only file of a project."""
    program = folder / "program.py"
    program.write_bytes(text.encode())
    return fixed_files(program, [program], codes.split(", "))


def text_of(found: Fixed) -> str:
    (text,) = found.texts.values()
    return text


def with_tabs(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda match: "\t" * (len(match[0]) // 4), text, flags=re.MULTILINE)


def with_two_spaces(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda match: " " * (len(match[0]) // 2), text, flags=re.MULTILINE)


def with_crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def as_it_is(text: str) -> str:
    return text


LAYOUTS = (as_it_is, with_tabs, with_two_spaces, with_crlf)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("path", pairs(FIXES), ids=lambda path: path.stem)
def test_a_loop_is_rewritten_in_the_layout_of_its_file(
    path: Path, layout: Callable[[str], str], tmp_path: Path
) -> None:
    text = layout(path.read_text(encoding="utf-8"))
    found = fixed_text(text, tmp_path, header(path, "select"))
    assert text_of(found) == layout(cured(path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", pairs(FIXES), ids=lambda path: path.stem)
def test_a_second_run_changes_nothing(path: Path, tmp_path: Path) -> None:
    text = cured(path).read_text(encoding="utf-8")
    assert text_of(fixed_text(text, tmp_path, header(path, "select"))) == text


@pytest.mark.parametrize("path", pairs(FIXES / "refused"), ids=lambda path: path.stem)
def test_what_cannot_be_rewritten_is_refused_with_the_reason(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = fixed_text(text, tmp_path, header(path, "select"))
    assert any(header(path, "refused") in reason for _, _, reason in found.left)
    for cut in ("torch_xla.step()", "torch_xla.sync()"):
        assert text_of(found).count(cut) == text.count(cut)


def test_no_file_imports_what_another_of_the_project_can_do_without() -> None:
    folder = FIXES / "optional"
    found = fixed_files(folder, [folder / "trainer.py", folder / "saving.py"], ["XLA601"])
    assert not found.changed
    assert [reason for _, _, reason in found.left] == [
        "`torch_xla.core.xla_model` is not imported wherever `torch` is there"
    ]


IMPORTED = """try:
    import torch_xla
    import torch_xla.core.xla_model as xm
except ImportError:
    xm = None
"""
IMPORTED_ELSEHOW = {
    "by name": """from importlib import import_module

try:
    torch_xla = import_module("torch_xla")
    xm = import_module("torch_xla.core.xla_model")
except ImportError:
    xm = None
""",
    "where it is found": """from importlib.util import find_spec

xm = None
if find_spec("torch_xla") is not None:
    import torch_xla
    import torch_xla.core.xla_model as xm
""",
}


@pytest.mark.parametrize("text", IMPORTED_ELSEHOW.values(), ids=list(IMPORTED_ELSEHOW))
def test_a_project_can_do_without_what_it_imports_in_other_words(text: str, tmp_path: Path) -> None:
    shutil.copytree(FIXES / "optional", tmp_path, dirs_exist_ok=True)
    trainer = tmp_path / "trainer.py"
    trainer.write_text(trainer.read_text(encoding="utf-8").replace(IMPORTED, text), encoding="utf-8")
    found = fixed_files(tmp_path, [trainer, tmp_path / "saving.py"], ["XLA601"])
    assert not found.changed
    assert len(found.left) == 1


def test_no_file_comes_to_import_at_once_what_others_import_in_functions_alone(tmp_path: Path) -> None:
    trainer, saving = tmp_path / "trainer.py", tmp_path / "saving.py"
    shutil.copy(FIXES / "optional" / "saving.py", saving)
    trainer.write_text(
        """import torch

from saving import save


def train():
    import torch_xla

    model = torch.nn.Linear(8, 1).to(torch_xla.device())
    save(model, "model.pt")


train()
""",
        encoding="utf-8",
    )
    found = fixed_files(tmp_path, [trainer, saving], ["XLA601"])
    assert not found.changed
    assert len(found.left) == 1


def test_what_is_right_on_xla_alone_is_not_written_in_a_project_that_is_for_cuda_too(tmp_path: Path) -> None:
    refused = FIXES / "refused" / "backend_of_a_gpu.py"
    program, other = tmp_path / "program.py", tmp_path / "other.py"
    text = refused.read_text(encoding="utf-8").replace("cuda", "gpu")
    program.write_text(text, encoding="utf-8")
    codes = header(refused, "select").split(", ")
    assert fixed_files(tmp_path, [program], codes).changed
    other.write_text('import torch\n\nDEVICE = torch.device("cuda")\n', encoding="utf-8")
    (left,) = fixed_files(tmp_path, [program, other], codes).left
    assert left.reason == "other.py may call it with CUDA, where it would be wrong"


def test_what_the_own_file_refuses_that_of_a_helper_may_allow() -> None:
    folder = FIXES / "two_files"
    helper = folder / "logs.py"
    found = fixed_files(folder, [folder / "main.py", helper], ["XLA102"])
    assert found.changed == {helper}
    assert found.texts[helper] == cured(helper).read_text(encoding="utf-8")


@pytest.mark.parametrize("evaluates", [True, False])
def test_a_loader_that_another_file_evaluates_with_keeps_its_last_batch(
    tmp_path: Path, evaluates: bool
) -> None:
    shutil.copytree(FIXES / "loader_shared", tmp_path, dirs_exist_ok=True)
    main, loops = tmp_path / "main.py", tmp_path / "loops.py"
    if not evaluates:
        main.write_text(main.read_text(encoding="utf-8").replace("(model, loader)", "(model, [])"))
    found = fixed_files(tmp_path, [main, loops], ["XLA404"])
    assert found.changed == (set() if evaluates else {main})
    assert [reason for _, _, reason in found.left] == (
        ["line 20 of loops.py goes over it, too, and does not train"] if evaluates else []
    )


TOGETHER = {
    "another file calls the function": (
        "training/metrics.py",
        "class Meter:",
        "def again(trainer):\n    trainer.train_step(1, 2)\n\n\nclass Meter:",
        "another file may call `train_step`",
    ),
    "another line of the file does": (
        "training/loop.py",
        "    @property\n",
        "    def again(self):\n        self.train_step(1, 2)\n\n    @property\n",
        "line 25 of loop.py uses `train_step`, too",
    ),
    "what a framework may call": (
        "training/loop.py",
        "class Trainer:",
        "class Trainer(torch.utils.data.Dataset):",
        "`train_step` may be called by what `Trainer` derives from",
    ),
    "private to its class": (
        "training/loop.py",
        "report(",
        "_report(",
        "line 19 uses `_report`, which is private",
    ),
    "a name that means something else in the caller": (
        "main.py",
        "    for features",
        "    loss = None\n    for features",
        "`loss` means something else on line 22, below the step",
    ),
    "something that follows in the step": (
        "main.py",
        "# expect: XLA101",
        "\n            trainer.losses.append(1)",
        "`trainer.report(loss)` cannot move past line 22: a call there may change `trainer.losses`",
    ),
    "returned in the middle": (
        "training/loop.py",
        "        loss.backward()\n",
        "        if target is None:\n            return\n        loss.backward()\n",
        "`train_step` returns in more than one place",
    ),
}
"""Why a read does not move to the caller in another file: the file, and what is otherwise in it."""


@pytest.mark.parametrize("file, old, new, reason", TOGETHER.values(), ids=list(TOGETHER))
def test_two_files_change_together_only_where_nobody_else_minds(
    file: str, old: str, new: str, reason: str, tmp_path: Path
) -> None:
    folder = tmp_path / "program"
    shutil.copytree(FIXTURES / "XLA101" / "read_three_calls_deep", folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    found = fixed_files(folder, sorted(folder.rglob("*.py")), ["XLA101"])
    assert not found.changed
    assert any(reason in why for _, _, why in found.left), found.left


def test_two_files_change_together_only_if_both_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "program"
    shutil.copytree(FIXTURES / "XLA101" / "read_three_calls_deep", folder)
    finder = SettingsFinder(isolated=True, given={"select": ("XLA101",)})
    outcome = fix_paths([str(folder / "main.py")], unsafe=True, settings=finder)
    assert not outcome.after
    assert any("loop.py, which is not checked" in each.reason for each in outcome.left)


def test_what_harms_a_third_file_is_not_held_against_what_is_fixed_beside_it(tmp_path: Path) -> None:
    text = (FIXES / "helper_of_one.py").read_text(encoding="utf-8")
    files = {name: tmp_path / f"{name}.py" for name in ("first", "harming", "last", "third")}
    for name, file in files.items():
        file.write_text("import torch_xla\n" if name == "third" else text, encoding="utf-8")
    finder = SettingsFinder(isolated=True, given={"select": ("XLA201",)})

    found = checker.check([tmp_path], finder, project=tmp_path).diagnostics[0]
    harm = replace(found, code="XLA101", severity=Severity.WARNING, path=show(files["third"]))

    def check(changed: Mapping[str, bytes]) -> Report:
        report = checker.check([tmp_path], finder, project=tmp_path, texts=changed)
        if str(files["harming"]) in changed:
            report.diagnostics.append(harm)
        return report

    outcome = fix(check, lambda path: finder.at(tmp_path), unsafe=True)
    assert {Path(path).stem for path in outcome.after} == {"first", "last"}
    assert {(Path(each.diagnostic.path).stem, each.reason) for each in outcome.left} == {
        ("harming", f"XLA101 would be reported in {show(files['third'])} afterwards")
    }


def test_an_import_goes_once_no_other_file_takes_what_it_brings() -> None:
    folder = FIXES / "passing_on"
    files = sorted(folder.glob("*.py"))
    found = fixed_files(folder, files, ["XLA001", "XLA002"])
    changed = sorted((FIXES / "passing_on.fixed").glob("*.py"))
    assert {file.name for file in found.changed} == {file.name for file in changed}
    for file in changed:
        assert found.texts[folder / file.name] == file.read_text(encoding="utf-8")
    again = fixed_files(
        folder, files, ["XLA001", "XLA002"], {str(file): found.texts[file].encode() for file in files}
    )
    assert not again.changed


IN_THE_MIDDLE = {
    "between forward and backward": (
        """
for batch in batches:
    loss = model(batch).mean()
    print(loss)  # here
    loss.backward()
    optimizer.step()
""",
        "forward from its backward, on line 5",
    ),
    "between backward and the optimizer step": (
        """
for batch in batches:
    loss = model(batch).mean()
    loss.backward()
    print(loss)  # here
    optimizer.step()
""",
        "backward from the optimizer step, on line 6",
    ),
    "in a profiler's scope": (
        """
with xp.Trace("step"):
    loss = model(batch).mean()
    print(loss)  # here
""",
        "the scope on line 2 is open there",
    ),
    "in what forward calls": (
        """
class Model(torch.nn.Module):
    def forward(self, batch):
        return self.scaled(batch)

    def scaled(self, batch):
        print(batch.mean())  # here
        return batch
""",
        "inside `forward`, which runs `scaled`",
    ),
}
"""Where a marker would cut what has to be one graph."""


@pytest.mark.parametrize("text, reason", IN_THE_MIDDLE.values(), ids=list(IN_THE_MIDDLE))
def test_a_marker_never_stands_in_the_middle_of_a_step(text: str, reason: str) -> None:
    with pytest.raises(Refused, match=re.escape(reason)):
        synced(text)


def test_a_marker_in_a_helper_stands_in_the_steps_of_all_its_callers() -> None:
    text = """
def update(outputs):
    print(outputs)

for batch in batches:
    outputs = model(batch)
    update(outputs)
    outputs.mean().backward()
"""
    path = FIXES / "program.py"
    module = module_of(path, text)
    (call,) = (each for each in statements(module.tree) if each.lineno == 7)
    with pytest.raises(Refused, match="line 7 leads there: a marker would separate the step's forward"):
        require_end_in_callers(module, [site_of(path, call)])


@pytest.mark.parametrize(
    "text",
    [
        # micro-batches: the optimizer steps every so many of them
        "for x in y:\n    loss.backward()\n    print(loss)  # here\n    if n:\n        optimizer.step()\n",
        # an evaluation, and then training
        "loss = model(batch)\nprint(loss)  # here\nfor batch in batches:\n    model(batch).backward()\n",
        # the step is over
        "for batch in batches:\n    loss.backward()\n    optimizer.step()\n    print(loss)  # here\n",
    ],
)
def test_a_marker_may_stand_where_a_graph_ends(text: str) -> None:
    assert synced(f"import torch_xla\n{text}")


def synced(text: str) -> tuple[Operation, ...]:
    """What sets a marker above the line that is marked."""
    path = FIXES / "program.py"
    module = module_of(path, text)
    line = next(number for number, each in enumerate(text.splitlines(), 1) if "# here" in each)
    (statement,) = (each for each in statements(module.tree) if each.lineno == line)
    return sync_before(module, SyncBefore(site_of(path, statement), title="")).operations


@pytest.mark.parametrize("markers", [1, 2])
def test_a_marker_at_the_start_of_the_body_opens_the_step(markers: int) -> None:
    """No rule finds it, for its last step stays pending; whoever selects the loop may have it."""
    path = FIXES / "direct" / f"marker_first_{markers}.py"
    module = module_of(path, path.read_text(encoding="utf-8"))
    (loop,) = (each for each in statements(module.tree) if isinstance(each, ast.For))
    sites = [site_of(path, each) for each in loop.body if is_marker(each)]
    rewrite = wrap_body(module, WrapBody(site_of(path, loop), markers=tuple(sites)))
    assert text_after(module, rewrite.operations) == cured(path).read_text(encoding="utf-8")


def site_of(path: Path, statement: ast.stmt) -> Site:
    node = statement.value if isinstance(statement, ast.Expr) else statement
    return Site(str(path), node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


# Whole programs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", pairs(FIXES / "complete"), ids=lambda path: path.stem)
def test_a_whole_program_gets_all_its_fixes(path: Path) -> None:
    """What these compute before and after is compared on the engine."""
    found = fixed_files(path, [path])
    assert plain(text_of(found)) == cured(path).read_text(encoding="utf-8")
    assert found.left == []


@pytest.mark.parametrize("path", pairs(FIXES / "complete"), ids=lambda path: path.stem)
def test_a_second_run_over_a_whole_program_changes_nothing(path: Path) -> None:
    found = fixed_files(cured(path), [cured(path)])
    assert not found.changed
    assert found.left == []


# Layout -----------------------------------------------------------------------------------------


def operations_of(module: Module) -> list[Operation]:
    """What the comments of a layout program say happens to the statements that end on their lines."""
    ends: dict[int, ast.stmt] = {}
    for statement in statements(module.tree):
        if not hasattr(statement, "body"):
            ends[statement.end_lineno or 0] = statement
    starts: dict[int, ast.stmt] = {}
    for statement in statements(module.tree):
        starts.setdefault(statement.lineno, statement)
    made: list[Operation] = []
    marked = {
        number: comment[1].split()
        for number, line in enumerate(module.file.lines, 1)
        if (comment := re.search(r"# (\w[\w ]*)$", line)) is not None
    }
    for number, words in marked.items():
        match words:
            case ["first", "last"] | ["first2"]:
                loop = starts[number]
                assert isinstance(loop, ast.For | ast.While)
                made.append(Wrap(loop.body[0], loop.body[-1], "torch_xla.step()"))
            case ["first"]:
                last = next(each for each, words in marked.items() if words == ["last"])
                made.append(Wrap(ends[number], ends[last], "torch_xla.step()"))
            case ["goes"]:
                made.append(Delete(ends[number]))
            case ["moves"]:
                here = next(each for each, words in marked.items() if words == ["here"])
                made.append(Move(ends[number], ends[here]))
            case ["new", "above"]:
                made.append(Insert("torch_xla.sync()", ends[number], above=True))
            case ["unwrap"]:
                scope = starts[number]
                assert isinstance(scope, ast.With)
                made.append(Unwrap(scope))
            case ["undecorate"]:
                for function in statements(module.tree):
                    for decorator in getattr(function, "decorator_list", ()):
                        if decorator.lineno == number:
                            assert isinstance(function, ast.FunctionDef)
                            made.append(Undecorate(function, decorator))
    return made


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("path", pairs(FIXES / "layout"), ids=lambda path: path.stem)
def test_what_stays_keeps_its_layout(path: Path, layout: Callable[[str], str]) -> None:
    module = module_of(path, layout(path.read_text(encoding="utf-8")))
    wanted = layout(cured(path).read_text(encoding="utf-8"))
    assert text_after(module, operations_of(module)) == wanted


def test_tabs_mixed_with_spaces_stay_as_they_are(tmp_path: Path) -> None:
    text = "for x in y:\n\tif x:\n\t    f(x)\n\t    g(x)\n\telse:\n\t\th(x)\n"
    module = module_of(tmp_path / "mixed.py", text)
    loop = module.tree.body[0]
    assert isinstance(loop, ast.For) and isinstance(inner := loop.body[0], ast.If)
    assert text_after(module, [Delete(inner.body[1])]) == text.replace("\t    g(x)\n", "")


@pytest.mark.parametrize("end", ["", "\n", "  # the end", "\n# the end"])
def test_the_end_of_a_file_stays_as_it_is(end: str, tmp_path: Path) -> None:
    module = module_of(tmp_path / "end.py", "a()\nb()" + end)
    first = module.tree.body[0]
    assert text_after(module, [Delete(first)]) == "b()" + end
    assert text_after(module, [Insert("c()", first)]) == "a()\nc()\nb()" + end


def test_libcst_is_not_loaded_before_there_is_something_to_lay_out() -> None:
    program = "import sys, xlalint.fixing.rewriting, xlalint.fixing.ledger; sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# Order ------------------------------------------------------------------------------------------

MEET = [
    ("print(loss)", "loss = f(x)", "`loss` is changed there"),
    ("total = loss.item()", "print(total)", "`total` is used there"),
    ("log(scheduler.get_last_lr())", "scheduler.step()", "a call there may change `scheduler`"),
    ("log(optimizer.param_groups[0])", "warm_up.step()", "the learning rate may change there"),
    ("meter.update(loss.item())", "print(meter.value)", "it may change `meter`, which is used there"),
    ("print(self.losses)", "self.losses = []", "`self.losses` is changed there"),
    ("print(self.losses)", "self.train_step(x)", "a call there may change `self`"),
    ("save(model.state_dict())", "optimizer.step()", "parameters and gradients change there"),
    ("print(loss)", "if x: continue", "what moved would not run"),
    ("if loss.item() < 1: break", "loss.backward()", "should have been left"),
    ("print(values[0])", "values[1] = x", "`values` is changed there"),
    ("print(loss)", "await done()", "gives way to other code"),
    ("progress.display(1)", "losses.update(x)", "a call there may change `losses`"),
]

PASS = [
    ("print(loss.item())", "loss.backward()"),
    ("print(loss)", "optimizer.step()"),
    ("history.append(loss.item())", "self.optimizer.step()"),
    ("self.losses.append(loss.item())", "self.optimizer.step()"),
    ("xm.master_print(loss)", "xm.optimizer_step(optimizer)"),
    ("norms = [p.item() for p in x]", "rates = [p for p in y]"),
    ("for x in y:\n    if x: break", "z = 1"),
]


def looped(moved: str, crossed: str) -> tuple[Module, ast.stmt, ast.stmt]:
    body = "\n".join(f"        {line}" for text in (moved, crossed) for line in text.splitlines())
    text = f"import xm\nasync def f():\n    progress = Progress(losses)\n    for x in y:\n{body}\n"
    module = module_of(Path("order.py").absolute(), text)
    (*_, loop) = (
        each for each in statements(module.tree) if isinstance(each, ast.For) and len(each.body) == 2
    )
    one, other = loop.body
    return module, one, other


@pytest.mark.parametrize(("moved", "crossed", "reason"), MEET)
def test_what_depends_on_each_other_keeps_its_order(moved: str, crossed: str, reason: str) -> None:
    module, one, other = looped(moved, crossed)
    with pytest.raises(Refused, match=re.escape(reason)):
        require_order(module, [Move(one, other)])


@pytest.mark.parametrize(("moved", "crossed"), PASS)
def test_what_has_nothing_in_common_may_change_places(moved: str, crossed: str) -> None:
    module, one, other = looped(moved, crossed)
    require_order(module, [Move(one, other)])


# Wrong rewrites ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATORS)
def test_wrong_rewrites_are_refused(name: str) -> None:
    """At least 95 of 100; each that is accepted is shown."""
    accepted, made = [], 0
    for program in PROGRAMS:
        for step in outcome(program).steps:
            for wrong in OPERATORS[name](step):
                made += 1
                if wrong.is_accepted():
                    accepted.append(f"{program.id}: {wrong.what}")
    assert made
    assert len(accepted) <= 0.05 * made, accepted
