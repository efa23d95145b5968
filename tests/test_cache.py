"""What is kept from one run to the next changes no answer, whatever happens to files and to the cache."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from editing import edit_something
from fixture_programs import FIXTURES
from xlalint import cache as caching
from xlalint import files
from xlalint.cache import FOLDER, Cache
from xlalint.checker import Report, check
from xlalint.cli import command
from xlalint.diagnostic import Diagnostic, Severity
from xlalint.fixing import proposals
from xlalint.program.parsing import parse_file
from xlalint.session import Session
from xlalint.settings import SettingsFinder
from xlalint.sources.file import SourceFile

EXAMPLE = FIXTURES.parent / "examples" / "train_digits"
EDITS = 8

MODEL = """\
import torch
import torch_xla


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(3, 3).to(torch_xla.device())

    def step(self, batch):
        with torch_xla.step():
            loss = self.model(batch.to(torch_xla.device())).sum()
            loss.backward()
            report(loss)


def report(loss):
    print(loss.item())
"""


SHOWN = "def show(number):\n" + "".join(f"    print(number, {line})\n" for line in range(20))
"""A function that is long enough to be entered only for a reason."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the example program, and one more module."""
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project / "digits", ignore=shutil.ignore_patterns("__pycache__", FOLDER))
    (project / "pyproject.toml").write_text("[project]\nname = 'digits'\nversion = '1'\n")
    (project / "trainer.py").write_text(MODEL)
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def analyses(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list that has one more element for every root that is analyzed."""
    from xlalint.analysis.engine import Program

    done: list[Any] = []
    run = Program._run

    def counting(program: Program, root: Any, function: Any) -> Any:
        done.append(root)
        return run(program, root, function)

    monkeypatch.setattr(Program, "_run", counting)
    return done


def checked(*paths: Path, cache: Cache | None = None) -> Report:
    given = {"extend_select": ("XLA092",)}
    return check(list(paths), SettingsFinder(isolated=True, given=given), cache=cache)


def same(one: Report, other: Report) -> bool:
    return (one.diagnostics, one.suppressed, one.hot) == (other.diagnostics, other.suppressed, other.hot)


# Answers -----------------------------------------------------------------------------------------


def test_a_kept_answer_is_the_same_and_analyzes_nothing(project: Path, analyses: list[Any]) -> None:
    fresh = checked(project)
    assert fresh.diagnostics
    assert same(checked(project, cache=Cache()), fresh)
    analyses.clear()
    assert same(checked(project, cache=Cache()), fresh)
    assert analyses == []


def test_one_file_is_answered_from_what_is_known_of_all(project: Path, analyses: list[Any]) -> None:
    checked(project, cache=Cache())
    analyses.clear()
    found = checked(project / "trainer.py", cache=Cache()).diagnostics
    assert {diagnostic.path for diagnostic in found} == {"trainer.py"}
    assert analyses == []


def test_a_line_inserted_above_analyzes_nothing_but_the_names_that_are_used(
    project: Path, analyses: list[Any]
) -> None:
    """Names of torch_xla are looked for in the text of the whole file."""
    before = checked(project, cache=Cache())
    (project / "trainer.py").write_text(MODEL.replace("class Trainer", "# a remark\n\n\nclass Trainer"))
    analyses.clear()
    after = checked(project, cache=Cache())
    assert [root.kind for root in analyses] == ["uses"]
    assert same(after, checked(project))
    lines = [(d.path, d.code, d.range.start.line + 3 * (d.path == "trainer.py")) for d in before.diagnostics]
    assert [(d.path, d.code, d.range.start.line) for d in after.diagnostics] == lines


def test_an_edit_in_a_function_analyzes_only_what_rests_on_it(project: Path, analyses: list[Any]) -> None:
    checked(project, cache=Cache())
    (project / "trainer.py").write_text(MODEL.replace("print(loss.item())", "print(float(loss))"))
    analyses.clear()
    after = checked(project, cache=Cache())
    assert {(root.kind, Path(root.file).name) for root in analyses} == {
        ("uses", "trainer.py"), ("function", "trainer.py"),
    }  # fmt: skip
    assert same(after, checked(project))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    print(loss.item())", "    unused = 3\n    print(loss.item())"),
        ("            loss.backward()", "            unused = 3\n            loss.backward()"),
    ],
    ids=["above a finding", "in its caller"],
)
def test_nothing_is_analyzed_above_a_function_that_does_what_it_did(
    before: str, after: str, project: Path, analyses: list[Any]
) -> None:
    checked(project, cache=Cache())
    text = MODEL
    for _ in range(3):
        text = text.replace(before, after)
        (project / "trainer.py").write_text(text)
        analyses.clear()
        kept = checked(project, cache=Cache())
        assert [root.kind for root in analyses] == ["uses"]
        assert same(kept, checked(project))
    text = text.replace("loss.item()", "loss")
    (project / "trainer.py").write_text(text)
    assert same(checked(project, cache=Cache()), checked(project))


HOLDING = """
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Setup:
    def __init__(self):
        self.device = torch_xla.device()


class Shown:
    def __init__(self):
        self.batches = None


class Trainer:
    def __init__(self):
        self.setup = Setup()
        self.shown = Shown()
        self.model = torch.nn.Linear(4, 4).to(self.setup.device)

    def prepare(self, loader):
        self.shown.batches = loader

    def remember(self):
        self.best = self.model(torch.ones(4, device=self.setup.device))

    def report(self, step):
        print("at step", step, self.setup.device)


def main(data):
    trainer = Trainer()
    loader = pl.MpDeviceLoader(data, trainer.setup.device)
    xm.set_rng_state(7)
    for epoch in range(2):
        trainer.prepare(loader)
        for batch in trainer.shown.batches:
            print(trainer.model(batch).sum().item())
            trainer.report(batch)
        trainer.remember()
"""


@pytest.mark.parametrize("method", ["prepare(self, loader)", "remember(self)", "report(self, step)"])
def test_nothing_is_analyzed_above_a_method_that_leaves_objects_as_it_did(
    method: str, project: Path, analyses: list[Any]
) -> None:
    (project / "holding.py").write_text(HOLDING)
    before = checked(project, cache=Cache())
    (project / "holding.py").write_text(HOLDING.replace(f"{method}:", f"{method}:\n        unused = 3"))
    analyses.clear()
    kept = checked(project, cache=Cache())
    assert [root.kind for root in analyses] == ["uses"]
    assert len(kept.diagnostics) == len(before.diagnostics)
    assert same(kept, checked(project))


def test_files_that_have_nothing_to_do_with_an_edit_are_not_parsed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "shown.py").write_text(SHOWN)
    trainer = project / "trainer.py"
    showing = MODEL.replace("print(loss.item())", "show(len(loss.shape))")
    trainer.write_text(f"from shown import show\n{showing}\n\ndef alone(batch):\n    return batch\n")
    before = checked(project, cache=Cache())
    parsed: list[str] = []

    def noting(file: SourceFile) -> Any:
        parsed.append(file.path.name)
        return parse_file(file)

    monkeypatch.setattr("xlalint.analysis.engine.parse_file", noting)
    trainer.write_text(trainer.read_text().replace("    return batch", "    added = 1\n    return batch"))
    after = checked(project, cache=Cache())
    assert len(after.diagnostics) == len(before.diagnostics)
    assert "trainer.py" in parsed
    assert "shown.py" not in parsed


def test_a_function_that_does_something_else_is_analyzed_with_what_is_above(
    project: Path, analyses: list[Any]
) -> None:
    checked(project, cache=Cache())
    for text in (
        MODEL.replace("print(loss.item())", "print(loss.item(), loss.item())"),
        MODEL.replace("(3, 3).to(torch_xla.device())", "(3, 3)"),
        MODEL.replace("def report(loss):", "def report(loss, *more):"),
        MODEL,
    ):
        (project / "trainer.py").write_text(text)
        analyses.clear()
        kept = checked(project, cache=Cache())
        assert "function" in {root.kind for root in analyses}
        assert same(kept, checked(project))


CHAIN = """\
import torch
import torch_xla


def train(model, batches):
    for batch in batches:
        with torch_xla.step():
            loss = step(model, batch)
        report(loss)


def step(model, batch):
    loss = model(batch.to(torch_xla.device())).sum()
    loss.backward()
    return loss


def report(loss):
    told = loss.item()
    if told > 1:
        print(told)
    values = []
    for number in range(3):
        values.append(number)
    for number in values:
        print(number)
    if values:
        print(values)
    else:
        print("nothing")
    print("a step")
"""


def test_after_an_edit_only_what_leads_to_it_is_interpreted(project: Path, interpreted: list[str]) -> None:
    """What was interpreted in a first run is not kept, what is interpreted after an edit is."""
    path = project / "chain.py"
    path.write_text(CHAIN)
    checked(path, cache=Cache())
    edited = CHAIN.replace("told > 1", "told > 2")
    path.write_text(edited)
    checked(path, cache=Cache())
    path.write_text(edited.replace(".sum()", ".mean()"))
    interpreted.clear()
    after = checked(path, cache=Cache())
    assert set(interpreted) == {"train", "step"}
    assert same(after, checked(path))
    path.write_text(CHAIN.replace("told = loss.item()", "told = 1"))
    assert same(checked(path, cache=Cache()), checked(path))


def test_summaries_that_are_damaged_are_as_good_as_none(project: Path) -> None:
    path = project / "chain.py"
    path.write_text(CHAIN)
    for text in ("told > 2", "told > 3", "told > 4"):
        checked(path, cache=Cache())
        path.write_text(CHAIN.replace("told > 1", text))
    (summaries,) = [file for file in kept_files(project) if "-summaries-" in file.name]
    summaries.write_bytes(summaries.read_bytes()[:-100])
    path.write_text(CHAIN.replace(".sum()", ".mean()"))
    assert same(checked(path, cache=Cache()), checked(path))


@pytest.mark.parametrize("edit", ["base", "removed", "shadowed"])
def test_what_is_found_elsewhere_is_looked_at_again(project: Path, edit: str) -> None:
    (project / "main.py").write_text(
        "import torch_xla\nfrom logs import report\n\n\n"
        "def train(model, batches):\n    for batch in batches:\n"
        "        with torch_xla.step():\n            loss = model(batch.to(torch_xla.device())).sum()\n"
        "            report(loss)\n"
    )
    (project / "src").mkdir()
    (project / "src" / "logs.py").write_text("def report(loss):\n    print(loss.item())\n")
    before = checked(project / "main.py", cache=Cache())
    assert [d.code for d in before.diagnostics] == ["XLA101"]
    if edit == "base":
        (project / "src" / "logs.py").write_text("def report(loss):\n    print('a step')\n")
    elif edit == "removed":
        (project / "src" / "logs.py").unlink()
    else:
        (project / "logs.py").write_text("def report(loss):\n    pass\n")
    assert checked(project / "main.py", cache=Cache()).diagnostics == []


def test_a_file_of_settings_is_looked_at_again(project: Path, analyses: list[Any]) -> None:
    (project / "main.py").write_text(
        "import hydra\nimport torch\nimport torch_xla\nimport torch_xla.distributed.parallel_loader as pl\n\n"
        "\n@hydra.main()\ndef main(cfg):\n    device = torch_xla.device()\n"
        "    model = torch.nn.Linear(3, 3).to(device)\n"
        "    for batch in pl.MpDeviceLoader([torch.ones(3)], device):\n        loss = model(batch).sum()\n"
        "        if cfg.shows.losses:\n            print(loss.item())\n        loss.backward()\n"
    )
    settings = project / "conf" / "run.yaml"
    settings.parent.mkdir()

    def severity() -> Severity:
        report = checked(project / "main.py", cache=Cache())
        assert same(report, checked(project / "main.py"))
        return report.diagnostics[0].severity

    assert severity() is Severity.WARNING
    settings.write_text("shows:\n  losses: false\n")
    assert severity() is Severity.INFO
    (project / "conf" / "more.yml").write_text("shows:\n  losses: true\n")
    assert severity() is Severity.WARNING
    (project / "conf" / "more.yml").write_text("shows:\n  pictures: true\n")
    assert severity() is Severity.INFO
    settings.write_text("shows:\n  losses: true\n")
    assert severity() is Severity.WARNING
    analyses.clear()
    settings.write_text("shows:\n  losses: true\n\n")
    checked(project / "main.py", cache=Cache())
    assert analyses == []


def test_the_device_in_a_file_of_settings_is_looked_at_again(project: Path, analyses: list[Any]) -> None:
    (project / "main.py").write_text(
        "import sys\nimport torch\nimport torch_xla\nfrom omegaconf import OmegaConf\n\n"
        "cfg = OmegaConf.load(sys.argv[1])\n"
        "device = torch.device(cfg.run.device)\nmodel = torch.nn.Linear(3, 3).to(device)\n"
        "for batch in sys.stdin:\n    loss = model(batch).sum()\n    print(loss.item())\n"
        "    loss.backward()\n    torch_xla.sync()\n"
    )
    settings = project / "run.yaml"

    def codes() -> list[str]:
        report = checked(project / "main.py", cache=Cache())
        assert same(report, checked(project / "main.py"))
        return [diagnostic.code for diagnostic in report.diagnostics]

    assert "XLA102" not in codes()
    settings.write_text("run:\n  device: xla\n")
    assert "XLA102" in codes()
    settings.write_text("run:\n  device: cuda\n")
    assert "XLA102" not in codes()


def test_how_a_program_is_started_is_looked_at_again(project: Path, analyses: list[Any]) -> None:
    (project / "main.py").write_text(
        "import torch\nimport torch_xla.distributed.spmd as xs\n\n"
        "model = torch.nn.Linear(8, 4).to('xla')\n"
        "xs.mark_sharding(model.weight, xs.get_1d_mesh('data'), (None, 'data'))\n"
    )

    def codes() -> list[str]:
        report = checked(project / "main.py", cache=Cache())
        assert same(report, checked(project / "main.py"))
        return [diagnostic.code for diagnostic in report.diagnostics]

    assert codes() == ["XLA805"]
    (project / "README.md").write_text("    XLA_USE_SPMD=1 python main.py\n")
    assert codes() == []
    analyses.clear()
    (project / "README.md").write_text("Start it so:\n\n    XLA_USE_SPMD=1 python main.py\n")
    assert checked(project / "main.py", cache=Cache()).diagnostics == []
    assert analyses == []
    (project / "README.md").unlink()
    assert codes() == ["XLA805"]


FINE_TUNING = """\
from accelerate import Accelerator

accelerator = Accelerator()
model, loader, optimizer = accelerator.prepare(make(), batches(), rule())
for batch in loader:
    loss = model(batch).sum()
    print(loss.item())
    accelerator.backward(loss)
    optimizer.step()
"""


def test_which_files_are_analyzed_is_looked_at_again(tmp_path: Path) -> None:
    (tmp_path / "tune.py").write_text(FINE_TUNING)
    (tmp_path / "setup.py").write_text("")

    def analyzed() -> bool:
        report = checked(tmp_path, cache=Cache())
        assert same(report, checked(tmp_path))
        return bool(report.hot)

    assert not analyzed()
    told = tmp_path / "requirements.txt"
    told.write_text("torch_xla==2.5\n")
    assert analyzed()
    told.write_text("torch==2.5\n")
    assert not analyzed()
    command = tmp_path / "run.sh"
    command.write_text("accelerate launch --tpu tune.py\n")
    assert analyzed()
    command.write_text("accelerate launch tune.py\n")
    assert not analyzed()
    (tmp_path / "device.py").write_text("import torch_xla\n\nDEVICE = torch_xla.device()\n")
    assert analyzed()
    (tmp_path / "device.py").rename(tmp_path / "device.txt")
    assert not analyzed()


def test_where_nothing_has_changed_nothing_is_written_and_no_file_is_looked_into(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "device.py").write_text("import torch_xla as xla\n")
    (project / "main.py").write_text("from device import xla\n\nprint(xla.device())\n")
    for path in project.rglob("*.py"):
        os.utime(path, (1, 1))  # of what was just written, nothing is known for sure
    fresh = checked(project, cache=Cache())
    kept = {path: path.read_bytes() for path in (project / FOLDER).iterdir()}
    for asked in ("imports", "takes", "_look"):
        monkeypatch.setattr(files.File, asked, property(lambda file: pytest.fail("it is looked into")))
    assert same(checked(project, cache=Cache()), fresh)
    assert {path: path.read_bytes() for path in (project / FOLDER).iterdir()} == kept


MAIN = """
import torch
import torch_xla
from settings import Settings

settings = Settings()


def train(batches):
    model = torch.nn.Linear(3, 3).to(torch_xla.device())
    print(settings.momentum)
    with torch_xla.step():
        print(model(batches[0].to(torch_xla.device())).sum().item())
"""


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("main.py", MAIN.replace("Settings()\n", "Settings()\nsettings.momentum = 2\n")),
        ("main.py", MAIN.replace("print(settings.momentum)", "print(hasattr(settings, 'momentum'))")),
        ("settings.py", "class Settings:\n    def __init__(self):\n        self.rate = self.momentum = 1\n"),
        ("settings.py", "class Settings:\n    rate = 1\n\n\nclass More(Settings):\n    momentum = 2\n"),
    ],
)
def test_what_an_object_lacked_is_looked_for_again(project: Path, file: str, text: str) -> None:
    texts = {
        "main.py": MAIN,
        "settings.py": "class Settings:\n    def __init__(self):\n        self.rate = 1\n",
    }
    for name, content in texts.items():
        (project / name).write_text(content)
    session = Session(lambda: SettingsFinder(isolated=True))

    def severities() -> list[Severity]:
        session.reread([project / file])
        fresh = checked(project / "main.py")
        assert same(checked(project / "main.py", cache=Cache()), fresh)
        assert session.check([project / "main.py"]).diagnostics == fresh.diagnostics
        return [found.severity for found in fresh.diagnostics]

    assert severities() == [Severity.INFO]
    (project / file).write_text(text)
    assert severities() == [Severity.WARNING]
    (project / file).write_text(texts[file])
    assert severities() == [Severity.INFO]


def test_what_was_not_asked_for_since_is_compared_with_what_it_rested_on(project: Path) -> None:
    """Between two checks of one file, another is checked twice while the first one's helper changes."""
    (project / "pipe.py").write_text("def report(loss):\n    print(loss.item())\n")
    for name in ("one", "two"):
        text = MODEL.partition("\n\ndef report")[0].replace("import torch\n", "import torch\nimport pipe\n")
        (project / f"{name}.py").write_text(text.replace("report(loss)", "pipe.report(loss)"))
    assert [d.code for d in checked(project / "one.py", cache=Cache()).diagnostics] == ["XLA101"]
    checked(project / "two.py", cache=Cache())
    (project / "pipe.py").write_text("def report(loss):\n    pass\n")
    assert checked(project / "two.py", cache=Cache()).diagnostics == []
    (project / "two.py").write_text((project / "two.py").read_text() + "\n# more\n")
    assert checked(project / "two.py", cache=Cache()).diagnostics == []
    assert checked(project / "one.py", cache=Cache()).diagnostics == []


def test_settings_belong_to_what_is_kept(project: Path) -> None:
    checked(project, cache=Cache())
    (project / "xlalint.toml").write_text('ignore = ["XLA101"]\n')
    found = check([project], SettingsFinder(), cache=Cache()).diagnostics
    assert found
    assert "XLA101" not in {diagnostic.code for diagnostic in found}
    (project / "requirements.txt").write_text("torch_xla==2.3\n")
    older = check([project], SettingsFinder(), cache=Cache())
    assert same(older, check([project], SettingsFinder()))


def edited(tree: Path, edits: int, cache: Path) -> Iterator[str]:
    """After each of many edits, say where the kept answer is not the fresh one."""
    hot = sorted(path for path in tree.rglob("*.py") if b"torch_xla" in path.read_bytes())
    cold = sorted(set(tree.rglob("*.py")) - set(hot))[:20]
    checked(tree, cache=Cache(cache))
    for seed in range(edits):
        done = edit_something(tree, [*hot, *hot, *cold], seed)
        one = hot[seed % len(hot)]
        paths = [one] if seed % 3 == 0 and one.exists() else [tree]
        if not same(checked(*paths, cache=Cache(cache)), checked(*paths)):
            yield f"{seed}: {done}"


def test_after_any_edit_the_kept_answer_is_the_fresh_one(project: Path, tmp_path: Path) -> None:
    for folder in ("XLA103", "XLA501", "XLA701"):
        shutil.copytree(FIXTURES / folder, project / folder)
    assert list(edited(project, EDITS, tmp_path / "kept")) == []


@pytest.mark.soak
@pytest.mark.parametrize("tree", ["accelerate-0.20.3", "fairseq-0.12.2"])
def test_after_any_edit_of_a_real_tree_the_kept_answer_is_the_fresh_one(tree: str, tmp_path: Path) -> None:
    from corpus import CORPUS

    assert (CORPUS / tree).is_dir(), f"{tree} is not there: run benchmarks/corpus.py"
    shutil.copytree(CORPUS / tree, tmp_path / tree)
    assert list(edited(tmp_path / tree, 200, tmp_path / "kept")) == []


# Edits of fixes ----------------------------------------------------------------------------------


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[Report]:
    """The reports of which it was worked out what their fixes change."""
    reports: list[Report] = []
    work_out = proposals.with_edits

    def noting(report: Report) -> list[Diagnostic]:
        reports.append(report)
        return work_out(report)

    monkeypatch.setattr(proposals, "with_edits", noting)
    return reports


def written(*arguments: str, form: str = "json") -> str:
    """What a check writes for programs, if it has found something."""
    ran = CliRunner().invoke(command, ["check", "--isolated", "--output-format", form, *arguments])
    assert ran.exit_code == 1, ran.output
    return ran.stdout


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_what_fixes_change_is_worked_out_once(project: Path, worked_out: list[Report], form: str) -> None:
    fresh = written("--no-cache", form=form)
    assert ("replacements" if form == "sarif" else '"edits": [\n') in fresh
    worked_out.clear()
    assert [written(form=form) for _ in range(3)] == [fresh] * 3
    assert len(worked_out) == 1


@pytest.mark.parametrize("path", ["trainer.py", "beside.py"])
def test_what_fixes_change_is_worked_out_anew_where_any_file_has_changed(
    project: Path, worked_out: list[Report], path: str
) -> None:
    """What another file takes from a module is nothing that a fix may leave out."""
    (project / "beside.py").write_text("import os\n")
    written()
    (project / path).write_text(f"# more\n{(project / path).read_text()}")
    worked_out.clear()
    assert written() == written("--no-cache")
    assert len(worked_out) == 2


def test_what_fixes_change_is_named_as_it_is_seen_from_where_one_is(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written()
    monkeypatch.chdir(project / "digits")
    assert written(str(project)) == written(str(project), "--no-cache")
    assert written("--select", "XLA101", str(project)) == written(
        "--no-cache", "--select", "XLA101", str(project)
    )


def test_what_fixes_change_is_not_kept_of_texts_that_have_changed_meanwhile(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes to a file while that is worked out, and takes it back then."""
    fresh, before = written("--no-cache"), (project / "trainer.py").read_text()
    work_out = proposals.with_edits

    def meanwhile(report: Report) -> list[Diagnostic]:
        (project / "trainer.py").write_text("import torch_xla\n")
        return [replace(diagnostic, fixes=()) for diagnostic in work_out(report)]

    with monkeypatch.context() as patched:
        patched.setattr(proposals, "with_edits", meanwhile)
        assert written() != fresh
    (project / "trainer.py").write_text(before)
    assert written() == fresh


# Files of the cache ------------------------------------------------------------------------------


def kept_files(project: Path) -> list[Path]:
    return sorted((project / FOLDER).glob("*.json"))


@pytest.mark.parametrize("damage", ["cut short", "foreign", "changed", "empty", "other names"])
def test_a_cache_that_is_damaged_is_as_good_as_none(project: Path, damage: str) -> None:
    fresh = checked(project, cache=Cache())
    for file in kept_files(project):
        data = file.read_bytes()
        file.write_bytes(
            {
                "cut short": data[: len(data) // 2],
                "foreign": b'{"version": 3}',
                "changed": data.replace(b"trainer", b"trainee"),
                "empty": b"",
                "other names": data.replace(b"xlalint cache 1", b"xlalint cache 0"),
            }[damage]
        )
    assert same(checked(project, cache=Cache()), fresh)


def test_a_cache_that_cannot_be_written_is_done_without(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = checked(project)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert same(checked(project, cache=Cache()), fresh)
    assert not (project / FOLDER).exists()


def test_a_run_that_is_killed_while_it_writes_leaves_nothing_that_misleads(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed before each of its writes in turn, after an edit that changes the answer."""
    checked(project, cache=Cache())
    (project / "trainer.py").write_text(MODEL.replace("report(loss)\n\n\n", "pass\n\n\n"))
    fresh = checked(project)
    replace = os.replace
    for survived in range(3):
        written: list[object] = []

        def die(*arguments: Any, survived: int = survived, written: list[object] = written) -> None:
            if len(written) == survived:
                raise KeyboardInterrupt
            written.append(arguments)
            replace(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", die)
            with suppress(KeyboardInterrupt):
                checked(project, cache=Cache())
        assert same(checked(project, cache=Cache()), fresh)
        (project / "trainer.py").write_text(MODEL + f"# {survived}\n")
        fresh = checked(project)


def test_runs_at_the_same_time_share_a_cache(project: Path) -> None:
    command_line = [sys.executable, "-m", "xlalint", "check", "--output-format", "json", "--exit-zero"]
    alone = subprocess.run([*command_line, "--no-cache"], capture_output=True, check=True, timeout=120)
    runs = [subprocess.Popen(command_line, stdout=subprocess.PIPE) for _ in range(4)]
    assert [run.communicate(timeout=120)[0] for run in runs] == [alone.stdout] * 4
    again = subprocess.run(command_line, capture_output=True, check=True, timeout=120)
    assert again.stdout == alone.stdout


def test_the_cache_stays_out_of_git_and_of_checks_and_can_be_deleted(project: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(command, ["check", "--exit-zero"]).exit_code == 0
    assert (project / FOLDER / ".gitignore").read_text() == "*\n"
    assert runner.invoke(command, ["clean"]).output == f"deleted {FOLDER}\n"
    assert not (project / FOLDER).exists()
    assert runner.invoke(command, ["clean"]).output == "no cache found\n"


def test_clean_leaves_alone_what_is_not_ours(project: Path) -> None:
    (project / FOLDER).mkdir()
    (project / FOLDER / "mine.json").write_text("{}")
    assert CliRunner().invoke(command, ["clean"]).output == "no cache found\n"
    assert (project / FOLDER / "mine.json").exists()


def test_no_cache_neither_reads_nor_writes(project: Path, analyses: list[Any]) -> None:
    assert CliRunner().invoke(command, ["check", "--exit-zero", "--no-cache"]).exit_code == 0
    assert not (project / FOLDER).exists()
    CliRunner().invoke(command, ["check", "--exit-zero", "--cache-dir", "../kept"])
    assert not (project / FOLDER).exists()
    assert list((project.parent / "kept").glob("*.json"))
    analyses.clear()
    CliRunner().invoke(command, ["check", "--exit-zero", "--cache-dir", "../kept", "--no-cache"])
    assert analyses


def test_only_so_many_files_are_kept(project: Path) -> None:
    for number in range(2 * caching.MOST_FILES):
        check(
            [project],
            SettingsFinder(isolated=True, given={"ignore": (f"XLA{101 + number % 3}",)}),
            cache=Cache(),
        )
        Cache().keep(project, f"answers-{number}", {})
    assert len(kept_files(project)) == caching.MOST_FILES
