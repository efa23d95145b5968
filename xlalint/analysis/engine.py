"""The analysis of a set of files: what to interpret, in which order, and what rules say of it."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from xlalint.analysis.interpreter import Interpreter
from xlalint.analysis.outline import Function, Import, Outline
from xlalint.analysis.parsing import parse_file
from xlalint.analysis.project import Project
from xlalint.analysis.roots import Relevance
from xlalint.analysis.store import Store
from xlalint.analysis.summaries import told_once
from xlalint.configuration import Configuration
from xlalint.judging import Occurrence
from xlalint.knowledge.functions import EAGER_MODE, SWAPS_PARAMETERS
from xlalint.lazy.events import ApiUsed, Event, FileUnreadable
from xlalint.lazy.site import Site
from xlalint.lazy.state import State, View
from xlalint.lazy.state import join as join_states
from xlalint.lazy.values import Value
from xlalint.sources.file import HOT_TOKEN, START, SourceFile, Unreadable, read

_RECURSION_LIMIT = 12_000


@dataclass(slots=True)
class Analysis:
    """What happens in the files of an analysis, and what it counted."""

    occurrences: list[Occurrence] = field(default_factory=list)
    statistics: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class LineState:
    """What the model holds before one line of a file, over all the ways it may be reached."""

    line: int
    state: State
    values: Mapping[str, Value]


def analyze(
    files: Sequence[SourceFile],
    kinds: frozenset[type[Event]],
    configuration: Configuration,
    *,
    memo: bool = True,
) -> Analysis:
    """Analyze files together: calls are followed between them and into what they import.

    Args:
        files: The files to look at; those that are not hot are only entered when a call leads there.
        kinds: The kinds of events that somebody judges; they steer nothing.
        configuration: What is known of the project beside its files.
        memo: Whether summaries are kept; the answer is the same without.
    """
    try:
        with _deep_recursion():
            return _Run(files, kinds, configuration, memo=memo).analyze()
    except RecursionError:
        if len(files) == 1:
            reason = "it is nested too deeply: the analyzer ran out of stack"
            return Analysis([unreadable(Unreadable(files[0].path, files[0].shown, reason, START, files[0]))])
    # One of the files nests too deeply. The others are analyzed without it.
    together = Analysis()
    for file in files:
        alone = analyze([file], kinds, configuration, memo=memo)
        together.occurrences += alone.occurrences
        together.statistics.update(alone.statistics)
    return together


def unreadable(file: Unreadable) -> Occurrence:
    """That a file cannot be read or parsed, as something that happens in it."""
    site = Site(str(file.path), file.position.line)
    if file.file is not None:
        site = file.file.site(file.position, file.position)
    return Occurrence(FileUnreadable(site, reason=file.reason), View())


def trace(file: SourceFile, configuration: Configuration) -> list[LineState]:
    """What the model holds at every line of `file` that is interpreted."""
    run = _Run([file], frozenset(), configuration, memo=False)
    seen: dict[int, LineState] = {}

    def observe(statement: ast.stmt, outline: Outline, store: Store) -> None:
        if outline.path != file.path:
            return
        known = seen.get(statement.lineno)
        if known is None:
            seen[statement.lineno] = LineState(statement.lineno, store.state.copy(), dict(store.names))
        else:
            known.state = join_states(known.state, store.state)
            known.values = {**known.values, **store.names}

    run.interpreter.observer = observe
    with _deep_recursion():
        run.analyze()
    return [seen[line] for line in sorted(seen)]


class _Run:
    def __init__(
        self,
        files: Sequence[SourceFile],
        kinds: frozenset[type[Event]],
        configuration: Configuration,
        *,
        memo: bool,
    ) -> None:
        self._kinds = kinds
        self._unreadable: list[Occurrence] = []
        self._files = {file.path: file for file in sorted(files, key=lambda f: str(f.path))}
        self._tokens = (HOT_TOKEN, *configuration.wrappers)
        self.project = Project(configuration.roots, self._open_module)
        self.interpreter = Interpreter(
            self.project, kinds, other_backends=configuration.false_tests, memo=memo
        )

    def analyze(self) -> Analysis:
        outlines: list[Outline] = []
        hooked: list[Outline] = []
        for file in self._files.values():
            outline = self.project.outline(file.path)
            if outline is not None:
                (outlines if file.is_hot else hooked).append(outline)
        happened = self._unreadable
        for outline in outlines:
            happened += self._api_uses(outline)
        happened += self._interpret(outlines)
        happened += self._run_hooks(outlines, hooked)
        statistics = Counter(self.interpreter.statistics)
        statistics["modules"] = self.project.outlined
        statistics["functions"] = self.interpreter.functions_entered
        return Analysis([*told_once(happened)], statistics)

    def _interpret(self, outlines: list[Outline]) -> Iterator[Occurrence]:
        interpreter = self.interpreter
        interpreter.swaps_parameters = any(outline.mentions(SWAPS_PARAMETERS) for outline in outlines)
        relevance = Relevance(outlines, self._tokens)
        for outline in outlines:
            relevance.relevant |= {
                f for f in list(outline.functions.values()) if interpreter.classes.has_optimizer_scope(f)
            }
        interpreter.relevant = relevance.relevant
        reached: set[Function] = set()
        for outline in relevance.module_bodies():
            interpreter.entered = set()
            yield from interpreter.run_module(outline, eager=_eager(outline))
            reached |= interpreter.entered
        referenced = relevance.referenced()
        functions = sorted(relevance.relevant, key=_order)
        for function in functions:
            if function not in referenced and function not in reached:
                interpreter.entered = set()
                yield from self._root(function)
                reached |= interpreter.entered - {function}
        yield from self._unreached([f for f in functions if f in referenced and f not in reached])

    def _run_hooks(self, outlines: list[Outline], hooked: list[Outline]) -> Iterator[Occurrence]:
        """What a framework calls, in classes of packages that train on a device."""
        packages = {outline.name.partition(".")[0] for outline in outlines}
        for outline in (*outlines, *hooked):
            if outline.name.partition(".")[0] not in packages:
                continue
            for cls in outline.classes.values():
                for hook in self.interpreter.classes.hooks_of(cls):
                    method = cls.methods.get(hook.method)
                    if method is not None:
                        yield from self.interpreter.run_hook(method, hook)

    def _unreached(self, functions: list[Function]) -> Iterator[Occurrence]:
        """Functions that somebody names but nobody was seen to call; unless one calls the other.

        One that an earlier one enters has nothing to tell of its own.
        """
        happened: dict[Function, list[Occurrence]] = {}
        enters: dict[Function, set[Function]] = {}
        callers: dict[Function, list[Function]] = {}
        for function in functions:
            if function in callers:
                continue
            self.interpreter.entered = set()
            happened[function] = self._root(function)
            enters[function] = self.interpreter.entered - {function}
            for other in enters[function]:
                callers.setdefault(other, []).append(function)
        for function, occurrences in happened.items():
            if all(caller in enters[function] for caller in callers.get(function, ())):
                yield from occurrences

    def _root(self, function: Function) -> list[Occurrence]:
        receiver = None
        if function.owner is not None and not function.is_static:
            receiver = self.interpreter.classes.instance(function.owner)
        return self.interpreter.run_root(function, eager=_eager(function.outline), receiver=receiver)

    def _api_uses(self, outline: Outline) -> list[Occurrence]:
        if ApiUsed not in self._kinds:
            return []
        from xlalint.analysis.usage import api_uses

        def resolve(name: str) -> str | None:
            root, _, rest = name.partition(".")
            for binding in outline.bindings.get(root, ()):
                if isinstance(binding, Import):
                    meant = self._canonical(binding.target, outline)
                    if meant is not None:
                        return f"{meant}.{rest}" if rest else meant
            return None

        view = View()
        return [Occurrence(event, view) for event in api_uses(outline.tree, resolve, outline.file)]

    def _canonical(self, target: str, outline: Outline, depth: int = 0) -> str | None:
        """The library name that an import means, through re-exports of the project."""
        if target.partition(".")[0] == HOT_TOKEN:
            return target
        parent, _, last = target.rpartition(".")
        module = self.project.find(parent, outline) if parent and depth < 8 else None
        if module is None or module is outline:
            return None
        for binding in module.bindings.get(last, ()):
            if isinstance(binding, Import):
                return self._canonical(binding.target, module, depth + 1)
        return None

    def _open_module(self, path: Path) -> tuple[str, ast.Module] | None:
        asked = self._files.get(path)
        file = asked or read(path)
        tree = file if isinstance(file, Unreadable) else parse_file(file)
        if isinstance(tree, Unreadable):
            if asked is not None:
                self._unreadable.append(unreadable(tree))
            return None
        assert isinstance(file, SourceFile)
        return file.text, tree


def _eager(outline: Outline) -> bool | None:
    """Whether eager mode may be on when a function is entered that nobody is seen to call."""
    return None if outline.mentions(EAGER_MODE) else False


def _order(function: Function) -> tuple[str, int, int]:
    return (function.outline.file, function.node.lineno, function.node.col_offset)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
