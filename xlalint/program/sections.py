"""The sections of a module: functions and statements whose text stays when other parts change.

What is found out about one section keeps holding while its text does, wherever in the file it stands:
its places are counted from its first line, and a digest tells whether its text has changed.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from xlalint.sources import file


class Section(NamedTuple):
    """Lines `first` to `last` of a module, 1-based, both inclusive."""

    name: str
    first: int
    last: int


class Sections:
    """All sections of one module.

    A function outside of functions is one, with its decorators; so are the header of a class, and every
    other statement of a module or class, whole. Functions are known by their names, statements by their
    text, with a number where there are several.

    The lines of a section have numbers, from its first on. In a program that stays in memory these lie apart,
    so that lines which come between others get numbers between theirs, and all others keep theirs.
    """

    def __init__(
        self, tree: ast.Module, lines: list[str], apart: int = 1, before: Sections | None = None
    ) -> None:
        """
        Args:
            apart: How far the numbers of lines lie apart.
            before: The sections of the text that stood there before.
        """
        self._lines = lines
        self._apart = apart
        self._numbers: dict[str, list[int]] = {}
        """By section, the numbers of its lines, where they are not just counted."""
        self._all: dict[str, Section] = {}
        self._alike: dict[str, int] = {}
        self._at: list[Section | None] = [None] * (len(lines) + 2)
        self._collect(tree.body, "", None)
        if before is not None:
            self._keep_numbers(before)

    def at(self, line: int) -> Section:
        """The section that a line of code belongs to."""
        return self._at[line] or _WHOLE

    def find(self, name: str) -> Section | None:
        """The section with a name, if there is one."""
        return self._all.get(name)

    def number(self, section: Section, line: int) -> int:
        """What a line is known by in its section."""
        numbers = self._numbers.get(section.name)
        within = line - section.first
        if numbers is None:
            return (within + 1) * self._apart
        beyond = within - len(numbers) + 1
        return numbers[within] if beyond <= 0 else numbers[-1] + beyond * self._apart

    def line(self, name: str, number: int) -> int:
        """The line that has a number in a section.

        Raises:
            KeyError: there is no section of that name.
        """
        numbers, first = self._numbers.get(name), self._all[name].first
        if numbers is None:
            return first + number // self._apart - 1
        beyond = max(number - numbers[-1], 0) // self._apart
        return first + bisect_right(numbers, number) + beyond - 1

    def _keep_numbers(self, before: Sections) -> None:
        """Give lines the numbers that they had, where they stand in a section of the same name."""
        for name, section in self._all.items():
            former = before._all.get(name)
            if former is None:
                continue
            old = before._lines[former.first - 1 : former.last]
            new = self._lines[section.first - 1 : section.last]
            if old != new or name in before._numbers:
                counted = [(at + 1) * self._apart for at in range(len(old))]
                numbers = _renumbered(before._numbers.get(name, counted), old, new, self._apart)
                if numbers is not None:
                    self._numbers[name] = numbers

    def digest(self, name: str) -> str:
        """What changes when the text of a section does; empty where there is none of that name."""
        section = self._all.get(name)
        return "" if section is None else digest("\n".join(self._lines[section.first - 1 : section.last]))

    def _collect(self, body: list[ast.stmt], scope: str, around: Section | None) -> None:
        for node in body:
            first = _first_line(node)
            last = node.end_lineno or node.lineno
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._add(f"{scope}{node.name}", first, last, around)
            elif isinstance(node, ast.ClassDef):
                inside = min((_first_line(each) for each in node.body), default=last)
                header = self._add(f"class {scope}{node.name}", first, max(inside - 1, node.lineno), around)
                self._collect(node.body, f"{scope}{node.name}.", around or header)
            else:
                name = "=" + digest("\n".join(self._lines[first - 1 : last]))
                whole = self._add(name, first, last, around)
                for block in blocks(node):
                    self._collect_definitions(block, scope, whole)

    def _collect_definitions(self, body: list[ast.stmt], scope: str, around: Section) -> None:
        """Functions and classes below a compound statement; the rest of it is one section."""
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._collect([node], scope, around)
            else:
                for block in blocks(node):
                    self._collect_definitions(block, scope, around)

    def _add(self, name: str, first: int, last: int, around: Section | None) -> Section:
        number = self._alike[name] = self._alike.get(name, 0) + 1
        numbered = name if number == 1 else f"{name} #{number}"
        section = self._all[numbered] = Section(numbered, first, last)
        for line in range(first, last + 1):
            # Of two sections on one line, the first has it, unless one stands in the other.
            if self._at[line] is around or self._at[line] is None:
                self._at[line] = section
        return section


def _renumbered(numbers: list[int], old: list[str], new: list[str], apart: int) -> list[int] | None:
    """The numbers of new lines, by those of old ones; None where there is no room for them."""
    most = min(len(old), len(new))
    above = next((at for at in range(most) if old[at] != new[at]), most)
    below = next((at for at in range(most - above) if old[-1 - at] != new[-1 - at]), most - above)
    between = len(new) - above - below
    if between == len(old) - above - below:
        return numbers
    last = numbers[above - 1] if above else 0
    after = numbers[-below] if below else last + (between + 1) * apart
    if after - last <= between:
        return None
    inserted = [last + (after - last) * (at + 1) // (between + 1) for at in range(between)]
    return [*numbers[:above], *inserted, *numbers[len(numbers) - below :]]


def digest(text: str) -> str:
    """A short text that differs where `text` does."""
    return file.digest(text.encode("utf-8", "surrogatepass"))


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statements inside a compound statement, block by block."""
    kind = node.__class__
    if kind in SIMPLE:
        return
    for field in ("body", "orelse", "finalbody"):
        if field in kind._fields and (block := getattr(node, field)):
            yield block
    if "handlers" in kind._fields:
        for handler in node.handlers:  # type: ignore[attr-defined]
            yield handler.body
    if isinstance(node, ast.Match):
        for case in node.cases:
            yield case.body


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return node.decorator_list if node.__class__ in _DECORATED else []  # type: ignore[attr-defined]


def _first_line(node: ast.stmt) -> int:
    decorators = _decorators(node)
    return min(node.lineno, *(each.lineno for each in decorators)) if decorators else node.lineno


_WHOLE: Final = Section("", 1, 0)

_DECORATED: Final = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})

SIMPLE: Final = frozenset({
    ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Raise, ast.Assert, ast.Delete,
    ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Pass, ast.Break, ast.Continue,
})  # fmt: skip
"""Statements that hold no others: most of them."""

LEAVING: Final = (ast.Return, ast.Raise, ast.Break, ast.Continue)
"""Statements behind which nothing of their block is run."""
