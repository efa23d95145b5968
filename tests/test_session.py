"""What a session says after any change of a text is what a fresh analysis says."""

from __future__ import annotations

import ast
import gc
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from editing import EDITS
from fixture_programs import FIXTURES
from xlalint.checker import Report, check
from xlalint.diagnostic import Severity
from xlalint.session import Session, Unwanted
from xlalint.settings import SettingsFinder

EXAMPLE = FIXTURES.parent / "examples" / "train_digits"
CHANGES = 14

PROGRAM = """\
import torch
import torch_xla


class Meter:
    def __init__(self):
        self.total = 0

    def add(self, value):
        self.total = self.total + value


def train(model, batches):
    meter = Meter()
    for batch in batches:
        with torch_xla.step():
            loss = step(model, batch)
            report(loss, meter)


def step(model, batch):
    loss = model(batch.to(torch_xla.device())).sum()
    loss.backward()
    return loss


def report(loss, meter):
    shown = [number for number in range(3)]
    name = max(shown, key=lambda number: -number)
    print("a step", name)
    meter.add(loss.item())
"""

SWITCHED = f"""\
import yaml
{PROGRAM}

settings = yaml.safe_load(open("run.yaml"))
""".replace("    meter.add(", "    if settings['shows']:\n        meter.add(")
"""The same where a setting decides."""


def finder() -> SettingsFinder:
    return SettingsFinder(isolated=True, given={"extend_select": ("XLA092",)})


def told(report: Report) -> object:
    return report.diagnostics, report.suppressed, report.hot, report.files, report.bounds


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a program, and another file beside it."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text("[project]\nname = 'digits'\nversion = '1'\n")
    (project / "program.py").write_text(PROGRAM)
    (project / "other.py").write_text(PROGRAM.replace("loss.item()", "loss"))
    monkeypatch.chdir(project)
    return project


class Patience:
    """Wants an answer until so many roots have been analyzed; None: in any case."""

    def __init__(self) -> None:
        self.left: int | None = None

    def __call__(self) -> bool:
        if self.left is None:
            return True
        self.left -= 1
        return self.left >= 0

    def given_up(self, session: Session, path: Path, texts: dict[str, bytes], roots: int) -> bool:
        """Begin a check. Returns whether it was given up before its end."""
        self.left = roots
        try:
            session.check([path], texts)
        except Unwanted:
            return True
        finally:
            self.left = None
        return False


def can_be_parsed(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def changed(tree: Path, changes: int, seed: int) -> Iterator[str]:
    """After each of many changes, say where the answer is not the fresh one.

    Some changes break a file, and of some checks the answer is not wanted any more before it is there.
    """
    choice = random.Random(seed)
    hot = sorted(path for path in tree.rglob("*.py") if b"torch_xla" in path.read_bytes())
    cold = sorted(set(tree.rglob("*.py")) - set(hot))[:5]
    patience = Patience()
    session, texts = Session(finder, is_wanted=patience), dict[str, bytes]()
    for number in range(changes):
        path = choice.choice([*hot, *hot, *cold])
        text = texts.get(str(path), path.read_bytes()).decode()
        if number % 6 == 5:
            at = choice.randrange(len(text)) if text else 0
            broken = {str(path): f"{text[:at]}{choice.choice(['(', ':', ' if'])}{text[at:]}".encode()}
            if told(session.check([path], {**texts, **broken})) != told(
                check([path], finder(), texts={**texts, **broken})
            ):
                yield f"{number}: {path.relative_to(tree)} broken at {at}"
        edit = choice.choice(EDITS)
        edited = path.read_text() if number % 7 == 6 else edit(text, choice)
        # A session tells of others what the last text said that could be parsed: that is to be this one.
        texts[str(path)] = (edited if can_be_parsed(edited) else text).encode()
        asked = choice.choice([path, choice.choice(hot)])
        if number % 3 == 0:
            patience.given_up(session, asked, texts, choice.randrange(20))
        if told(session.check([asked], texts)) != told(check([asked], finder(), texts=texts)):
            yield f"{number}: {path.relative_to(tree)}: {edit.__name__}, asked for {asked.name}"


def test_after_any_change_the_answer_is_the_fresh_one(project: Path) -> None:
    shutil.copytree(EXAMPLE, project / "digits", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("XLA102", "XLA501", "XLA701"):
        shutil.copytree(FIXTURES / folder, project / folder)
    assert list(changed(project, CHANGES, 1)) == []


@pytest.mark.soak
@pytest.mark.parametrize("tree", ["accelerate-0.20.3", "fairseq-0.12.2"])
def test_after_any_change_of_a_real_tree_the_answer_is_the_fresh_one(tree: str, tmp_path: Path) -> None:
    from corpus import CORPUS

    assert (CORPUS / tree).is_dir(), f"{tree} is not there: run benchmarks/corpus.py"
    shutil.copytree(CORPUS / tree, tmp_path / tree)
    assert list(changed(tmp_path / tree, 60, 2)) == []


# What is interpreted again ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # What a function does is the same: nobody who calls it is looked at.
        ('print("a step", name)', 'print("one step", name)', {"report", "<lambda>"}),
        ("    shown = [", "    more = 1\n    shown = [", {"report", "<lambda>"}),
        ("def report", "# a remark\n\n\ndef report", set()),
        # It is not: those who call it are, and no other.
        ("meter.add(loss.item())", "meter.add(loss)", {"report", "add", "train"}),
        ("loss.backward()", "loss.backward()  # once", set()),
        ("def add(self, value):", "def add(self, value):\n        more = 1", {"__init__", "add"}),
        # What the objects of a class hold comes out the same.
        ("self.total = 0", "self.total = 1", {"__init__", "add", "train", "report", "<lambda>"}),
    ],
)  # fmt: skip
def test_after_a_change_only_what_rests_on_it_is_interpreted(
    project: Path, interpreted: list[str], old: str, new: str, expected: set[str]
) -> None:
    path = project / "program.py"
    session = Session(finder)
    session.check([path])
    interpreted.clear()
    texts = {str(path): PROGRAM.replace(old, new).encode()}
    report = session.check([path], texts)
    assert set(interpreted) <= expected
    assert told(report) == told(check([path], finder(), texts=texts))


