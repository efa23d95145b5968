"""Diagnostics that are known and accepted for now, in a file: they are not reported again."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from xlalint.checker import Report
from xlalint.diagnostic import Diagnostic
from xlalint.fingerprints import Identity, identity
from xlalint.sources.file import read_bytes

_FORMAT = 1
_KEY = "xlalint-baseline"
HIDDEN = "in the baseline"


class BaselineError(ValueError):
    """A file that cannot be used as a baseline; the message names it and says why."""


class Baseline:
    """How many diagnostics are accepted, by rule, file and line of code: lines may move.

    Paths are kept relative to the folder of the file that holds it.
    """

    def __init__(self, file: Path, accepted: Counter[Identity] | None = None) -> None:
        """Args: file: where it is kept; accepted: None, where there is none yet."""
        self.file = file
        self._folder = os.path.abspath(file.parent)  # noqa: PTH100 - keeps links
        self.accepted = accepted

    def applied(self, report: Report) -> list[Diagnostic]:
        """The diagnostics that are not accepted; of several alike those that come last."""
        left = Counter(self.accepted or ())
        found = []
        for diagnostic in report.diagnostics:
            known = self._identity(diagnostic, report)
            if left[known]:
                left[known] -= 1
            else:
                found.append(diagnostic)
        return found

    def updated(self, report: Report, is_looked_for: Callable[[str, str], bool]) -> Baseline:
        """The baseline without what is no longer found. Where there was none, all that is found is accepted.

        Args:
            report: All that is found.
            is_looked_for: Whether a rule was to report on a file, by its code and the absolute path.
        """
        found = Counter(self._identity(diagnostic, report) for diagnostic in report.diagnostics)
        if self.accepted is None:
            return Baseline(self.file, found)
        left: Counter[Identity] = Counter()
        for known, count in self.accepted.items():
            path = os.path.normpath(os.path.join(self._folder, known.path))  # noqa: PTH118
            if not os.path.lexists(path):
                continue
            looked_for = path in report.checked and is_looked_for(known.code, path)
            left[known] = min(count, found[known]) if looked_for else count
        return Baseline(self.file, +left)

    def text(self) -> str:
        """What stands in the file: rows in order, so that few lines change from one version to the next."""
        rows = [
            {**known._asdict(), "count": count}
            for known, count in sorted((self.accepted or Counter()).items())
        ]
        return json.dumps({_KEY: _FORMAT, "diagnostics": rows}, indent=1, ensure_ascii=False) + "\n"

    def _identity(self, diagnostic: Diagnostic, report: Report) -> Identity:
        known = identity(diagnostic, report.sources)
        source = report.sources.get(diagnostic.path)
        path = os.path.abspath(diagnostic.path) if source is None else source.path  # noqa: PTH100
        try:
            relative = os.path.relpath(path, self._folder)
        except ValueError:  # another drive
            relative = str(path)
        return known._replace(path=relative.replace(os.sep, "/"))


def read_baseline(file: Path, *, may_be_missing: bool) -> Baseline:
    """The baseline in a file.

    Args:
        may_be_missing: Whether it is about to be written for the first time.

    Raises:
        BaselineError: there is none, or none that can be read.
    """
    if may_be_missing and not os.path.lexists(file):
        return Baseline(file)
    data = read_bytes(str(file))
    if isinstance(data, str):
        raise BaselineError(f"cannot read the baseline {file}: {data}; --update-baseline writes a new one")
    try:
        document = json.loads(data)
        form = document[_KEY]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BaselineError(f"{file} is not a baseline that xlalint has written") from None
    if form != _FORMAT:
        raise BaselineError(
            f"{file} was written by a newer xlalint (format {form}, and this one knows {_FORMAT}): "
            "update xlalint"
        )
    try:
        return Baseline(file, Counter(dict(map(_row, document["diagnostics"]))))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BaselineError(
            f"{file} is damaged: a row without path, code, text or count; take it back from git, or delete "
            "it and write a new one with --update-baseline"
        ) from None


def _row(row: dict[str, Any]) -> tuple[Identity, int]:
    path, code, text, count = row["path"], row["code"], row["text"], row["count"]
    if not (isinstance(path, str) and isinstance(code, str) and isinstance(text, str) and count > 0):
        raise ValueError(row)
    return Identity(path, code, text), int(count)
