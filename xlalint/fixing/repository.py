"""What git says of files, and commits."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)


class GitError(Exception):
    """git did not do what it was asked. The text is what it said."""


def roots(paths: Iterable[Path]) -> list[Path]:
    """The repositories that files and folders lie in; none where there is no git, or no repository."""
    found: dict[Path, None] = {}
    for path in paths:
        folder = path if os.path.isdir(path) else path.parent  # noqa: PTH112 - never raises
        try:
            found[Path(_git(folder, "rev-parse", "--show-toplevel").rstrip("\n"))] = None
        except GitError:
            continue
    return list(found)


def changed(root: Path) -> list[str]:
    """The files that differ from the last commit; new ones that git does not know are left out."""
    told = _git(root, "status", "--porcelain=v1", "-z", "--untracked-files=no")
    return [entry[3:] for entry in told.split("\0") if len(entry) > 3]


def commit(root: Path, paths: Sequence[str], message: str) -> None:
    """Commit the present text of some files of a repository, and nothing else.

    Raises:
        GitError: that failed; a hook may have refused it.
    """
    _git(root, "commit", "--quiet", "--only", f"--message={message}", "--", *paths)


def changed_lines(root: Path, revision: str) -> dict[str, list[range]]:
    """The lines that differ from a revision, or from where the branch left it; all lines of new files.

    Args:
        root: The folder of the repository.
        revision: As git names them: a branch, a tag, a commit.

    Returns:
        By path in the repository. Where lines were only removed, the two around them count.

    Raises:
        GitError: the repository does not have this revision.
    """
    try:
        commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except GitError:
        raise GitError(
            f"{root} has no revision {revision!r}; a CI job may have to fetch it first (git fetch origin "
            "BRANCH, or fetch-depth: 0)"
        ) from None
    commit = commit.strip()
    with suppress(GitError):  # without a common history, the revision itself counts
        commit = _git(root, "merge-base", commit, "HEAD").strip()
    options = ("--no-renames", "--diff-filter=d", "--no-ext-diff", "--no-textconv", "--no-color", commit)
    names = _git(root, "diff", "--name-only", "-z", *options, "--").split("\0")[:-1]
    patches = re.split(r"^diff --git .*\n", _git(root, "diff", "--unified=0", *options, "--"), flags=re.M)[1:]
    found = {name: _new_lines(patch) for name, patch in zip(names, patches, strict=True)}
    others = _git(root, "ls-files", "--others", "--exclude-standard", "-z").split("\0")[:-1]
    return {**found, **{name: [range(1, sys.maxsize)] for name in others}}


def _new_lines(patch: str) -> list[range]:
    lines = []
    for start, count in _HUNK.findall(patch):
        first, length = int(start), int(count or 1)
        lines.append(range(first, first + length) if length else range(first, first + 2))
    return lines


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise GitError(f"git cannot be run: {(error.strerror or str(error)).lower()}") from error
    if done.returncode:
        raise GitError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "surrogateescape")
