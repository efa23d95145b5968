"""The report as a file: whole at every moment, and each process of a launch its own."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def rank() -> int | None:
    """This process among those of a launch, as launchers say in the environment; None: it is alone."""
    if int(os.environ.get("WORLD_SIZE") or 1) > 1 and os.environ.get("RANK", "").isdigit():
        return int(os.environ["RANK"])
    return None


def own(path: Path, *, is_child: bool = False) -> Path:
    """The file of this process: `report.json`, or `report.rank1.pid4711.json` where there are several.

    Args:
        path: The file that was asked for.
        is_child: Whether a watched program has started this process.
    """
    number = rank()
    if number is None and not is_child:
        return path
    known = "" if number is None else f".rank{number}"
    return path.with_name(f"{path.stem}{known}.pid{os.getpid()}{path.suffix}")


class ReportFile:
    """A file whose text is replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self.fault: str | None = None
        """Why it could not be written the last time."""

    def write(self, text: str) -> bool:
        """Replace the text. What cannot be written is noted, and disturbs nobody.

        Returns:
            Whether it was written.
        """
        draft = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._path)
            self.fault = None
        except OSError as error:
            self.fault = f"cannot write {self._path}: {(error.strerror or str(error)).lower()}"
            with contextlib.suppress(OSError):
                draft.unlink()
        return self.fault is None
