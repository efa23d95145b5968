"""What a run has shown of what was found by reading: joined by file, statement and rule."""

from __future__ import annotations

import ast
import bisect
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from xlalint.checker import Report
from xlalint.diagnostic import Diagnostic, Observer, Seen
from xlalint.output import runs
from xlalint.registry import all_rules, is_guarded
from xlalint.runs import Run
from xlalint.sources.file import SourceFile, digest, show


class EvidenceError(ValueError):
    """A file holds no report of a run; the message says which and why."""


def read_run(file: Path) -> Run:
    """The report in a file that `xlalint run` or `xlalint report merge` wrote.

    Raises:
        EvidenceError: it cannot be read, or is something else.
    """
    try:
        return runs.read(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise EvidenceError(f"cannot read {file}: {(reason or str(error)).lower()}") from error
    except runs.NoRun as error:
        raise EvidenceError(f"{file}: {error}") from error


@dataclass
class Joined:
    """What came of it.

    Args:
        read: What was found by reading, each with what the run has shown of it, where that is known.
        only_run: What only the run has shown.
        changed: Files, as users see them, that have changed since the run: of these nothing is said.
    """

    read: list[Diagnostic] = field(default_factory=list)
    only_run: list[Diagnostic] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def counts(self) -> Counter[Seen]:
        """How much there is of each."""
        return Counter(each.seen for each in (*self.read, *self.only_run) if each.seen is not None)


def join(
    found: Iterable[Diagnostic], sources: Mapping[str, SourceFile], run: Run,
    texts: Mapping[str, bytes] = MappingProxyType({}),
) -> Joined:  # fmt: skip
    """Say of each diagnostic what a run has shown of it.

    Args:
        found: What was found by reading.
        sources: The files that these stand in, by their shown path.
        run: What the run has shown.
        texts: By absolute path, what stands in files instead of what is on disk.
    """
    return _Join(sources, run, texts).run(found)


def confirm(report: Report, run: Run) -> Joined:
    """The same for a report, which then holds what only the run has shown of its files, too."""
    joined = join(report.diagnostics, report.sources, run)
    ours = {os.path.realpath(path) for path in report.checked}
    joined.only_run = [each for each in joined.only_run if os.path.realpath(each.path) in ours]
    report.diagnostics = sorted([*joined.read, *joined.only_run], key=lambda each: (each.order, each.message))
    return joined


def beside(run: Run, found: Iterable[Diagnostic], sources: Mapping[str, SourceFile]) -> Run:
    """The run with what reading has found in the files that it loaded, and what it has shown of that."""
    joining = _Join(sources, run, {})
    joined = joining.run(found)
    alone = {(each.code, each.message, each.range) for each in joined.only_run}
    diagnostics = tuple(
        replace(
            each,
            seen=Seen.ONLY_AT_RUN_TIME if (each.code, each.message, each.range) in alone else Seen.CONFIRMED,
        )
        for each in run.diagnostics
    )
    unseen = (Seen.NOT_OBSERVED, Seen.NOT_REACHED)
    read = (each for each in joined.read if each.seen in unseen and joining.has_loaded(each))
    return replace(run, diagnostics=diagnostics, static=tuple(read))


def wanted_lines(found: Iterable[Diagnostic], sources: Mapping[str, SourceFile]) -> dict[str, list[range]]:
    """By absolute path, the lines of the statements that diagnostics stand in."""
    lines: dict[str, list[range]] = defaultdict(list)
    texts: dict[str, Statements] = {}
    for each in found:
        source = sources.get(each.path)
        if source is not None and source.notebook is None:
            statements = texts.setdefault(each.path, Statements(source.text))
            lines[str(source.path)].append(statements.at(each.range.start.line))
    return dict(lines)


class Statements:
    """The statements of a text, each by its lines; of one with a body, those of its head."""

    def __init__(self, text: str) -> None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # newer than the Python that runs this
            tree = ast.Module([], [])
        found = sorted((*_heads(tree),), key=lambda lines: (lines.start, -lines.stop))
        self._starts = [lines.start for lines in found]
        self._lines = found

    def at(self, line: int) -> range:
        """The lines of the innermost statement that a line belongs to; itself, if to none."""
        index = bisect.bisect_right(self._starts, line)
        while index > 0:
            index -= 1
            if line in self._lines[index]:
                return self._lines[index]
        return range(line, line + 1)


def _heads(tree: ast.Module) -> Iterator[range]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        end = (node.end_lineno or node.lineno) if not body else max(node.lineno, body[0].lineno - 1)
        decorators = [each.lineno for each in getattr(node, "decorator_list", ())]
        yield range(min([node.lineno, *decorators]), end + 1)


class _Join:
    def __init__(self, sources: Mapping[str, SourceFile], run: Run, texts: Mapping[str, bytes]) -> None:
        self._sources = sources
        self._by_path = {os.path.realpath(source.path): source for source in sources.values()}
        self._texts = {os.path.realpath(path): text for path, text in texts.items()}
        self._run = run
        self._judged = {rule.code for rule in all_rules() if is_guarded(rule)} & set(run.judged)
        self._loaded = {self._path(name): known for name, known in run.files.items()}
        self._asked = {self._path(name): set(lines) for name, lines in run.asked.items()}
        self._reached = {self._path(name): set(lines) for name, lines in run.reached.items()}
        self._statements: dict[str, Statements] = {}
        self._changed: dict[str, bool] = {}

    def run(self, found: Iterable[Diagnostic]) -> Joined:
        shown: dict[tuple[str, str, range], list[Diagnostic]] = defaultdict(list)
        for each in self._run.diagnostics:
            path = self._path(each.path)
            shown[path, each.code, self._statement(path, each.range.start.line)].append(each)
        joined = Joined()
        matched: set[tuple[str, str, range]] = set()
        for each in found:
            source = self._sources.get(each.path)
            if source is None or source.notebook is not None:
                joined.read.append(each)
                continue
            path = os.path.realpath(source.path)
            if self._has_changed(path):
                joined.changed += [each.path] if each.path not in joined.changed else []
                joined.read.append(each)
                continue
            key = (path, each.code, self._statement(path, each.range.start.line))
            seen = shown.get(key)
            if seen:
                matched.add(key)
            joined.read.append(self._with(each, path, seen))
        joined.only_run = [
            replace(each, path=show(Path(key[0])), seen=Seen.ONLY_AT_RUN_TIME)
            for key, held in shown.items()
            for each in held
            if key not in matched and not self._has_changed(key[0])
        ]
        return joined

    def _with(self, found: Diagnostic, path: str, seen: list[Diagnostic] | None) -> Diagnostic:
        if seen:
            observers = (
                *found.observed_by,
                *([] if Observer.GUARD in found.observed_by else [Observer.GUARD]),
            )
            return replace(found, seen=Seen.CONFIRMED, evidence=seen[0].evidence, observed_by=observers)
        if found.code not in self._judged:
            return found
        line = found.range.start.line
        lines = self._statement(path, line)
        if path not in self._loaded:
            return replace(found, seen=Seen.NOT_REACHED)
        if self._asked.get(path, set()).intersection(lines):
            reached = self._reached.get(path, set()).intersection(lines)
            return replace(found, seen=Seen.NOT_OBSERVED if reached else Seen.NOT_REACHED)
        return replace(found, seen=Seen.NOT_OBSERVED)

    def has_loaded(self, found: Diagnostic) -> bool:
        """Whether the program has loaded the file that a diagnostic stands in."""
        return os.path.realpath(self._sources[found.path].path) in self._loaded

    def _path(self, name: str) -> str:
        return os.path.realpath(Path(self._run.folder, name))

    def _statement(self, path: str, line: int) -> range:
        if path not in self._statements:
            source = self._by_path.get(path)
            self._statements[path] = Statements(_text(path) if source is None else source.text)
        return self._statements[path].at(line)

    def _has_changed(self, path: str) -> bool:
        """Whether the file is not what it was when the program loaded it."""
        if path not in self._changed:
            known = self._loaded.get(path)
            try:
                data = self._texts[path] if path in self._texts else Path(path).read_bytes()
                self._changed[path] = known is not None and known != digest(data)
            except OSError:
                self._changed[path] = True
        return self._changed[path]


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
