"""What git says of files, and commits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path


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
