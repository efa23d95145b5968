"""Files that keep what an analysis found, from one run to the next.

A file that is missing, foreign, cut short or changed by others is as good as none; one that cannot be
written is not written. Files are replaced whole, so that runs at the same time do not see half of one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from xlalint import plugins
from xlalint.sources.file import digest, read_bytes

FOLDER = ".xlalint_cache"
MOST_FILES = 18
"""At most so many files are kept of one project; those that were not used for longest go."""

_MARK = b"xlalint cache 1 "
_NOTE = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by xlalint; it can be deleted at any time.\n"


class Cache:
    """Where answers are kept: in a folder of each project, or all in one."""

    def __init__(self, folder: Path | None = None) -> None:
        """Args: folder: the one to use instead of those of the projects."""
        self._folder = folder

    def folder(self, root: Path) -> Path:
        """The folder that keeps what is known of the project at `root`."""
        return self._folder or root / FOLDER

    def load(self, root: Path, name: str) -> Any:
        """What was kept under a name; None where there is nothing that can be used."""
        path = self._path(root, name)
        data = read_bytes(str(path))
        if isinstance(data, str) or not data.startswith(_MARK):
            return None
        told, _, body = data[len(_MARK) :].partition(b"\n")
        if told.decode("ascii", "replace") != digest(body):
            return None
        with suppress(OSError):
            os.utime(path)
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            return None

    def keep(self, root: Path, name: str, content: Any) -> None:
        """Keep something under a name, if that can be done."""
        folder = self.folder(root)
        path = self._path(root, name)
        body = json.dumps(content, separators=(",", ":")).encode()
        temporary = path.with_name(f"{path.name}.{os.urandom(4).hex()}")
        try:
            _prepare(folder)
            temporary.write_bytes(b"".join((_MARK, digest(body).encode(), b"\n", body)))
            os.replace(temporary, path)  # noqa: PTH105
            _tidy(folder, path.name.partition("-")[0])
        except OSError:
            with suppress(OSError):
                temporary.unlink()

    def clean(self, roots: Iterable[Path]) -> list[Path]:
        """Delete what is kept for projects; returns the folders that are gone.

        Raises:
            OSError: something in one of them cannot be deleted.
        """
        gone = []
        for folder in dict.fromkeys(map(self.folder, roots)):
            if not (folder / "CACHEDIR.TAG").is_file():
                continue  # not ours
            for path in (*_kept(folder), folder / "CACHEDIR.TAG", folder / ".gitignore"):
                path.unlink(missing_ok=True)
            with suppress(OSError):  # somebody put something of their own in it
                folder.rmdir()
            gone.append(folder)
        return gone

    def _path(self, root: Path, name: str) -> Path:
        return self.folder(root) / f"{digest(os.fsencode(root))}-{name}.json"


@cache
def identity() -> str:
    """What changes when this program does: its rules, its own files, and Python's version."""
    told = [sys.version]
    brought = [*plugins.entries(plugins.RULES), *plugins.entries(plugins.FRAMEWORKS)]
    packages = {folder for entry in brought for folder in plugins.folders(entry)}
    for package in (os.path.dirname(__file__), *sorted(packages)):  # noqa: PTH120
        for around, folders, files in os.walk(package):
            folders.sort()
            for file in sorted(files):
                if file.endswith((".py", ".so", ".pyd")):
                    found = os.stat(os.path.join(around, file))  # noqa: PTH116, PTH118
                    told.append(f"{around}/{file} {found.st_size} {found.st_mtime_ns}")
    return digest("\n".join(told).encode())


def _prepare(folder: Path) -> None:
    if (folder / "CACHEDIR.TAG").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
    (folder / "CACHEDIR.TAG").write_text(_NOTE)


def _kept(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if ".json" in path.name]


def _tidy(folder: Path, project: str) -> None:
    kept = [path for path in _kept(folder) if path.name.startswith(f"{project}-")]
    if len(kept) > MOST_FILES:
        for path in sorted(kept, key=_used)[: len(kept) - MOST_FILES]:
            path.unlink(missing_ok=True)


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # somebody else deleted it
        return 0.0
