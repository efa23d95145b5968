"""`xlalint_runtime.guard`: watches a part of a program, in the program itself."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from xlalint.diagnostic import Diagnostic
from xlalint.output import runs
from xlalint.output.paint import paint
from xlalint.runs import Run
from xlalint.settings import SETTINGS, SettingsFinder
from xlalint.sources.file import SourceFile, read
from xlalint_runtime.choosing import Choice
from xlalint_runtime.request import MODES, RECORD, Request
from xlalint_runtime.session import Session


class Watched:
    """What was seen so far; it may be asked while the program runs and afterwards."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def run(self) -> Run:
        """Steps, launches, compiles, and what was found."""
        return self._session.run()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found."""
        return self.run.diagnostics


class guard(contextlib.ContextDecorator):
    """Watches what happens in a `with` block, or in each call of a function that it decorates.

    ```python
    with xlalint_runtime.guard(mode="raise"):
        train()
    ```

    Within another guard, or under `xlalint run`, that one goes on watching, and this one adds nothing.
    """

    def __init__(
        self,
        mode: str = RECORD,
        *,
        report: str | Path | None = None,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        warmup: int = 2,
    ) -> None:
        """Args:
        mode: `record` reports at the end, `warn` also as it happens; `raise` raises at the line that does it.
        report: The file that the report is written to, as JSON, as it happens; None: it goes to standard
            error at the end, if anything was found.
        select, ignore: Rules, as for `xlalint check`; settings files and comments count too.
        warmup: How many steps at the start are left out of the numbers of each step.

        Raises:
            ValueError: there is no such mode or rule.
        """
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}: use one of {', '.join(MODES)}")
        given = {
            setting.field: setting.read(list(rules), Path.cwd())
            for setting in SETTINGS
            for key, rules in (("select", select), ("ignore", ignore))
            if setting.key == key and rules
        }
        self._request = Request(
            program="guard()", mode=mode, warmup=warmup, finder=SettingsFinder(given=given),
            report=str(report) if report is not None else None,
        )  # fmt: skip
        self._session: Session | None = None

    def _recreate_cm(self) -> guard:
        fresh = object.__new__(guard)
        fresh._request, fresh._session = self._request, None
        return fresh

    def __enter__(self) -> Watched:
        if Session.active is not None:
            return Watched(Session.active)
        self._session = Session(self._request, Choice(self._request.finder))
        self._session.begin()
        if not self._session.watches:
            raise RuntimeError("; ".join(self._session.run().notes))
        return Watched(self._session)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        session = self._session
        if session is None:
            return
        if error is not None:
            session.fails(error)
        session.end()
        if self._request.report is None and session.found:
            _show(session.run())


def _show(run: Run) -> None:
    shown = {each.path for each in run.diagnostics}
    files = {path: read(Path(path).absolute()) for path in shown}
    sources = {path: file for path, file in files.items() if isinstance(file, SourceFile)}
    with contextlib.suppress(OSError, AttributeError, ValueError):  # it may be closed
        sys.stderr.write(paint(runs.full(run, sources), colored=False))
