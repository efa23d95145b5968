"""What xlalint says of named public code, as a committed snapshot: write it, or compare with it.

Each file in ecosystem/ is about one tree. Its first line names the tree and its version, each other line
a diagnostic: path, line, code, severity, certainty. There is no source text and no message in it.

Packages are those that benchmarks/corpus.py fetches. Repositories are clones, bare or not, in a
directory that --repositories or XLALINT_REPOSITORIES names, as OWNER+NAME or OWNER+NAME/repo; the commit
that the snapshot names is unpacked from them. What is not there is named, and is no difference.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias

from facts import ROOT, CheckFailed, facts_of

SNAPSHOT = ROOT / "ecosystem"
UNPACKED = frozenset({".py", ".pyi", ".toml", ".cfg", ".txt"})
"""Suffixes of what a check may look at: code, and what a project says of itself."""


class MalformedSnapshot(ValueError):
    """A file in ecosystem/ is not what `write` writes."""


class Entry(NamedTuple):
    """One diagnostic of a tree, as the snapshot keeps it."""

    path: str
    line: int
    code: str
    severity: str
    certainty: str

    @property
    def verdict(self) -> str:
        """What is said, without where."""
        return f"{self.code} {self.severity} {self.certainty}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.verdict}"


class Sources(NamedTuple):
    """Where trees are looked for."""

    corpus: Path
    repositories: Path | None


@dataclass(frozen=True)
class Package:
    """A published package, unpacked in the corpus."""

    name: str
    version: str

    @property
    def file_name(self) -> str:
        """Its file in the snapshot."""
        return f"{self.name}.txt"

    def __str__(self) -> str:
        return f"package {self.name} {self.version}"

    @contextmanager
    def unpacked(self, sources: Sources) -> Iterator[Path | None]:
        """The directory to check, or None where it is not there."""
        folder = self._folder(sources)
        yield folder if folder.is_dir() else None

    def address(self, entry: Entry, sources: Sources) -> str:
        """Where a reader can open the place of `entry`."""
        return f"{os.path.relpath(self._folder(sources))}/{entry.path}:{entry.line}"

    def _folder(self, sources: Sources) -> Path:
        return sources.corpus / f"{self.name}-{self.version}"


@dataclass(frozen=True)
class Repository:
    """A commit of a repository on GitHub, `name` being OWNER/NAME."""

    name: str
    commit: str

    @property
    def file_name(self) -> str:
        """Its file in the snapshot."""
        return f"{self.name.replace('/', '+')}.txt"

    def __str__(self) -> str:
        return f"repository {self.name} {self.commit}"

    @contextmanager
    def unpacked(self, sources: Sources) -> Iterator[Path | None]:
        """A temporary directory with the commit, or None where there is no clone that has it."""
        clone = self._clone(sources.repositories)
        if clone is None:
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="xlalint-") as folder:
            for path, data in _files(clone, self.commit):
                target = Path(folder) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            # As in a clone: this tells where the project starts, and so what its modules are called.
            (Path(folder) / ".git").mkdir()
            yield Path(folder)

    def address(self, entry: Entry, sources: Sources) -> str:
        """Where a reader can open the place of `entry`."""
        return f"https://github.com/{self.name}/blob/{self.commit}/{entry.path}#L{entry.line}"

    def _clone(self, repositories: Path | None) -> Path | None:
        if repositories is None:
            return None
        folder = repositories / self.name.replace("/", "+")
        for directory in (folder, folder / ".git", folder / "repo", folder / "repo" / ".git"):
            if (directory / "HEAD").is_file() and (directory / "objects").is_dir():
                has_it = _git(directory, "cat-file", "-e", f"{self.commit}^{{commit}}").returncode == 0
                return directory if has_it else None
        return None


Tree: TypeAlias = Package | Repository


@dataclass(frozen=True)
class Snapshot:
    """What is said of one tree."""

    tree: Tree
    entries: tuple[Entry, ...]

    def text(self) -> str:
        """The content of its file."""
        return "".join(f"{line}\n" for line in (self.tree, *sorted(self.entries)))


def main() -> int:
    """Do what the command line asks for."""
    arguments = _parser().parse_args()
    sources = Sources(arguments.corpus, arguments.repositories)
    try:
        if arguments.command == "write":
            return write(arguments.trees, sources)
        return show_differences(sources)
    except (CheckFailed, MalformedSnapshot) as failure:
        print(f"ecosystem.py: {failure}", file=sys.stderr)
        return 2


def write(new: Sequence[Tree], sources: Sources) -> int:
    """Write the snapshot of the trees that are there, those named and those that have one already.

    Returns:
        0; 2 when a tree that was named is not there.
    """
    named = {tree.file_name: tree for tree in new}
    known = {snapshot.tree.file_name: snapshot.tree for snapshot in committed()}
    trees = [tree for _, tree in sorted({**known, **named}.items())]
    absent = []
    for tree, found in check(trees, sources):
        if found is None:
            absent.append(tree)
            continue
        SNAPSHOT.mkdir(exist_ok=True)
        (SNAPSHOT / tree.file_name).write_text(Snapshot(tree, found).text(), encoding="utf-8")
        print(f"{len(found):>5}  {tree}", flush=True)
    _show_absent(absent)
    return 2 if any(tree in absent for tree in new) else 0


def show_differences(sources: Sources) -> int:
    """Print what the working tree adds and removes.

    Returns:
        0 when nothing differs, 1 when something does, 2 when no tree is there to compare.
    """
    snapshots = {snapshot.tree: snapshot.entries for snapshot in committed()}
    absent, came, went = [], 0, 0
    for tree, found in check(list(snapshots), sources):
        if found is None:
            absent.append(tree)
            continue
        for sign, entry in differences(snapshots[tree], found):
            print(f"{sign} {tree.address(entry, sources)} {entry.verdict}", flush=True)
            came += sign == "+"
            went += sign == "-"
    _show_absent(absent)
    print(f"{came} came, {went} went in {len(snapshots) - len(absent)} of {len(snapshots)} trees")
    if len(absent) == len(snapshots):
        return 2
    return int(came + went > 0)


def committed() -> list[Snapshot]:
    """All of the snapshot, by file.

    Raises:
        MalformedSnapshot: a file is not what `write` writes.
    """
    return [read(path) for path in sorted(SNAPSHOT.glob("*.txt"))]


def read(path: Path) -> Snapshot:
    """One file of the snapshot.

    Raises:
        MalformedSnapshot: it is not what `write` writes.
    """
    text = path.read_text(encoding="utf-8")
    first, *lines = text.splitlines() or [""]
    snapshot = Snapshot(_tree(first), tuple(map(_entry, lines)))
    if snapshot.tree.file_name != path.name:
        raise MalformedSnapshot(f"{path.name} is about {snapshot.tree.name}")
    if snapshot.text() != text:
        raise MalformedSnapshot(f"{path.name} is not sorted, or not as it is written")
    return snapshot


def differences(before: Sequence[Entry], after: Sequence[Entry]) -> Iterator[tuple[str, Entry]]:
    """What came, as `+`, and what went, as `-`, in the order of places."""
    old, new = Counter(before), Counter(after)
    changed = [("-", entry) for entry in (old - new).elements()]
    changed += [("+", entry) for entry in (new - old).elements()]
    yield from sorted(changed, key=lambda change: (change[1].path, change[1].line, change))


def check(trees: Sequence[Tree], sources: Sources) -> Iterator[tuple[Tree, tuple[Entry, ...] | None]]:
    """What the working tree says of each; None where a tree is not there.

    Raises:
        CheckFailed: the check of one does not come to an end.
    """

    def check_one(tree: Tree) -> tuple[Entry, ...] | None:
        with tree.unpacked(sources) as folder:
            if folder is None:
                return None
            return tuple(
                Entry(place.path, place.line, place.code, verdict.severity, verdict.certainty)
                for place, verdict in facts_of(folder, folder)
            )

    with ThreadPoolExecutor(os.cpu_count()) as processes:
        yield from zip(trees, processes.map(check_one, trees), strict=True)


def _tree(line: str) -> Tree:
    match line.split(" "):
        case ["package", name, version]:
            return Package(name, version)
        case ["repository", name, commit]:
            return Repository(name, commit)
    raise MalformedSnapshot(f"{line!r} names no tree")


def _entry(line: str) -> Entry:
    try:
        place, code, severity, certainty = line.rsplit(" ", 3)
        path, number = place.rsplit(":", 1)
        return Entry(path, int(number), code, severity, certainty)
    except ValueError as error:
        raise MalformedSnapshot(f"{line!r} is no diagnostic") from error


def _files(clone: Path, commit: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The regular files of a commit that a check may look at.

    They are read one by one, since `git archive` would leave out what a repository exports under
    another form, and links could lead out of the directory they are unpacked into.
    """
    listed = _git(clone, "ls-tree", "-r", "-z", "--full-tree", commit).stdout.decode(
        "utf-8", "surrogateescape"
    )
    objects: dict[PurePosixPath, str] = {}
    for row in filter(None, listed.split("\0")):
        about, _, name = row.partition("\t")
        mode, _, digest = about.split(" ")
        path = PurePosixPath(name)
        if mode.startswith("100") and path.suffix in UNPACKED and not {"..", ".git"} & {*path.parts}:
            objects[path] = digest
    asked = "".join(f"{digest}\n" for digest in objects.values()).encode()
    answer = _git(clone, "cat-file", "--batch", input=asked).stdout
    start = 0
    for path in objects:
        end = answer.index(b"\n", start)
        head = answer[start:end].split(b" ")
        start = end + 1
        if head[-1] != b"missing":
            size = int(head[-1])
            yield path, answer[start : start + size]
            start += size + 1


