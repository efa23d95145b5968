"""Compare what two commits of this project say of the same trees.

Each commit is checked out into a temporary worktree, and `xlalint check` runs from its sources with all
rules over the trees as they stand now. Compared are code, path, range, severity, certainty and the
places of the call chain. `+` came, `-` went, `~` changed. Exits with 0 when nothing differs, with 1
when something does, with 2 when it could not be compared.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from facts import ROOT, Change, CheckFailed, compare, facts_of

WORKING_TREE = "."
OWN_TREES = ("fixtures", "examples", "tests/interpreter")


def main() -> int:
    """Print what differs, then how much."""
    parser = _parser()
    arguments = parser.parse_intermixed_args()
    trees: list[Path] = arguments.trees if arguments.only else [*default_trees(), *arguments.trees]
    if not trees:
        parser.error("--only without a tree leaves nothing to compare")
    for tree in trees:
        if not tree.exists():
            parser.error(f"{tree} is not there")
    for commit in (arguments.before, arguments.after):
        if not is_commit(commit):
            parser.error(f"{commit} is no commit of this project")
    try:
        counts = dict.fromkeys("+-~", 0)
        with checkout(arguments.before) as before, checkout(arguments.after) as after:
            for tree in trees:
                for change in differences(tree, before, after, texts=arguments.messages):
                    for line in change.lines():
                        print(line, flush=True)
                        counts[line[0]] = counts.get(line[0], 0) + 1
    except CheckFailed as failure:
        print(f"compare_commits.py: {failure}", file=sys.stderr)
        return 2
    print(f"{counts['+']} came, {counts['-']} went, {counts['~']} changed in {len(trees)} trees")
    return int(any(counts[sign] for sign in "+-~"))


def default_trees() -> list[Path]:
    """The project's own programs, and the packages of the corpus as far as they were fetched."""
    corpus = ROOT / ".corpus"
    fetched = sorted(corpus.iterdir()) if corpus.is_dir() else []
    return [*(ROOT / name for name in OWN_TREES), *(tree for tree in fetched if tree.suffix != ".partial")]


def differences(tree: Path, before: Path, after: Path, *, texts: bool) -> list[Change]:
    """What the code in `after` says of `tree` in place of what the code in `before` says.

    Raises:
        CheckFailed: one of them says nothing because it fails.
    """
    here = Path.cwd()
    with ThreadPoolExecutor(2) as both:
        old, new = both.map(lambda side: facts_of(tree, here, side, texts=texts), (before, after))
    return compare(old, new)


def is_commit(name: str) -> bool:
    """Whether `name` means a commit, or the working tree."""
    return name == WORKING_TREE or _git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") == 0


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """A directory with the sources of `commit`, for as long as it is needed."""
    if commit == WORKING_TREE:
        yield ROOT
        return
    with tempfile.TemporaryDirectory(prefix="xlalint-") as folder:
        worktree = Path(folder).resolve() / "checkout"
        if _git("worktree", "add", "--quiet", "--detach", str(worktree), commit) != 0:
            raise CheckFailed(f"{commit} cannot be checked out")
        try:
            yield worktree
        finally:
            _git("worktree", "remove", "--force", str(worktree))


def _git(*arguments: str) -> int:
    return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL).returncode


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", metavar="BEFORE", help="a commit; . is the working tree")
    parser.add_argument("after", metavar="AFTER", help="a commit; . is the working tree")
    parser.add_argument(
        "trees", nargs="*", type=Path, metavar="TREE",
        help=f"more files and directories to check, beside {', '.join(OWN_TREES)} and the corpus",
    )  # fmt: skip
    parser.add_argument("--only", action="store_true", help="check only the trees that are named")
    parser.add_argument("--messages", action="store_true", help="compare messages and helps too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
