"""Texts in, what is found in them out: all that the server asks of the analysis."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from xlalint.analysis.engine import LineState, trace
from xlalint.api import Report, SettingsError, check_paths
from xlalint.cure import Cure
from xlalint.diagnostic import Diagnostic
from xlalint.evidence import join
from xlalint.findings import program_of
from xlalint.fixing.exports import Exports
from xlalint.fixing.fixer import Choice, fix, harm
from xlalint.fixing.rewrite import Refused
from xlalint.fixing.rewriting import Wanted, rewrite
from xlalint.gathering import Input, gather
from xlalint.server.documents import Part, Snapshot
from xlalint.server.reports import Reports
from xlalint.session import Session, Unwanted
from xlalint.settings import SettingsFinder, read_table
from xlalint.sources.file import SourceFile, as_bytes, decode, decoded, show
from xlalint.sources.file import changed as rewritten
from xlalint.sources.notebook import Notebook, NotebookError
from xlalint.stack import on_large_stack
from xlalint.units import Unit

Settings = Mapping[str, object]
"""What the client sets, by the keys of xlalint.toml."""


@dataclass(frozen=True)
class Checked:
    """What was found in a file.

    Args:
        snapshot: The file.
        report: What was found in it, and perhaps in others.
        diagnostics: Those of this file.
        shown: The same with what the last run has shown of each, and then what only that has shown.
    """

    snapshot: Snapshot
    report: Report
    diagnostics: tuple[Diagnostic, ...]
    shown: tuple[Diagnostic, ...]

    def part_of(self, number: int) -> Part:
        """The part of the file in which one of the shown diagnostics begins."""
        return self.snapshot.part_at(self.shown[number].range.start.line)


@dataclass
class Findings:
    """What was found in all open texts.

    Args:
        checked: By the client's name of a text.
        wrong: Why some could not be checked, each to be told to the user.
    """

    checked: dict[str, Checked] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


class Analysis:
    """Checks texts again and again, in one thread. A session keeps in memory what they rest on."""

    def __init__(self) -> None:
        self._is_wanted = _always
        self._reports = Reports()
        self._session: Session | None = None
        self._settings: Settings = {}
        """What the client had set when the session began."""
        self._states: tuple[object, tuple[SourceFile, list[LineState]] | None] | None = None
        """What was last found out for `states`, and for which text."""

    def check(
        self, open_texts: Sequence[Snapshot], settings: Settings, is_wanted: Callable[[], bool]
    ) -> Findings:
        """Check all open texts. Each counts instead of what is on disk, for the others too.

        Args:
            is_wanted: Is asked while the check runs, in its thread, whether to go on.

        Raises:
            Unwanted: nobody wants it any more.
        """
        found = Findings()
        together = [each for each in open_texts if os.path.lexists(each.path)]
        alone = [[each] for each in open_texts if each not in together]
        self._is_wanted = is_wanted
        try:
            for texts in (together, *alone):
                if texts:
                    self._try(texts, open_texts, settings, found)
        finally:
            self._is_wanted = _always
        return found

    def finder(self, settings: Settings) -> SettingsFinder:
        """Which settings hold where.

        Raises:
            SettingsError: those of the client cannot be used.
        """
        return SettingsFinder(given=read_table(settings, Path.cwd(), "the settings of the editor"))

    def report(
        self, asked: Sequence[Snapshot], open_texts: Iterable[Snapshot], settings: Settings,
        changed: Mapping[str, bytes],
    ) -> Report:  # fmt: skip
        """What is found in some texts.

        Args:
            asked: They: files that exist, or one that does not.
            open_texts: All that are open.
            changed: By path, what stands in files instead of all that.

        Raises:
            SettingsError: settings that hold for one of them cannot be used.
            Unwanted: nobody wants it any more.
        """
        texts = {**bytes_of(open_texts), **changed}
        if not os.path.lexists(asked[0].path):
            (new,) = asked
            given = Input(new.path, texts[new.path])
            return check_paths(
                (), settings=self.finder(settings), force_exclude=True, standard_input=given, texts=texts
            )
        if self._session is None or settings != self._settings:
            self._forget()
            self._session = Session(
                lambda: self.finder(settings), force_exclude=True, is_wanted=lambda: self._is_wanted()
            )
            self._settings = settings
        try:
            return self._session.check([Path(each.path) for each in asked], texts)
        except Unwanted:
            raise
        except BaseException:
            self._forget()  # it may be left in the midst of something
            raise

    def reread(self, paths: Sequence[str]) -> None:
        """Files on disk have changed, come or gone, settings perhaps among them; no paths: any may have."""
        self._states = None
        if self._session is None or not paths:
            self._forget()
            return
        try:
            self._session.reread([Path(path) for path in paths])
        except SettingsError:
            self._session = None  # the next check tells what is wrong

    def _forget(self) -> None:
        if self._session is not None:
            with suppress(SettingsError):  # which the next check tells
                self._session.forget()
        self._session = None

    def fix(
        self, checked: Checked, open_texts: Sequence[Snapshot], settings: Settings, choice: Choice | None
    ) -> dict[str, str]:
        """Cure what can be cured, so that all open texts are verified together.

        Args:
            checked: What was found in the text that it begins with; no text has changed since.
            open_texts: All that are open.
            choice: The one cure to carry out; None: all that are safe, in this text alone.

        Returns:
            By the client's name of a text, the new text.

        Raises:
            Refused: the cure cannot be carried out, and why.
            SettingsError: settings cannot be used.
        """
        finder = self.finder(settings)
        texts = bytes_of(open_texts)
        for each in open_texts:
            if decoded(texts[each.path]) != each.text:
                raise Refused("the encoding that the file declares cannot hold its text")
        asked = [each for each in open_texts if os.path.lexists(each.path)]
        if choice is None or checked.snapshot not in asked:
            asked = [checked.snapshot]

        def check(changed: Mapping[str, bytes]) -> Report:
            if not changed and choice is not None:
                return checked.report
            return self.report(asked, open_texts, settings, changed)

        outcome = fix(
            check, lambda path: finder.at(Path(path).parent), texts, unsafe=choice is not None, choice=choice
        )
        if choice is not None and not outcome.applied:
            reasons = [left.reason for left in outcome.left if left.diagnostic == choice.diagnostic]
            raise Refused(reasons[0] if reasons else "nothing could be changed")
        by_path = {each.path: each for each in open_texts}
        changed = (_parts(by_path[path], data) for path, data in outcome.after.items() if path in by_path)
        return {uri: text for parts in changed for uri, text in parts.items()}

    def refactor(
        self, checked: Checked, open_texts: Sequence[Snapshot], settings: Settings, cure: Cure
    ) -> dict[str, str]:
        """Carry out what no diagnostic asks for, if nothing is worse afterwards.

        Args:
            checked: What was found in the text that it changes; no text has changed since.
            cure: What to do.

        Returns:
            By the client's name of the text, the new text.

        Raises:
            Refused: it cannot be carried out, and why.
            SettingsError: settings cannot be used.
        """
        text = checked.snapshot
        source = source_of(text)
        exports = Exports(checked.report.files_around(text.path))
        made = rewrite(source, [Wanted([cure], ())], [0], exports)
        if made.text is None:
            raise Refused(made.refused[0][1] if made.refused else "nothing would change")
        try:
            data = rewritten(source, made.text, as_bytes(text.text))
        except NotebookError as error:
            raise Refused(str(error)) from None
        before = self.report([text], open_texts, settings, {})
        after = self.report([text], open_texts, settings, {text.path: data})
        for path, code in harm(before, after):
            raise Refused(f"{code} would be reported in {path} afterwards")
        return _parts(text, data)

    def states(
        self, text: Snapshot, open_texts: Sequence[Snapshot], settings: Settings
    ) -> tuple[SourceFile, list[LineState]] | None:
        """What the model holds before each line of a text; None where that cannot be known.

        Raises:
            SettingsError: settings that hold for it cannot be used.
        """
        if self._states is None or self._states[0] != (text.revision, settings):
            self._states = ((text.revision, settings), self._traced(text, open_texts, settings))
        return self._states[1]

    def _traced(
        self, text: Snapshot, open_texts: Sequence[Snapshot], settings: Settings
    ) -> tuple[SourceFile, list[LineState]] | None:
        texts = bytes_of(open_texts)
        gathered = gather([Path(text.path)], self.finder(settings), force_exclude=True, texts=texts)
        for unit in gathered.units:
            source = unit.files[text.path].source() if text.path in unit.files else None
            if isinstance(source, SourceFile) and text.path in unit.analyzed:
                return source, on_large_stack(partial(_trace, unit, source))
        return None

    def _try(
        self, texts: Sequence[Snapshot], open_texts: Sequence[Snapshot], settings: Settings, found: Findings
    ) -> None:
        """Check some texts; if that fails, each by itself, so that one is not in the way of others."""
        try:
            report = self.report(texts, open_texts, settings, {})
        except Unwanted:
            raise
        except Exception as error:
            if len(texts) > 1:
                for text in texts:
                    self._try([text], open_texts, settings, found)
                return
            found.wrong.append(_reason(error, texts[0]))
            return
        for text in texts:
            shown = show(Path(text.path))
            own = tuple(each for each in report.diagnostics if each.path == shown)
            seen = self._seen(text, own, report, open_texts)
            found.checked[text.uri] = Checked(text, report, own, seen)

    def _seen(
        self, text: Snapshot, own: tuple[Diagnostic, ...], report: Report, open_texts: Sequence[Snapshot]
    ) -> tuple[Diagnostic, ...]:
        """What is found in a text, with what the report beside it says."""
        run = self._reports.of(Path(text.path))
        if run is None:
            return own
        joined = join(own, report.sources, run, bytes_of(open_texts))
        shown = show(Path(text.path))
        return (*joined.read, *(each for each in joined.only_run if each.path == shown))


def _always() -> bool:
    return True


def bytes_of(open_texts: Iterable[Snapshot]) -> dict[str, bytes]:
    """By path, what stands in open files."""
    return {each.path: as_bytes(each.text) for each in open_texts}


def _trace(unit: Unit, source: SourceFile) -> list[LineState]:
    program = program_of(unit)
    try:
        return trace(program, source)
    finally:
        program.close()


def source_of(text: Snapshot) -> SourceFile:
    """A file as the analysis takes it."""
    path = Path(text.path)
    if not text.is_notebook:
        return SourceFile(path, show(path), text.text.removeprefix("\ufeff"), is_hot=True)
    source = decode(path, show(path), as_bytes(text.text), hot=True)
    assert isinstance(source, SourceFile)
    return source


def _parts(text: Snapshot, data: bytes) -> dict[str, str]:
    """What stands in the parts of a file when it holds other bytes, by the client's name of each."""
    if not text.is_notebook:
        return {text.uri: decoded(data)}
    cells = Notebook(data).cells
    return {
        part.uri: cell.text.replace("\n", part.line_end) for part, cell in zip(text.parts, cells, strict=True)
    }


def internal_error(error: Exception, doing: str) -> str:
    """What to tell the user of an error of our own."""
    return f"internal error while {doing}, please report it: {type(error).__name__}: {error}"


def _reason(error: Exception, text: Snapshot) -> str:
    if isinstance(error, SettingsError):
        return str(error)
    return internal_error(error, f"checking {show(Path(text.path))}")
