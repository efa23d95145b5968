"""What the checker makes of findings: diagnostics of the files under check, as settings say, not silenced.

The analysis is stood in for by a program that finds what the test says; what it would find is not the point.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from xlalint import checker
from xlalint import findings as findings_module
from xlalint.analysis.engine import Analyzed, Program, Result, Root, unreadable
from xlalint.checker import Report, check
from xlalint.configuration import Configuration, Local
from xlalint.diagnostic import Certainty, Diagnostic, Position, Range, Severity
from xlalint.gathering import Input
from xlalint.judging import Judge, Occurrence, Placed
from xlalint.lazy.assumptions import NONE, assume
from xlalint.lazy.events import Event
from xlalint.lazy.records import record
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.program.outline import Outline
from xlalint.registry import find
from xlalint.rule import Finding, Rule
from xlalint.settings import SettingsFinder
from xlalint.sources.file import SourceFile

COUNTED = {"XLA092"}
"""Rules that judge even if they are not selected."""

PROGRAM = """\
import torch_xla

loss = step()
log(loss)
print(loss.item())
"""


@record
class Told(Event):
    """Something was found already."""

    found: Any = None


@dataclass
class Engine:
    """Stands in for the analysis: says what `find` says, and keeps what it was asked."""

    find: Callable[[SourceFile], list[Placed]] = lambda file: []
    asked: list[tuple[list[str], Configuration]] = field(default_factory=list)
    judging: list[list[Rule[Any]]] = field(default_factory=list)
    """The rules that judge what is found, by judge."""

    def program(
        self,
        files: Iterable[SourceFile],
        kinds: frozenset[type[Event]],
        configuration: Configuration,
        **options: Any,
    ) -> StandIn:
        files = list(files)
        self.asked.append(([file.path.name for file in files], configuration))
        told = (Told(found.path[0], found=found) for file in files for found in self.find(file))
        return StandIn([Occurrence(event, View()) for event in told])


@dataclass
class StandIn:
    """Stands in for a program that is analyzed; its places are counted in whole files."""

    occurrences: list[Occurrence]
    statistics: Counter[str] = field(default_factory=lambda: Counter(functions=1))
    kept: SimpleNamespace = field(default_factory=SimpleNamespace)
    """Nothing is kept of it; who would ask is told so here."""
    recalled: object = None
    size: int = 0

    def analyze(self, recall: object) -> Iterator[Analyzed]:
        result = Result(tuple(self.occurrences), frozenset(), frozenset())
        yield Analyzed(Root("body", ""), result)

    def where(self, site: Site) -> Site:
        return site


class Said(Judge):
    """Judges as usual, and takes what the engine's stand-in found as found already."""

    def judge(self, occurrences: Iterable[Occurrence]) -> Iterator[Placed]:
        for one in occurrences:
            yield from [one.event.found] if isinstance(one.event, Told) else super().judge([one])


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    engine = Engine()
    module = ModuleType("xlalint.analysis.engine")
    module.Program = engine.program  # type: ignore[attr-defined]
    module.unreadable = unreadable  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xlalint.analysis.engine", module)

    def judge(rules: Iterable[Rule[Any]]) -> Judge:
        chosen = list(rules)
        engine.judging.append(chosen)
        return Said(chosen)

    monkeypatch.setattr(findings_module, "Judge", judge)
    monkeypatch.setattr(checker, "Judge", Said)
    return engine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(PROGRAM)
    return tmp_path


def finding(
    file: SourceFile, line: int = 5, code: str = "XLA101", *, path: tuple[Site, ...] = (), **changes: Any
) -> Placed:
    """A finding on the argument of the call in `line`."""
    text = file.line(line)
    path = path or (Site(str(file.path), line, text.index("(") + 1, line, len(text) - 1),)
    fields: dict[str, Any] = {
        "rule": find(code), "severity": Severity.WARNING, "path": path, "message": "read", "help": "do not",
        "assumes": NONE,
    }  # fmt: skip
    made = Finding(**{**fields, **changes})
    return Placed(made, path, made.since)


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


def test_the_call_chain_becomes_related_places(engine: Engine, folder: Path) -> None:
    (folder / "helpers.py").write_text("def log(loss):\n    print(loss.item())\n")
    inner = Site(str(folder / "helpers.py"), 2, 10, 2, 21)
    engine.find = lambda file: [finding(file, 4, path=(*finding(file, 4).path, finding(file).path[0], inner))]
    through, last = only(run(folder)).related
    assert (through.path, through.range.start.line, through.message) == (
        "train.py", 5, "called from here",
    )  # fmt: skip
    assert (last.path, last.range, last.message) == (
        "helpers.py", Range(Position(2, 11), Position(2, 22)), "it happens here",
    )  # fmt: skip


# One diagnostic at a place -----------------------------------------------------------------------


