"""What the analysis has to know about a program beside its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Local(NamedTuple):
    """What holds for the files of one folder.

    Args:
        wrappers: Further names that make a file worth analyzing, such as `accelerate`.
        false_tests: Names of tests for other backends, which never hold under torch_xla; these
            come on top of those that knowledge lists.
        roots: Absolute folders that imports start from, beside the folder itself.
    """

    wrappers: tuple[str, ...] = ()
    false_tests: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """What one analysis runs under. Args: at: what holds in a folder."""

    at: Callable[[Path], Local] = lambda folder: Local()
