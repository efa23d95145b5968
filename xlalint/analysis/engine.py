"""The analysis of a set of files: what to interpret, in which order, and what rules say of it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xlalint.analysis.interpreter import Interpreter
from xlalint.analysis.outline import Function, Import, Outline
from xlalint.analysis.project import Project
from xlalint.analysis.roots import Relevance
from xlalint.analysis.store import Store
from xlalint.analysis.summaries import told_once
from xlalint.configuration import Configuration
from xlalint.judging import Judge, Occurrence, Placed
from xlalint.knowledge.functions import EAGER_MODE, SWAPS_PARAMETERS
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.state import State, View
from xlalint.lazy.state import join as join_states
from xlalint.lazy.values import Value
from xlalint.rule import Rule
from xlalint.sources.file import HOT_TOKEN, SourceFile, Unreadable, read
from xlalint.sources.syntax import parse

_RECURSION_LIMIT = 12_000


@dataclass(slots=True)
class Analysis:
    """What an analysis found, and what it counted."""

    findings: list[Placed] = field(default_factory=list)
    statistics: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class LineState:
    """What the model holds before one line of a file, over all the ways it may be reached."""

    line: int
    state: State
    values: Mapping[str, Value]


def analyze(
    files: Sequence[SourceFile],
    rules: Sequence[Rule[Any]],
    configuration: Configuration,
    *,
    memo: bool = True,
) -> Analysis:
    """Analyze files together: calls are followed between them and into what they import.

    Args:
        files: The files to judge; those that are not hot are only read when a call leads there.
        rules: What judges.
        configuration: What is known of the project beside its files.
        memo: Whether summaries are kept; the answer is the same without.
    """
    run = _Run(files, rules, configuration, memo=memo)
    with _deep_recursion():
        return run.analyze()


def trace(file: SourceFile, configuration: Configuration) -> list[LineState]:
    """What the model holds at every line of `file` that is interpreted."""
    run = _Run([file], [], configuration, memo=False)
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
        rules: Sequence[Rule[Any]],
        configuration: Configuration,
        *,
        memo: bool,
    ) -> None:
        self._judge = Judge(rules)
        self._files = {file.path: file for file in sorted(files, key=lambda f: str(f.path))}
        self._tokens = (HOT_TOKEN, *configuration.wrappers)
        self.project = Project(configuration.roots, self._open_module)
        self.interpreter = Interpreter(
            self.project, self._judge.kinds, other_backends=configuration.false_tests, memo=memo
        )

    def analyze(self) -> Analysis:
        outlines: list[Outline] = []
        hooked: list[Outline] = []
        for file in self._files.values():
            outline = self.project.outline(file.path)
            if outline is not None:
                (outlines if file.is_hot else hooked).append(outline)
        happened: list[Occurrence] = []
        for outline in outlines:
            happened += self._api_uses(outline)
        happened += self._interpret(outlines)
        happened += self._run_hooks(outlines, hooked)
        statistics = dict(self.interpreter.statistics)
        statistics["modules"] = self.project.outlined
        statistics["functions"] = self.interpreter.functions_entered
        return Analysis([*self._judge.judge(told_once(happened))], statistics)

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
        """Functions that somebody names but nobody was seen to call; unless one calls the other."""
        happened: dict[Function, list[Occurrence]] = {}
        enters: dict[Function, set[Function]] = {}
        for function in functions:
            self.interpreter.entered = set()
            happened[function] = self._root(function)
            enters[function] = self.interpreter.entered - {function}
        for function, occurrences in happened.items():
            callers = [f for f in functions if function in enters[f]]
            if all(f in enters[function] and _order(function) < _order(f) for f in callers):
                yield from occurrences

    def _root(self, function: Function) -> list[Occurrence]:
        receiver = None
        if function.owner is not None and not function.is_static:
            receiver = self.interpreter.classes.instance(function.owner)
        return self.interpreter.run_root(function, eager=_eager(function.outline), receiver=receiver)

    def _api_uses(self, outline: Outline) -> list[Occurrence]:
        if ApiUsed not in self._judge.kinds:
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
        if target.partition(".")[0] == "torch_xla":
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
        file = self._files.get(path) or read(path)
        if isinstance(file, Unreadable):
            return None
        tree = parse(file, _parse_newer)
        return None if isinstance(tree, Unreadable) else (file.text, tree)


def _parse_newer(text: str) -> ast.Module:
    from xlalint.analysis import cst_frontend

    return cst_frontend.parse(text)


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
