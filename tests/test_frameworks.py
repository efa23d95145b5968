"""What a framework does, and calls, is judged in its context, though nothing of it is in the program."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest

from checking import mark_of
from xlalint.cache import Cache
from xlalint.checker import Report, check
from xlalint.diagnostic import Severity
from xlalint.knowledge.stubs import shipped
from xlalint.settings import SettingsError, SettingsFinder, read_settings

PROGRAMS = Path(__file__).parent / "frameworks"
NAMES = sorted(path.name for path in PROGRAMS.iterdir() if path.is_dir())


def checked(root: Path, cache: Cache | None = None) -> Report:
    settings = root / "xlalint.toml"
    config = settings if settings.is_file() else None
    given = {"respect_gitignore": False}
    finder = SettingsFinder(config=config, isolated=config is None, given=given)
    return check([root], finder, project=root, cache=cache)


def found(root: Path, cache: Cache | None = None) -> set[tuple[str, int, str, str]]:
    return {(*mark_of(d, root), d.certainty.value) for d in checked(root, cache).diagnostics}


def expected(root: Path) -> set[tuple[str, int, str, str]]:
    wanted = set()
    for path in sorted(root.rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for mark in line.partition("# expect: ")[2].split(", "):
                if match := re.match(r"(XLA\d+)( likely)?", mark):
                    certainty = "likely" if match[2] else "definite"
                    wanted.add((path.relative_to(root).as_posix(), number, match[1], certainty))
    return wanted


def copied(name: str, tmp_path: Path) -> Path:
    root = tmp_path / "program"
    shutil.copytree(PROGRAMS / name, root)
    return root


@pytest.mark.parametrize("name", NAMES)
def test_programs_for_frameworks_are_judged_on_the_marked_lines(name: str) -> None:
    root = PROGRAMS / name
    assert found(root) == expected(root)


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_answer_is_the_fresh_one(name: str, tmp_path: Path) -> None:
    root, cache = copied(name, tmp_path), Cache(tmp_path / "cache")
    fresh = checked(root)
    for _ in range(2):
        kept = checked(root, cache)
        assert (kept.diagnostics, kept.hot, kept.passed_over) == (
            fresh.diagnostics, fresh.hot, fresh.passed_over,
        )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_diagnostic_stands_in_what_frameworks_do(name: str) -> None:
    for diagnostic in checked(PROGRAMS / name).diagnostics:
        places = [diagnostic.path, *(related.path for related in diagnostic.related)]
        assert all((PROGRAMS.parent.parent / path).is_file() for path in places), places
        assert "the framework`" not in diagnostic.message


def test_the_step_of_a_framework_is_not_the_users_to_make_a_function(tmp_path: Path) -> None:
    root = copied("trainer", tmp_path)
    (root / "loop.py").write_text(
        "import torch\nimport torch_xla\n"
        "def train(model, optimizer, batch):\n"
        "    model.to(torch_xla.device())\n"
        "    for _ in range(3):\n"
        "        model(batch.to(torch_xla.device())).mean().backward()\n"
        "        optimizer.step()\n"
        "train(torch.nn.Linear(2, 1), torch.optim.SGD([torch.ones(2)]), torch.ones(4, 2))\n"
    )
    finder = SettingsFinder(isolated=True, given={"select": ("XLA903",), "respect_gitignore": False})
    told = check([root], finder, project=root).diagnostics
    assert [(Path(d.path).name, d.range.start.line, d.code) for d in told] == [("loop.py", 5, "XLA903")]


def test_the_loop_of_a_framework_is_not_the_users_to_mark() -> None:
    root = PROGRAMS / "lightning_by_hand"
    finder = SettingsFinder(isolated=True, given={"select": ("XLA902",), "respect_gitignore": False})
    assert not check([root], finder, project=root).diagnostics


# What is known of frameworks ---------------------------------------------------------------------


@pytest.mark.parametrize("framework", shipped(), ids=lambda framework: framework.name)
def test_a_program_of_a_framework_can_be_read(framework: object) -> None:
    (known,) = (each for each in shipped() if each is framework)
    tree = ast.parse(known.text)
    assert ast.get_docstring(tree)
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert classes.issuperset(known.hooked)
    assert known.names, "nothing that users call"
    assert all(module.partition(".")[0] in known.packages for module in known.modules)


def test_own_definitions_win_over_what_is_known_of_a_framework(tmp_path: Path) -> None:
    root = copied("accelerate_loop", tmp_path)
    (root / "accelerate.py").write_text(
        "class Accelerator:\n    def prepare(self, *given):\n        return given\n"
        "    def backward(self, loss):\n        loss.backward()\n"
    )
    assert found(root) == set()


# Whether a project trains on XLA -----------------------------------------------------------------


def test_who_uses_a_framework_is_passed_over_where_nothing_says_xla(tmp_path: Path) -> None:
    root = copied("trainer", tmp_path)
    assert checked(root).passed_over == 0
    (root / "requirements.txt").write_text("torch\n")
    report = checked(root)
    assert (report.diagnostics, report.hot, report.passed_over) == ([], 0, 1)


def test_what_says_xla_is_part_of_what_is_remembered(tmp_path: Path) -> None:
    root, cache = copied("trainer", tmp_path), Cache(tmp_path / "cache")
    wanted = expected(root)
    assert found(root, cache) == wanted
    (root / "requirements.txt").write_text("torch\n")
    assert found(root, cache) == set()
    (root / "other.py").write_text("import torch_xla\n")
    assert found(root, cache) == wanted


def test_what_only_another_folder_says_of_xla_informs(tmp_path: Path) -> None:
    """Of such findings three of seven were true: the other folder may be another program."""
    root = copied("trainer", tmp_path)
    told = {d.severity for d in checked(root).diagnostics if d.path.endswith("train.py")}
    assert Severity.WARNING in told
    (root / "requirements.txt").write_text("torch\n")
    (root / "other").mkdir()
    (root / "other" / "start.py").write_text("import torch_xla\n")
    informing = {d.severity for d in checked(root).diagnostics if d.path.endswith("train.py")}
    assert informing == {Severity.INFO}
    (root / "beside.py").write_text("import torch_xla\n")
    assert {d.severity for d in checked(root).diagnostics if d.path.endswith("train.py")} == told


def test_a_trainer_that_uses_xla_says_nothing_of_others_beside_it(tmp_path: Path) -> None:
    """It trains what its own file hands to it, and that is told of where it does."""
    root = copied("trainer", tmp_path)
    (root / "requirements.txt").write_text("torch\n")
    beside = "from pytorch_lightning import Trainer\n\nTrainer(accelerator={!r}).predict(None)\n"
    (root / "predict.py").write_text(beside.format("tpu"))
    informing = {d.severity for d in checked(root).diagnostics if d.path.endswith("train.py")}
    assert informing == {Severity.INFO}


def test_a_script_beside_its_port_is_for_other_devices(tmp_path: Path) -> None:
    root = copied("trainer", tmp_path)
    (root / "requirements.txt").write_text("torch\n")
    (root / "evaluate_tpu.py").write_text("import torch_xla\n")
    told = {d.severity for d in checked(root).diagnostics if d.path.endswith("train.py")}
    assert Severity.WARNING in told
    (root / "train_tpu.py").write_text("import torch_xla\n")
    informing = {d.severity for d in checked(root).diagnostics if d.path.endswith("train.py")}
    assert informing == {Severity.INFO}


def test_who_makes_an_object_of_its_own_trainer_makes_a_trainer(tmp_path: Path) -> None:
    root = copied("trainer_with_own_loss", tmp_path)
    script = root / "train.py"
    assert Severity.WARNING in {d.severity for d in checked(root).diagnostics}
    script.write_text(script.read_text().partition("def main(")[0])
    assert {d.severity for d in checked(root).diagnostics} == {Severity.INFO}


def test_classes_for_frameworks_need_a_project_that_trains_on_a_device(tmp_path: Path) -> None:
    """The same criterion in a package that never mentions torch_xla says nothing."""
    package = tmp_path / "fairseq"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "criterions.py").write_text((PROGRAMS / "criterion/fairseq/criterions.py").read_text())
    assert found(tmp_path) == set()


def test_a_suppression_in_what_a_framework_calls_is_heard(tmp_path: Path) -> None:
    """The file names no torch_xla itself, but another file of its package does."""
    root = copied("criterion", tmp_path)
    criterions = root / "fairseq" / "criterions.py"
    text = criterions.read_text()
    criterions.write_text(text.replace("# expect: XLA102 likely", "# xlalint: ignore[XLA102] once an epoch"))
    assert not any(path == "fairseq/criterions.py" for path, *_ in found(root))


# Settings ----------------------------------------------------------------------------------------


def test_another_text_of_a_framework_gives_another_answer(tmp_path: Path) -> None:
    root, cache = copied("own_framework", tmp_path), Cache(tmp_path / "cache")
    assert found(root, cache) == expected(root) != set()
    program = root / "stubs" / "mytrainer.py"
    program.write_text(program.read_text().replace("        xm.mark_step()\n", ""))
    changed = found(root, cache)
    assert changed == found(root)
    program.write_text("class Task:\n    pass\n\n\ndef train(task, loader):\n    pass\n")
    assert found(root, cache) == set()


def test_importing_a_package_of_the_settings_makes_a_file_hot(tmp_path: Path) -> None:
    root = copied("trainer", tmp_path)
    (root / "requirements.txt").unlink()
    (root / "xlalint.toml").write_text('frameworks = ["transformers"]\n')
    assert {line for _, line, _, _ in found(root)} == {line for _, line, _, _ in expected(root)}


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ('frameworks = ["missing.py"]', "missing.py: cannot read this file: it does not exist"),
        ('frameworks = ["broken.py"]', "broken.py: not valid Python"),
        ('frameworks = ["no name"]', "neither the name of a package nor a file that ends with .py"),
        ('wrappers = ["accelerate"]', "it is called 'frameworks' now"),
    ],
)
def test_settings_that_cannot_be_used_say_why(setting: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def\n")
    (tmp_path / "xlalint.toml").write_text(f"{setting}\n")
    with pytest.raises(SettingsError, match=re.escape(reason)):
        read_settings(tmp_path / "xlalint.toml")


def test_the_program_in_the_documentation_is_understood(tmp_path: Path) -> None:
    text = (PROGRAMS.parent.parent / "docs" / "frameworks.md").read_text()
    (program,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    settings = re.findall(r"^```toml\n\[tool.xlalint\]\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(settings) == 2
    (tmp_path / "stubs").mkdir()
    (tmp_path / "stubs" / "mytrainer.py").write_text(program)
    (tmp_path / "xlalint.toml").write_text(settings[0])
    (tmp_path / "tasks.py").write_text(
        "from mytrainer import Task\n\n\nclass Own(Task):\n    def step(self, model, batch):\n"
        "        loss = model(batch).sum()\n        print(loss.item())\n        return loss\n"
    )
    assert found(tmp_path) == {("tasks.py", 7, "XLA102", "likely")}


def test_what_lightning_2_refuses_makes_all_that_comes_after_a_note() -> None:
    told = checked(PROGRAMS / "lightning_past_its_first").diagnostics
    notes = {mark_of(d, PROGRAMS)[:2] for d in told if d.severity is Severity.INFO}
    assert {(path.rpartition("/")[2], line) for path, line in notes} == {
        ("hooks.py", 44), ("hooks.py", 59), ("hooks.py", 65), ("hooks.py", 71),
        ("told_as_before.py", 28), ("told_as_before.py", 34), ("told_as_before.py", 42),
    }  # fmt: skip
