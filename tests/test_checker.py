"""What the checker makes of findings: one diagnostic at a place, sure enough, not silenced.

The analysis is stood in for by a function that the test gives; what it would find is not the point.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from xlalint.checker import Input, Report, check
from xlalint.configuration import Configuration
from xlalint.diagnostic import Certainty, Diagnostic, Position, Range, Severity
from xlalint.lazy.site import ENTRY, Site
from xlalint.rule import Finding, Rule
from xlalint.settings import SettingsFinder
from xlalint.sources.file import SourceFile
from xlalint.versions import VersionRange

PROGRAM = """\
import torch_xla

loss = step()
log(loss)
print(loss.item())
"""


@dataclass
class Analysis:
    findings: list[Finding]
    statistics: dict[str, int] = field(default_factory=lambda: {"functions": 1})


@dataclass
class Engine:
    """Stands in for the analysis: says what `find` says, and keeps what it was asked."""

    find: Callable[[SourceFile], list[Finding]] = lambda file: []
    asked: list[tuple[list[str], list[str], Configuration]] = field(default_factory=list)

    def analyze(
        self, files: Sequence[SourceFile], rules: Sequence[Rule], configuration: Configuration
    ) -> Analysis:
        self.asked.append(([file.path.name for file in files], [rule.code for rule in rules], configuration))
        return Analysis([finding for file in files for finding in self.find(file)])


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    engine = Engine()
    module = ModuleType("xlalint.analysis.engine")
    module.analyze = engine.analyze  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xlalint.analysis.engine", module)
    return engine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def finding(file: SourceFile, line: int = 5, code: str = "XLA101", **changes: Any) -> Finding:
    """A finding on the argument of the call in `line`."""
    text = file.line(line)
    site = Site(str(file.path), line, text.index("(") + 1, line, len(text) - 1)
    fields: dict[str, Any] = {
        "code": code, "name": f"name-of-{code}", "severity": Severity.WARNING, "path": (site,),
        "message": "read", "help": "do not", "doubts": 0,
    }  # fmt: skip
    return Finding(**{**fields, **changes})


def run(path: Path, **given: Any) -> Report:
    return check([path], SettingsFinder(given=given))


def lines(report: Report) -> list[tuple[str, int]]:
    return [(diagnostic.code, diagnostic.range.start.line) for diagnostic in report.diagnostics]


def only(report: Report) -> Diagnostic:
    (diagnostic,) = report.diagnostics
    return diagnostic


# Place and certainty -----------------------------------------------------------------------------


def test_a_finding_becomes_a_diagnostic(engine: Engine, folder: Path) -> None:
    engine.find = lambda file: [finding(file)]
    report = run(folder)
    diagnostic = only(report)
    assert diagnostic.path == "train.py"
    assert diagnostic.range == Range(Position(5, 7), Position(5, 18))
    assert diagnostic.certainty is Certainty.DEFINITE
    assert diagnostic.url.endswith("/host-read-in-step.md")
    assert report.sources["train.py"].text == PROGRAM
    assert (report.files, report.hot, report.statistics) == (1, 1, {"functions": 1})


@pytest.mark.parametrize(("doubts", "certainty"), [(0, "definite"), (1, "likely"), (2, None), (3, None)])
def test_doubts_make_it_likely_or_silent(
    engine: Engine, folder: Path, doubts: int, certainty: str | None
) -> None:
    engine.find = lambda file: [finding(file, doubts=doubts)]
    assert [d.certainty.value for d in run(folder).diagnostics] == ([certainty] if certainty else [])


def test_the_call_chain_becomes_related_places(engine: Engine, folder: Path) -> None:
    (folder / "helpers.py").write_text("def log(loss):\n    print(loss.item())\n")
    inner = Site(str(folder / "helpers.py"), 2, 10, 2, 21)
    engine.find = lambda file: [finding(file, 4, path=(*finding(file, 4).path, finding(file).path[0], inner))]
    through, last = only(run(folder)).related
    assert (through.path, through.range.start.line, through.message) == (
        "train.py", 5, "reached through this call",
    )  # fmt: skip
    assert (last.path, last.range, last.message) == (
        "helpers.py", Range(Position(2, 11), Position(2, 22)), "this is where it happens",
    )  # fmt: skip


def test_a_long_chain_keeps_its_last_place(engine: Engine, folder: Path) -> None:
    chain = tuple(Site(str(folder / "train.py"), 1, column, 1, 9) for column in range(12))
    engine.find = lambda file: [finding(file, path=(finding(file).path[0], *chain))]
    related = only(run(folder)).related
    assert [place.range.start.column for place in related] == [1, 2, 3, 4, 5, 6, 7, 12]


@pytest.mark.parametrize(
    ("since", "shown"),
    [
        ([3], "since line 3"),
        ([4, 3, 4], "since lines 3 and 4"),
        ([], "since an earlier line"),
        ([ENTRY], "since an earlier line"),
        ([4, "other.py"], "since line 4 and line 7 of other.py"),
    ],
)
def test_since_is_put_into_the_message(engine: Engine, folder: Path, since: list[Any], shown: str) -> None:
    def site(place: Any) -> Site:
        if isinstance(place, Site):
            return place
        if isinstance(place, str):
            return Site(str(folder / place), 7)
        return Site(str(folder / "train.py"), place)

    engine.find = lambda file: [finding(file, message="pending since {since}", since=tuple(map(site, since)))]
    assert only(run(folder)).message == f"pending {shown}"


# One diagnostic at a place -----------------------------------------------------------------------


def test_the_surest_of_several_contexts_counts(engine: Engine, folder: Path) -> None:
    engine.find = lambda file: [
        finding(file, doubts=1, message="a", severity=Severity.ERROR),
        finding(file, doubts=0, message="c"),
        finding(file, doubts=0, message="b"),
        finding(file, doubts=0, message="d", severity=Severity.INFO),
    ]
    assert only(run(folder)).message == "b"


def test_the_order_of_findings_does_not_matter(engine: Engine, folder: Path) -> None:
    def find(file: SourceFile) -> list[Finding]:
        place = finding(file).path[0]
        others = [Site(str(file.path), 3, 0, 3, 4), Site(str(file.path), 4, 0, 4, 3)]
        return [finding(file, path=(place, other), message=m) for other in others for m in "ba"]

    engine.find = find
    forward = run(folder).diagnostics
    engine.find = lambda file: find(file)[::-1]
    assert run(folder).diagnostics == forward


def test_a_rule_yields_to_one_that_says_more(engine: Engine, folder: Path) -> None:
    engine.find = lambda file: [finding(file, code=code) for code in ("XLA102", "XLA101", "XLA601")]
    assert lines(run(folder)) == [("XLA101", 5), ("XLA601", 5)]


def test_a_rule_speaks_where_the_other_is_elsewhere_unsure_or_ignored(engine: Engine, folder: Path) -> None:
    engine.find = lambda file: [finding(file, code="XLA102"), finding(file, 4)]
    assert lines(run(folder)) == [("XLA101", 4), ("XLA102", 5)]
    engine.find = lambda file: [finding(file, code="XLA102"), finding(file, doubts=2)]
    assert lines(run(folder)) == [("XLA102", 5)]
    (folder / "xlalint.toml").write_text('per-file-ignores = {"train.py" = ["XLA101"]}')
    engine.find = lambda file: [finding(file, code="XLA102"), finding(file)]
    assert lines(run(folder)) == [("XLA102", 5)]


@pytest.mark.parametrize("withdrawn_first", [False, True])
def test_what_a_rule_withdraws_is_void_at_that_place(
    engine: Engine, folder: Path, withdrawn_first: bool
) -> None:
    def find(file: SourceFile) -> list[Finding]:
        both = [finding(file), finding(file, withdrawn=True)]
        return [*(both[::-1] if withdrawn_first else both), finding(file, 4)]

    engine.find = find
    assert lines(run(folder)) == [("XLA101", 4)]


def test_diagnostics_come_in_the_order_of_the_files(engine: Engine, folder: Path) -> None:
    (folder / "a.py").write_text(PROGRAM)
    engine.find = lambda file: [finding(file), finding(file, 4, code="XLA204"), finding(file, 4)]
    report = run(folder)
    assert [(d.path, d.range.start.line, d.code) for d in report.diagnostics] == [
        (path, line, code)
        for path in ("a.py", "train.py")
        for line, code in ((4, "XLA101"), (4, "XLA204"), (5, "XLA101"))
    ]


def test_only_files_under_check_are_spoken_of(engine: Engine, folder: Path) -> None:
    (folder / "build").mkdir()
    (folder / "build" / "helpers.py").write_text(PROGRAM)
    site = Site(str(folder / "build" / "helpers.py"), 5, 0, 5, 5)
    engine.find = lambda file: [finding(file), finding(file, path=(site,))]
    assert only(run(folder)).path == "train.py"


# Settings ----------------------------------------------------------------------------------------


def test_the_analysis_is_told_what_the_settings_say(engine: Engine, folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "pyproject.toml").write_text(
        '[tool.xlalint]\nselect = ["XLA1"]\nignore = ["XLA103"]\ntarget-version = "2.4"\n'
        'wrappers = ["accelerate"]\nother-backends = ["is_cuda_run"]\n'
    )
    (folder / "wrapped.py").write_text("import accelerate\n")
    (folder / "cold.py").write_text("import torch\n")
    run(folder)
    ((names, rules, configuration),) = engine.asked
    assert names == ["train.py", "wrapped.py"]
    assert set(rules) >= {"XLA101", "XLA102"}
    assert "XLA103" not in rules
    assert all(code.startswith("XLA1") for code in rules)
    assert configuration == Configuration(
        target=VersionRange((2, 4), (2, 9)),
        wrappers=("accelerate",),
        false_tests=("is_cuda_run",),
        roots=(folder, folder / "src"),
    )


def test_projects_with_settings_of_their_own_are_analyzed_apart(engine: Engine, folder: Path) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "train.py").write_text(PROGRAM)
    (folder / "old" / "requirements.txt").write_text("torch_xla==2.1\n")
    (folder / "requirements.txt").write_text("torch_xla==2.8\n")
    run(folder)
    assert [str(configuration.target) for *_, configuration in engine.asked] == ["2.8", "2.1"]


def test_without_a_hot_file_nothing_is_analyzed(engine: Engine, folder: Path) -> None:
    (folder / "train.py").write_text("import torch\n")
    assert not run(folder).diagnostics
    assert not engine.asked


def test_severities_can_be_changed(engine: Engine, folder: Path) -> None:
    (folder / "xlalint.toml").write_text('severity = {XLA101 = "error"}')
    engine.find = lambda file: [finding(file), finding(file, 4, code="XLA102")]
    assert [d.severity for d in run(folder).diagnostics] == [Severity.WARNING, Severity.ERROR]


def test_rules_can_be_ignored_in_some_files(engine: Engine, folder: Path) -> None:
    (folder / "tests" / "deep").mkdir(parents=True)
    (folder / "tests" / "deep" / "a.py").write_text(PROGRAM)
    (folder / "xlalint.toml").write_text('per-file-ignores = {"tests/" = ["XLA1"]}')
    engine.find = lambda file: [finding(file), finding(file, 4, code="XLA204")]
    found = [(d.path, d.code) for d in run(folder).diagnostics]
    assert found == [("tests/deep/a.py", "XLA204"), ("train.py", "XLA204"), ("train.py", "XLA101")]


# Suppressions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("comment", ["xlalint: ignore[XLA101] wanted", "noqa: E501, XLA101", "noqa"])
def test_a_suppressed_diagnostic_is_counted_and_not_shown(engine: Engine, folder: Path, comment: str) -> None:
    (folder / "train.py").write_text(PROGRAM.replace(".item())", f".item())  # {comment}"))
    engine.find = lambda file: [finding(file, path=(Site(str(file.path), 5, 6, 5, 17),))]
    report = run(folder)
    assert (report.diagnostics, report.suppressed) == ([], 1)


@pytest.mark.parametrize(
    ("comment", "messages"),
    [
        ("xlalint: ignore[XLA101]", ["unused: no `XLA101` is reported here"]),
        ("xlalint: ignore[XLA101, XLA204] both", ["unused: no `XLA101` is reported here"]),
        ("xlalint: ignore[XLA999]", ["unused: no `XLA999` is reported here"]),
        ("xlalint: ignore[host-read-in-step]", ["unused: no `host-read-in-step` is reported here"]),
        ("xlalint: ignore", []),
        ("noqa: E501, XLA101, XLA102", ["unused: no `XLA101`, `XLA102` is reported here"]),
        ("noqa: E501", []),
        ("noqa", []),
        ("xlalint: ignore[XLA092]", []),
        ("xlalint: ignore[XLA101, XLA090] kept for later", []),
    ],
)
def test_an_unused_suppression_is_reported(
    engine: Engine, folder: Path, comment: str, messages: list[str]
) -> None:
    (folder / "train.py").write_text(PROGRAM.replace("step()", f"step()  # {comment}"))
    engine.find = lambda file: [finding(file, code="XLA204", path=(Site(str(file.path), 3, 0, 3, 4),))]
    found = [d.message for d in run(folder).diagnostics if d.code == "XLA090"]
    assert found == messages


def test_a_comment_that_would_silence_everything_is_reported_when_there_is_nothing(
    engine: Engine, folder: Path
) -> None:
    (folder / "train.py").write_text("import torch_xla\nx = 1  # xlalint: ignore\n")
    diagnostic = only(run(folder))
    assert (diagnostic.code, diagnostic.message) == ("XLA090", "unused: nothing is reported here")
    assert diagnostic.range == Range(Position(2, 8), Position(2, 25))


def test_unused_suppressions_are_found_in_files_without_torch_xla(engine: Engine, folder: Path) -> None:
    (folder / "cold.py").write_text("x = 1  # xlalint: ignore-file[XLA101]\ny = 2  # noqa: XLA102\n")
    assert lines(run(folder)) == [("XLA090", 1), ("XLA090", 2)]
    assert lines(run(folder, ignore=("XLA102",))) == [("XLA090", 1)]
    assert lines(run(folder, ignore=("XLA090",))) == []
    assert engine.asked[0][0] == ["train.py"]


def test_a_rule_ignored_in_the_file_leaves_no_unused_suppression(engine: Engine, folder: Path) -> None:
    (folder / "train.py").write_text("import torch_xla  # xlalint: ignore[XLA101]\n")
    (folder / "xlalint.toml").write_text('per-file-ignores = {"train.py" = ["XLA101"]}')
    assert not run(folder).diagnostics


# Inputs ------------------------------------------------------------------------------------------


def test_standard_input_is_checked_under_the_name_it_is_given(engine: Engine, folder: Path) -> None:
    engine.find = lambda file: [finding(file)]
    given = Input("sub/notes.py", PROGRAM.encode())
    diagnostic = only(check([], SettingsFinder(), standard_input=given))
    assert diagnostic.path == "sub/notes.py"
    assert only(check([], SettingsFinder(), standard_input=Input(None, PROGRAM.encode()))).path == "<stdin>"


def test_an_excluded_name_is_passed_over_on_request(engine: Engine, folder: Path) -> None:
    given = Input("build/notes.py", PROGRAM.encode())
    assert check([], SettingsFinder(), standard_input=given, force_exclude=True).files == 0
    assert check([], SettingsFinder(), standard_input=given).files == 1


def test_one_file_that_exhausts_the_stack_leaves_the_others_checked(engine: Engine, folder: Path) -> None:
    (folder / "deep.py").write_text(PROGRAM)

    def find(file: SourceFile) -> list[Finding]:
        if file.path.name == "deep.py":
            raise RecursionError
        return [finding(file)]

    engine.find = find
    report = run(folder)
    assert [(d.path, d.code) for d in report.diagnostics] == [("deep.py", "XLA000"), ("train.py", "XLA101")]
    assert "ran out of stack" in report.diagnostics[0].message