def test_no_circles_are_looked_for_in_what_stays(project: Path) -> None:
    # That takes half a second for a project of some size, and comes whenever it likes.
    session = Session(finder)
    gc.unfreeze()
    session.check([project / "program.py"])
    assert gc.get_freeze_count() > 0
    assert gc.isenabled()
    session.forget()
    assert gc.get_freeze_count() == 0


def test_nothing_is_interpreted_where_nothing_has_changed(project: Path, interpreted: list[str]) -> None:
    session = Session(finder)
    before = session.check([project / "program.py"])
    interpreted.clear()
    assert told(session.check([project / "program.py"])) == told(before)
    assert session.check([project / "other.py"]).checked == {str(project / "other.py")}
    assert interpreted == []


def test_a_program_of_which_too_much_is_known_is_analyzed_afresh(
    project: Path, interpreted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xlalint.session.MOST_GROWN", 1)
    monkeypatch.setattr("xlalint.session.FEW", -1)
    path = project / "program.py"
    session = Session(finder)
    session.check([path])
    interpreted.clear()
    texts = {str(path): PROGRAM.replace("total = 0", "total = 1").encode()}
    assert told(session.check([path], texts)) == told(check([path], finder(), texts=texts))
    assert "step" in interpreted


def test_what_was_found_out_before_a_check_was_given_up_stays_known(
    project: Path, interpreted: list[str]
) -> None:
    path = project / "program.py"
    fresh = Session(finder).check([path])
    names = sorted(interpreted)
    interpreted.clear()

    patience = Patience()
    session = Session(finder, is_wanted=patience)
    texts: dict[str, bytes] = {}
    roots = 1
    while patience.given_up(session, path, texts, roots):
        texts = {str(path): f"# typed {roots} times\n{PROGRAM}".encode()}  # meanwhile
        roots += 1
    assert roots > 3
    assert sorted(interpreted) == names
    assert told(session.check([path])) == told(fresh)


# Texts and files ----------------------------------------------------------------------------------


def test_while_a_file_cannot_be_parsed_others_are_told_as_before(project: Path) -> None:
    path, other = project / "program.py", project / "other.py"
    session = Session(finder)
    before = session.check([other])
    texts = {str(path): b"def f(:\n"}
    assert [d.code for d in session.check([path], texts).diagnostics] == ["XLA000"]
    assert told(session.check([other], texts)) == told(before)
    assert told(session.check([path])) == told(check([path], finder()))


def test_a_file_that_could_not_be_parsed_at_first_is_analyzed_once_it_can_be(project: Path) -> None:
    path = project / "program.py"
    session, texts = Session(finder), {str(path): b"import torch_xla\ndef f(:\n"}
    for text in (texts[str(path)], b"import torch_xla\n\ndef f(:\n", PROGRAM.encode()):
        texts = {str(path): text}
        assert told(session.check([path], texts)) == told(check([path], finder(), texts=texts))


def test_a_file_that_comes_to_use_xla_is_analyzed(project: Path) -> None:
    path = project / "later.py"
    path.write_text(PROGRAM.replace("torch_xla", "torch_abc"))
    session = Session(finder)
    assert session.check([path]).diagnostics == []
    texts = {str(path): PROGRAM.encode()}
    assert [d.code for d in session.check([path], texts).diagnostics] == ["XLA101"]
    assert session.check([path]).diagnostics == []


def test_what_changed_on_disk_counts_once_the_session_is_told(project: Path, interpreted: list[str]) -> None:
    path = project / "program.py"
    session = Session(finder)
    assert [d.code for d in session.check([path]).diagnostics] == ["XLA101"]
    path.write_text(PROGRAM.replace("loss.item()", "loss"))
    interpreted.clear()
    session.reread([path])
    assert session.check([path]).diagnostics == []
    assert set(interpreted) == {"report", "add", "train"}
    # What is open counts, not what is on disk.
    texts = {str(path): PROGRAM.encode()}
    assert session.check([path], texts).diagnostics
    session.reread([path])
    assert session.check([path], texts).diagnostics
    (project / "program.py").unlink()
    session.reread([path])
    assert told(session.check([project])) == told(check([project], finder()))


def test_settings_of_a_program_count_once_the_session_is_told(project: Path, interpreted: list[str]) -> None:
    path, settings = project / "program.py", project / "run.yaml"
    session = Session(finder)
    session.check([path])
    interpreted.clear()
    settings.write_text("shows: false\n")
    session.reread([settings])
    session.check([path])
    assert interpreted == []  # it asks for no setting
    texts = {str(path): SWITCHED.encode()}
    for text, severity in [("false", Severity.INFO), ("true", Severity.WARNING)]:
        settings.write_text(f"shows: {text}\n")
        session.reread([settings])
        assert [each.severity for each in session.check([path], texts).diagnostics] == [severity]


def test_files_of_no_known_project_and_folders_are_checked_as_ever(project: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone.py"
    alone.write_text(PROGRAM)
    session = Session(finder)
    for paths in ([alone], [project / "program.py", alone], [project], [project / "program.py"]):
        assert told(session.check(paths)) == told(check(paths, finder()))
