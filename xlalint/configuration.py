"""What the analysis has to know about a project beside its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xlalint.versions import DEFAULT_TARGET, VersionRange


@dataclass(frozen=True, slots=True)
class Configuration:
    """What one analysis runs under.

    Args:
        target: The versions of torch_xla that the code must run on.
        wrappers: Further names that make a file worth analyzing, such as `accelerate`.
        false_tests: Names of tests for other backends, which never hold under torch_xla; these
            come on top of those that knowledge lists.
        roots: Absolute directories that imports start from, such as the project and its `src`.
    """

    target: VersionRange = DEFAULT_TARGET
    wrappers: tuple[str, ...] = ()
    false_tests: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()