def _git(clone: Path, *arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    # A clone that lacks some files must not go and get them.
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1"}
    command = ["git", f"--git-dir={clone}", *arguments]
    return subprocess.run(command, env=environment, input=input, capture_output=True)


def _show_absent(absent: Sequence[Tree]) -> None:
    for tree in absent:
        print(f"not there: {tree}")


def _named_tree(text: str) -> Tree:
    if "==" in text:
        return Package(*text.split("==", 1))
    name, _, commit = text.partition("@")
    if name.count("/") != 1 or len(commit) != 40:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither OWNER/NAME@COMMIT, in full, nor PACKAGE==VERSION"
        )
    return Repository(name, commit)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    named = os.environ.get("XLALINT_REPOSITORIES")
    parser.add_argument(
        "--corpus", type=Path, default=ROOT / ".corpus", metavar="DIR", help="where packages are unpacked"
    )
    parser.add_argument(
        "--repositories", type=Path, default=Path(named) if named else None, metavar="DIR",
        help="where clones are (default: XLALINT_REPOSITORIES)",
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="write the snapshot, of the trees that are there")
    writing.add_argument(
        "trees", nargs="*", type=_named_tree, metavar="TREE",
        help="a tree to take in, or another version: OWNER/NAME@COMMIT or PACKAGE==VERSION",
    )  # fmt: skip
    commands.add_parser(
        "compare", help="print what the working tree adds and removes; exit with 1 if it does"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