def test_one_finding_of_a_rule_is_shown_at_a_place(engine: Engine, folder: Path) -> None:
    engine.find = lambda file: [
        finding(file, assumes=assume("this is so"), message="a"),
        finding(file, message="b"),
    ]
    assert only(run(folder)).message == "b"


def test_a_rule_yields_to_one_that_says_more_unless_that_is_ignored_there(
    engine: Engine, folder: Path
) -> None:
    engine.find = lambda file: [finding(file, code="XLA102"), finding(file)]
    assert lines(run(folder)) == [("XLA101", 5)]
    (folder / "xlalint.toml").write_text('per-file-ignores = {"train.py" = ["XLA101"]}')
    assert lines(run(folder)) == [("XLA102", 5)]


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
        'frameworks = ["accelerate"]\nother-backends = ["is_cuda_run"]\n'
    )
    (folder / "wrapped.py").write_text("import accelerate\n")
    (folder / "cold.py").write_text("import torch\n")
    run(folder)
    ((names, configuration),) = engine.asked
    assert names == ["train.py", "wrapped.py"]
    (judging,) = engine.judging
    assert {str(rule.target) for rule in judging} == {"2.4..2.9"}
    rules = [rule.code for rule in judging if rule.code not in COUNTED]
    assert set(rules) >= {"XLA101", "XLA102"}
    assert "XLA103" not in rules
    assert all(code.startswith("XLA1") for code in rules if code != "XLA000")
    assert configuration.at(folder) == Local(
        packages=("accelerate",), false_tests=("is_cuda_run",), roots=(folder, folder / "src")
    )


def test_files_with_settings_of_their_own_are_analyzed_with_others_and_judged_apart(
    engine: Engine, folder: Path
) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "train.py").write_text(PROGRAM)
    (folder / "old" / "requirements.txt").write_text("torch_xla==2.1\n")
    (folder / "requirements.txt").write_text("torch_xla==2.8\n")
    engine.find = lambda file: [finding(file)]
    assert [d.path for d in run(folder).diagnostics] == ["old/train.py", "train.py"]
    assert [names for names, _ in engine.asked] == [["train.py", "train.py"]]
    assert {str(rule.target) for judging in engine.judging for rule in judging} == {"2.8", "2.1"}
    assert all(len({rule.target for rule in judging}) == 1 for judging in engine.judging)


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
        ("xlalint: ignore[Host-Read-In-Step]", ["unused: no `Host-Read-In-Step` is reported here"]),
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


NOTHING = "this comment silences nothing: "


@pytest.mark.parametrize(
    ("comment", "message", "meant"),
    [
        ("ignore[XLA204", NOTHING + "its bracket is not closed", "ignore[XLA204]"),
        ("ignore [XLA204 it is wanted", NOTHING + "its bracket is not closed", "ignore[XLA204]"),
        ("ignore[xla204, XLA101 # ]", NOTHING + "its bracket is not closed", "ignore[xla204, XLA101]"),
        ("ignore-file[XLA204", NOTHING + "its bracket is not closed", "ignore-file[XLA204]"),
        ("ignore XLA204", NOTHING + "its rules do not stand in brackets", "ignore[XLA204]"),
        ("ignore (XLA204)", NOTHING + "its rules do not stand in brackets", "ignore[XLA204]"),
        ("ignore XLA204, XLA999", NOTHING + "its rules do not stand in brackets", "ignore[XLA204, XLA999]"),
        ("ignore: marker-in-step", NOTHING + "its rules do not stand in brackets", "ignore[marker-in-step]"),
        ("ignore-file XLA204", NOTHING + "its rules do not stand in brackets", "ignore-file[XLA204]"),
        ("ignore[]", NOTHING + "its brackets name no rule", "ignore[CODE]"),
        ("disable", NOTHING + "'disable' is neither 'ignore' nor 'ignore-file'", "ignore[CODE]"),
        ("disable=XLA204", NOTHING + "'disable' is neither 'ignore' nor 'ignore-file'", "ignore[XLA204]"),
        ("Ignore[XLA204]", NOTHING + "'Ignore' is neither 'ignore' nor 'ignore-file'", "ignore[XLA204]"),
        ("ignored", NOTHING + "'ignored' is neither 'ignore' nor 'ignore-file'", "ignore[CODE]"),
        (
            "ignore_file[XLA204]",
            NOTHING + "'ignore_file' is neither 'ignore' nor 'ignore-file'",
            "ignore-file[XLA204]",
        ),
        ("[XLA204]", NOTHING + "it does not say 'ignore'", "ignore[XLA204]"),
    ],
)
def test_a_comment_that_is_not_written_as_it_must_be_silences_nothing_and_is_shown_repaired(
    engine: Engine, folder: Path, comment: str, message: str, meant: str
) -> None:
    (folder / "train.py").write_text(PROGRAM.replace("step()", f"step()  # xlalint: {comment}"))
    engine.find = lambda file: [finding(file, code="XLA204", path=(Site(str(file.path), 3, 0, 3, 4),))]
    hazard, complaint = run(folder).diagnostics
    assert (hazard.code, complaint.code) == ("XLA204", "XLA090")
    assert complaint.message == message
    assert complaint.help == f"write `# xlalint: {meant}`"
    assert complaint.range.start == Position(3, 16)


