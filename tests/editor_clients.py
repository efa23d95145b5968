"""Editors and clients that are no Python packages; .ci/editors installs them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest


def command(name: str) -> str:
    """The path of a program; without it the test is skipped, and in CI it fails."""
    found = shutil.which(name)
    return _missing(name) if found is None else found


def require(path: Path) -> None:
    """Have something that was to be installed; without it the test is skipped, and in CI it fails."""
    if not path.exists():
        _missing(path.name)


def _missing(name: str) -> NoReturn:
    reason = f"{name} is not installed: run .ci/editors"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
