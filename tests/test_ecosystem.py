"""The snapshot of what is said of public code: its files, and that a difference from it shows.

Nothing is compared with public code here, which is not there on every machine: `.ci/soak` does that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ecosystem
from corpus import PACKAGES
from ecosystem import Entry, MalformedSnapshot, Package, Repository, Snapshot, Sources, Tree

FILES = sorted(ecosystem.SNAPSHOT.iterdir())
PROGRAM = """\
import torch_xla.core.xla_model as xm

xm.mark_step()
"""
SAID = Entry("train.py", 3, "XLA002", "info", "definite")


@pytest.fixture
def snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty snapshot in the place of the committed one."""
    folder = tmp_path / "ecosystem"
    folder.mkdir()
    monkeypatch.setattr(ecosystem, "SNAPSHOT", folder)
    return folder


@pytest.fixture
def clone(tmp_path: Path) -> Repository:
    """A repository with the program above, in a folder of clones; a later commit empties it."""
    folder = tmp_path / "clones" / "someone+something" / "repo"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "train.py").write_text(PROGRAM)
    (folder / "outside.py").symlink_to("/etc/passwd")
    first = commit(folder)
    (folder / "train.py").write_text("")
    commit(folder)
    return Repository("someone/something", first)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_files_are_what_the_script_writes(path: Path) -> None:
    snapshot = ecosystem.read(path)
    assert list(snapshot.entries) == sorted(snapshot.entries)
    assert all(entry.severity in ("error", "warning", "info") for entry in snapshot.entries)
    assert all(entry.certainty in ("definite", "likely") for entry in snapshot.entries)


def test_the_packages_are_those_of_the_corpus() -> None:
    packages = [one.tree for one in ecosystem.committed() if isinstance(one.tree, Package)]
    assert {package.name: package.version for package in packages} == PACKAGES


def test_repositories_are_pinned_to_a_whole_commit() -> None:
    commits = [one.tree.commit for one in ecosystem.committed() if isinstance(one.tree, Repository)]
    assert len(commits) >= 15
    assert all(len(commit) == 40 and int(commit, 16) for commit in commits)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", ""),
        ("a.txt", "a 1.0\n"),
        ("b.txt", "package a 1.0\n"),
        ("a.txt", "package a 1.0\ntrain.py:x XLA101 warning definite\n"),
        ("a.txt", "package a 1.0\ntrain.py:3 XLA101 warning definite"),
        ("a.txt", "package a 1.0\nb.py:3 XLA101 warning definite\na.py:3 XLA101 warning definite\n"),
        ("a.txt", "package a 1.0\na.py:12 XLA101 warning definite\na.py:3 XLA101 warning definite\n"),
    ],
    ids=["empty", "no kind", "another's name", "no number", "no end", "paths unsorted", "lines unsorted"],
)
def test_a_file_that_the_script_would_not_write_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(MalformedSnapshot):
        ecosystem.read(tmp_path / name)


def test_what_came_and_what_went_is_told_by_place_and_by_count() -> None:
    one, two = (
        Entry("a.py", 3, "XLA101", "warning", "definite"),
        Entry("a.py", 12, "XLA102", "info", "likely"),
    )
    unsure = one._replace(certainty="likely")
    assert list(ecosystem.differences([one, two], [two, one])) == []
    assert list(ecosystem.differences([one, one], [one])) == [("-", one)]
    assert list(ecosystem.differences([one], [two, unsure])) == [("+", unsure), ("-", one), ("+", two)]


def test_a_tree_is_written_and_then_equal(snapshot: Path, tmp_path: Path, clone: Repository) -> None:
    sources = Sources(tmp_path, tmp_path / "clones")
    assert ecosystem.write([clone], sources) == 0
    assert ecosystem.committed() == [Snapshot(clone, (SAID,))]
    assert ecosystem.show_differences(sources) == 0


def test_a_difference_is_told_with_an_address(
    snapshot: Path, tmp_path: Path, clone: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = SAID._replace(line=7)
    (snapshot / clone.file_name).write_text(Snapshot(clone, (gone,)).text())
    assert ecosystem.show_differences(Sources(tmp_path, tmp_path / "clones")) == 1
    address = f"https://github.com/someone/something/blob/{clone.commit}/train.py"
    assert capsys.readouterr().out.splitlines() == [
        f"+ {address}#L3 XLA002 info definite",
        f"- {address}#L7 XLA002 info definite",
        "1 came, 1 went in 1 of 1 trees",
    ]


def test_a_package_is_told_with_its_file(
    snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Package("something", "1.0")
    (tmp_path / "something-1.0").mkdir()
    (tmp_path / "something-1.0" / "train.py").write_text(PROGRAM)
    (snapshot / package.file_name).write_text(Snapshot(package, ()).text())
    monkeypatch.chdir(tmp_path)
    assert ecosystem.show_differences(Sources(tmp_path, None)) == 1
    assert capsys.readouterr().out.startswith("+ something-1.0/train.py:3 XLA002 info definite\n")


def test_what_is_not_there_is_named_and_is_no_difference(
    snapshot: Path, tmp_path: Path, clone: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    there = Snapshot(clone, (SAID,))
    absent: list[Tree] = [
        Package("something", "1.0"),
        Repository("someone/else", clone.commit),
        Repository("someone/something", "0" * 40),
    ]
    sources = Sources(tmp_path, tmp_path / "clones")
    for tree in absent:
        assert ecosystem.write([tree], sources) == 2
        assert not (snapshot / tree.file_name).exists()
    (snapshot / clone.file_name).write_text(there.text())
    for tree in absent[:2]:
        (snapshot / tree.file_name).write_text(Snapshot(tree, (SAID,)).text())
    capsys.readouterr()
    assert ecosystem.show_differences(sources) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"not there: {absent[1]}",
        f"not there: {absent[0]}",
        "0 came, 0 went in 1 of 3 trees",
    ]


def test_nothing_to_compare_with_is_no_success(snapshot: Path, tmp_path: Path) -> None:
    (snapshot / "something.txt").write_text("package something 1.0\n")
    assert ecosystem.show_differences(Sources(tmp_path, None)) == 2


def test_only_regular_files_that_a_check_looks_at_are_unpacked(tmp_path: Path, clone: Repository) -> None:
    with clone.unpacked(Sources(tmp_path, tmp_path / "clones")) as folder:
        assert folder is not None
        assert {path.name for path in folder.iterdir()} == {".git", "train.py"}
        assert (folder / "train.py").read_text() == PROGRAM
    assert not folder.exists()


def test_the_command_line_says_what_is_wrong_with_a_name() -> None:
    script = ecosystem.SNAPSHOT.parent / "scripts" / "ecosystem.py"
    done = subprocess.run(
        [sys.executable, script, "write", "someone/something@abc"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "neither OWNER/NAME@COMMIT" in done.stderr


def git(folder: Path, *arguments: str) -> str:
    known = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "user.name=someone", "-c", "user.email=someone@example.org", *arguments],
        cwd=folder, env={**os.environ, **known}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "one more")
    return git(folder, "rev-parse", "HEAD")
