"""What frameworks do on XLA devices: the small programs in `frameworks/`, which are read and never run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from xlalint import plugins
from xlalint.configuration import Framework


@cache
def shipped() -> tuple[Framework, ...]:
    """The frameworks that xlalint knows, and those that installed packages tell it of."""
    brought = (folder for entry in plugins.entries(plugins.FRAMEWORKS) for folder in plugins.folders(entry))
    folders = (Path(__file__).parent / "frameworks", *map(Path, brought))
    files = [file for folder in folders for file in sorted(folder.glob("*.py")) if file.stem != "__init__"]
    return tuple(Framework(file.stem, file.stem, file.read_text(encoding="utf-8")) for file in files)
