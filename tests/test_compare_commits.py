"""What came and what went between two commits, seen in a small copy of this project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from facts import ROOT, Change, Fact, Place, Verdict, compare

PLACE = Place("train.py", 3, 1, 3, 15, "XLA101")
ALARM = Fact(PLACE, Verdict("warning", "definite", (), ()))
ELSEWHERE = Fact(PLACE._replace(line=12, end_line=12), ALARM.verdict)
PROGRAM = """\
import torch_xla.core.xla_model as xm

xm.mark_step()
"""
RULE = Path("rules/xlalint_rules/xla002_deprecated_api.py")


def shown(changes: list[Change]) -> list[str]:
    return [line for change in changes for line in change.lines()]


def with_verdict(**changed: object) -> Fact:
    return Fact(PLACE, ALARM.verdict._replace(**changed))  # type: ignore[arg-type]


def test_what_is_equal_is_not_told() -> None:
    assert compare([ALARM, ELSEWHERE], [ELSEWHERE, ALARM]) == []


def test_what_came_and_went_is_told_in_the_order_of_lines() -> None:
    assert shown(compare([ALARM], [ELSEWHERE])) == [
        "- train.py:3:1 XLA101 warning definite",
        "+ train.py:12:1 XLA101 warning definite",
    ]


def test_one_of_two_alike_counts() -> None:
    assert shown(compare([ALARM, ALARM], [ALARM])) == ["- train.py:3:1 XLA101 warning definite"]


def test_another_end_is_another_place() -> None:
    longer = Fact(PLACE._replace(end_column=20), ALARM.verdict)
    assert shown(compare([ALARM], [longer])) == [
        "- train.py:3:1 XLA101 warning definite",
        "+ train.py:3:1 XLA101 warning definite",
    ]


@pytest.mark.parametrize(
    ("changed", "lines"),
    [
        (with_verdict(severity="info"), ["~ train.py:3:1 XLA101 warning definite -> info definite"]),
        (with_verdict(certainty="likely"), ["~ train.py:3:1 XLA101 warning definite -> warning likely"]),
        (
            with_verdict(related=("a.py:1:2-1:4",)),
            ["~ train.py:3:1 XLA101 warning definite", "    related: none -> a.py:1:2-1:4"],
        ),
        (with_verdict(texts=("new",)), ["~ train.py:3:1 XLA101 warning definite", "    + new"]),
    ],
    ids=["severity", "certainty", "related", "texts"],
)
def test_what_is_said_otherwise_at_the_same_place_has_changed(changed: Fact, lines: list[str]) -> None:
    assert shown(compare([ALARM], [changed])) == lines


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project in a repository of its own, with two commits that say something else of a program.

    The second gives a rule another severity, the working tree does not have the rule at all.
    """
    folder = tmp_path_factory.mktemp("project")
    listed = git(ROOT, "ls-files", "-z", "--cached", "xlalint", "rules", "runtime_shim", "scripts")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "train.py").write_text(PROGRAM)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "one")
    rule = (folder / RULE).read_text()
    assert "Severity.INFO" in rule
    (folder / RULE).write_text(rule.replace("Severity.INFO", "Severity.ERROR"))
    git(folder, "commit", "--quiet", "--all", "--message", "two")
    (folder / RULE).unlink()
    return folder


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/compare_commits.py", *arguments],
        cwd=project, capture_output=True, text=True,
    )  # fmt: skip


def test_two_commits_are_compared_over_the_tree_as_it_is_now(project: Path) -> None:
    done = run(project, "HEAD~1", "HEAD", "--only", "train.py")
    assert done.stdout.splitlines() == [
        "~ train.py:3:1 XLA002 info definite -> error definite",
        "0 came, 0 went, 1 changed in 1 trees",
    ]
    assert done.returncode == 1
    assert git(project, "worktree", "list").count("\n") == 0


def test_the_working_tree_may_be_one_of_them(project: Path) -> None:
    done = run(project, "HEAD", ".", "train.py", "--only")
    assert done.stdout.splitlines() == [
        "- train.py:3:1 XLA002 error definite",
        "0 came, 1 went, 0 changed in 1 trees",
    ]
    assert done.returncode == 1


def test_a_commit_equals_itself(project: Path) -> None:
    done = run(project, "--messages", "--only", "HEAD", "HEAD", "train.py")
    assert (done.returncode, done.stdout) == (0, "0 came, 0 went, 0 changed in 1 trees\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("HEAD",),
        ("HEAD", "nonsense", "--only", "train.py"),
        ("HEAD", "HEAD", "absent.py"),
        ("HEAD", ".", "--only"),
    ],
    ids=["one commit", "no commit", "no tree", "nothing to compare"],
)
def test_wrong_usage_is_no_difference(project: Path, arguments: tuple[str, ...]) -> None:
    assert run(project, *arguments).returncode == 2


def git(folder: Path, *arguments: str) -> str:
    known = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "user.name=someone", "-c", "user.email=someone@example.org", *arguments],
        cwd=folder, env={**os.environ, **known}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()
