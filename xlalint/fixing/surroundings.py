"""What stands around the files of a report, as far as it matters to who rewrites them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xlalint.checker import Report
from xlalint.fixing.callees import Callees
from xlalint.fixing.exports import Exports


class Surroundings:
    """What the other files of its project have to do with a file: two projects may hold modules of one name,
    and what is said of a file does not depend on whether both are named."""

    def __init__(self, report: Report, texts: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Args: texts: by path, what stands in some files instead of on disk."""
        self._report = report
        self._texts = texts
        self._known: dict[int, tuple[Exports, Callees]] = {}
        """By the identity of the files of a project."""

    def of(self, path: str) -> tuple[Exports, Callees]:
        """The names that others take from a file, and the functions that it may call."""
        files = self._report.files_around(path)
        if id(files) not in self._known:
            callees = Callees(files, self._texts, self._report.checked)
            self._known[id(files)] = Exports(files, self._texts), callees
        return self._known[id(files)]
