"""Reports of runs that lie beside the code: what they have shown is told with what is found."""

from __future__ import annotations

from pathlib import Path

from xlalint.evidence import EvidenceError, read_run
from xlalint.runs import Run

REPORT = ".xlalint_report.json"
"""The file that is looked for, in the folder of a text and in those above it."""


class Reports:
    """Finds the report that counts for a text; each is read again when it has changed."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[int, int, Run | None]] = {}

    def of(self, path: Path) -> Run | None:
        """The nearest report at or above a file; None where there is none, or it cannot be read."""
        for folder in path.parents:
            file = folder / REPORT
            try:
                known = file.stat()
            except OSError:
                continue
            return self._current(file, known.st_mtime_ns, known.st_size)
        return None

    def _current(self, file: Path, changed: int, size: int) -> Run | None:
        held = self._read.get(file)
        if held is None or held[:2] != (changed, size):
            try:
                run = read_run(file)
            except EvidenceError:  # such as one that is of another release
                run = None
            held = self._read[file] = (changed, size, run)
        return held[2]