@pytest.mark.parametrize(
    ("comment", "message", "help"),
    [
        (
            "xlalint: ignore[XLA204, XLA1011] both",
            "`XLA1011` silences nothing: there is no such rule",
            "did you mean `# xlalint: ignore[XLA204, XLA101]`?",
        ),
        (
            "noqa: F401, XLA204, XLA2022",
            "`XLA2022` silences nothing: there is no such rule",
            "did you mean `# noqa: F401, XLA204, XLA202`?",
        ),
        (
            "xlalint: ignore-file[marker-in-stp]",
            "`marker-in-stp` silences nothing: there is no such rule",
            "did you mean `# xlalint: ignore-file[marker-in-step]`?",
        ),
        (
            "xlalint: ignore[XLA204, XLA2044, zzz]",
            "`XLA2044`, `zzz` silence nothing: there is no such rule",
            "run `xlalint rules` to list all rules",
        ),
    ],
)
def test_a_rule_that_is_not_there_is_named_and_the_nearest_shown(
    engine: Engine, folder: Path, comment: str, message: str, help: str
) -> None:
    (folder / "train.py").write_text(PROGRAM.replace("step()", f"step()  # {comment}"))
    engine.find = lambda file: [finding(file, code="XLA204", path=(Site(str(file.path), 3, 0, 3, 4),))]
    report = run(folder)
    (complaint,) = [found for found in report.diagnostics if found.code == "XLA090"]
    assert (complaint.message, complaint.help) == (message, help)
    assert report.suppressed == ("XLA204," in comment)


@pytest.mark.parametrize(
    "comment", ["ignore", "ignore the loss is wanted", "ignore: once", "ignore-file", "ignore-file a demo"]
)
def test_words_behind_a_bare_comment_are_its_reason(engine: Engine, folder: Path, comment: str) -> None:
    (folder / "train.py").write_text(PROGRAM.replace("step()", f"step()  # xlalint: {comment}"))
    engine.find = lambda file: [finding(file, code="XLA204", path=(Site(str(file.path), 3, 0, 3, 4),))]
    report = run(folder)
    assert (report.diagnostics, report.suppressed) == ([], 1)


@pytest.mark.parametrize(
    ("comment", "messages"),
    [
        ("xlalint: ignore[XLA204]", ["nobody can tell why `XLA204` is silenced here"]),
        ("xlalint: ignore", ["nobody can tell why everything is silenced here"]),
        (
            "xlalint: ignore-file[XLA204, XLA101] --",
            ["nobody can tell why `XLA204`, `XLA101` is silenced here"],
        ),
        ("noqa: E501, XLA204", ["nobody can tell why `XLA204` is silenced here"]),
        ("xlalint: ignore[XLA204]  # type: ignore", ["nobody can tell why `XLA204` is silenced here"]),
        ("xlalint: ignore[XLA204] once", []),
        ("xlalint: ignore: once", []),
        ("noqa: XLA204 once", []),
        ("noqa: E501", []),
        ("noqa", []),
        ("xlalint: ignore[XLA204, XLA091]", []),
        ("xlalint: ignore[XLA204", []),
    ],
)
def test_a_suppression_without_a_reason_is_reported_where_that_is_asked_for(
    engine: Engine, folder: Path, comment: str, messages: list[str]
) -> None:
    (folder / "train.py").write_text(PROGRAM.replace("step()", f"step()  # {comment}"))
    engine.find = lambda file: [finding(file, code="XLA204", path=(Site(str(file.path), 3, 0, 3, 4),))]
    told = run(folder, extend_select=("XLA091",)).diagnostics
    assert [d.message for d in told if d.code == "XLA091"] == messages
    assert "XLA091" not in {d.code for d in run(folder).diagnostics}


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


def test_one_file_that_exhausts_the_stack_leaves_the_others_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "deep.py").write_text(PROGRAM)
    (folder / "train.py").write_text("import torch_xla.core.xla_model as xm\n\nxm.xrt_world_size()\n")
    uses = Program._api_uses

    def uses_but_not_of_deep(program: Program, outline: Outline) -> list[Occurrence]:
        if outline.path.name == "deep.py":
            raise RecursionError
        return uses(program, outline)

    monkeypatch.setattr(Program, "_api_uses", uses_but_not_of_deep)
    report = run(folder)
    assert [(d.path, d.code) for d in report.diagnostics] == [("deep.py", "XLA000"), ("train.py", "XLA001")]
    assert "ran out of stack" in report.diagnostics[0].message
