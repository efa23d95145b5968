"""Imports that are added: where, with which others, and what else binds or declares their names."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from xlalint.fixing.bindings import Scope
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, position
from xlalint.fixing.nodes import walk
from xlalint.fixing.presence import none_where_missing, reaches
from xlalint.fixing.rewrite import Refused

_PRAGMA = re.compile(r"#\s*(?:noqa:|type:|pylint:|isort:|pyright:|ruff:)")
UNUSED_ON_PURPOSE = re.compile(r"#\s*noqa\b(?!\s*:)|#\s*noqa\s*:[^#]*\bF401\b", re.IGNORECASE)


class New(NamedTuple):
    """An import that must be added beside another one.

    Args:
        scope: Where it binds its name.
    """

    beside: ast.stmt
    scope: Scope
    text: str
    package: str = ""
    """Of `from package import ...`, which may join another import."""
    names: str = ""

    @property
    def binds(self) -> str:
        """The name that it binds."""
        return self.text.split()[-1].partition(".")[0]

    def brings_what(self, other: New) -> bool:
        """Whether both bind the same name to the same, in whatever words."""
        one, two = (each.text.removeprefix("from ").replace(" import ", ".") for each in (self, other))
        return one.removeprefix("import ") == two.removeprefix("import ")

    @property
    def is_above(self) -> bool:
        """Whether it comes above that."""
        return self.order < _order(self.beside)

    @property
    def order(self) -> tuple[bool, str]:
        """Where isort would have it, which puts `from` below."""
        return bool(self.package), self.package or self.text.split()[1]


def added(module: Module, new: Iterable[New]) -> tuple[Edit, ...]:
    """The edits that add imports, each thing once: merged, and with what else they ask of their place.

    Raises:
        Refused: one would bind its name for another function.
    """
    kept: list[New] = []
    for each in sorted(new, key=lambda one: position(one.beside)):
        if not any(
            each.brings_what(one)
            and (one.beside is each.beside or reaches(module, one.beside, one.scope, each.beside))
            for one in kept
        ):
            kept.append(each)
    places: dict[tuple[ast.stmt, bool], set[str]] = defaultdict(set)
    joined: dict[ast.ImportFrom, set[str]] = defaultdict(set)
    for each in kept:
        other = _to_join(module, each)
        if other is not None:
            joined[other].add(each.names)
        else:
            places[_next_to(module, each), each.is_above].add(each.text)
    edits = [
        _beside(module, statement, sorted(texts, key=_in_order), above)
        for (statement, above), texts in places.items()
    ]
    edits += [_joining(module, statement, sorted(names)) for statement, names in joined.items()]
    edits += _declared(module, kept)
    edits += _none_where_missing(module, kept)
    return tuple(edits)


def _next_to(module: Module, new: New) -> ast.stmt:
    """The import that a new one comes directly above or below.

    Where those above the one beside which it comes are in order, it comes above all that go below it there.
    """
    found = new.beside
    if not new.is_above:
        return found
    block = module.block(found)
    for other in reversed(block[: block.index(found)]):
        if not isinstance(other, ast.Import | ast.ImportFrom) or other.end_lineno != found.lineno - 1:
            break
        if other.names[0].name == "*" or not new.order < _order(other) <= _order(found):
            break  # What all names of a module are may bind this one anew.
        found = other
    return found


def _declared(module: Module, new: Iterable[New]) -> Iterator[Edit]:
    """The edits that make names global which a function imports for all: as it declares the one beside."""
    names: dict[ast.Global, list[str]] = defaultdict(list)
    for each in new:
        scope = module.scopes.around(each.beside, module.parents)
        if scope is each.scope:
            continue
        bound = {imported.name for imported, _ in module.scopes.imports if imported.statement is each.beside}
        declarations = [node for node in walk(scope.node) if isinstance(node, ast.Global)]
        declared = next((node for node in declarations if not bound.isdisjoint(node.names)), None)
        if declared is None:
            raise Refused(f"line {each.beside.lineno} imports for another function")
        if each.binds not in names[declared] and each.binds not in declared.names:
            names[declared].append(each.binds)
    for declaration, added_names in names.items():
        end = module.span(declaration)[1]
        yield Edit(end, end, "".join(f", {name}" for name in added_names))


def _none_where_missing(module: Module, new: Iterable[New]) -> Iterator[Edit]:
    """The edits that make names None where an import has failed: as those of the one beside are there."""
    names: dict[ast.Assign, list[str]] = defaultdict(list)
    for each in new:
        for assignment in none_where_missing(module, each.beside):
            if not each.scope.binds(each.binds) and each.binds not in names[assignment]:
                names[assignment].append(each.binds)
    for assignment, bound in names.items():
        start = module.span(assignment)[0]
        yield Edit(start, start, "".join(f"{name} = " for name in sorted(bound)))


def _in_order(text: str) -> tuple[bool, str]:
    return text.startswith("from"), text


def _to_join(module: Module, new: New) -> ast.ImportFrom | None:
    """An import from the same package in the same block."""
    for other in module.block(new.beside) if new.package else ():
        if isinstance(other, ast.ImportFrom) and not other.level and other.module == new.package:
            return other if other.names[0].name != "*" else None
    return None


def _joining(module: Module, statement: ast.ImportFrom, names: Sequence[str]) -> Edit:
    *_, last = statement.names
    start, end = module.span(last)
    indent = module.indent(start)
    is_own_line = last.lineno > statement.lineno and indent is not None
    between = f",{module.newline}{indent}" if is_own_line else ", "
    return Edit(end, end, "".join(f"{between}{name}" for name in names))


def _beside(module: Module, statement: ast.stmt, texts: Sequence[str], above: bool) -> Edit:
    """New statements directly above or below one: on lines of their own, if that has one."""
    start, end = module.span(statement)
    rest = module.rest_of_line(end)
    indent = module.indent(start)
    if indent is None or (rest and not rest.startswith("#")):
        together = "; ".join(texts)
        return Edit(start, start, f"{together}; ") if above else Edit(end, end, f"; {together}")
    pragma = f"  {rest}" if _PRAGMA.match(rest) and not UNUSED_ON_PURPOSE.match(rest) else ""
    lines = [f"{indent}{text}{pragma}" for text in texts]
    if above:
        start -= len(indent)
        return Edit(start, start, "".join(f"{line}{module.newline}" for line in lines))
    end = module.line_end(end)
    return Edit(end, end, "".join(f"{module.newline}{line}" for line in lines))


def _order(statement: ast.stmt) -> tuple[bool, str]:
    return isinstance(statement, ast.ImportFrom), _imported_module(statement)


def _imported_module(statement: ast.stmt) -> str:
    if isinstance(statement, ast.ImportFrom):
        return f"{'.' * statement.level}{statement.module or ''}"
    return statement.names[0].name if isinstance(statement, ast.Import) else ""
