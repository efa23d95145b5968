"""One file that is being fixed: its text, its syntax tree, and how to find the way between them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from xlalint.fixing.bindings import Scopes
from xlalint.fixing.nodes import children
from xlalint.lazy.site import Site
from xlalint.sources.file import SourceFile, split_lines

if TYPE_CHECKING:
    from xlalint.fixing.callees import Callees

Block = list[ast.stmt]
MARKERS = frozenset({"mark_step", "sync"})


class Module:
    """A text with its syntax tree. Offsets count characters of the text, without a byte order mark."""

    def __init__(
        self, file: SourceFile, tree: ast.Module, callees: Callees | None = None,
        taken: Callable[[], Collection[str]] = tuple,
    ) -> None:  # fmt: skip
        """What is parsed.

        Args:
            file: The file.
            tree: Its syntax tree.
            callees: The functions of the project, for rewrites that ask what those do that they move.
            taken: Says which of its names other files take.
        """
        self.file = file
        self.callees = callees
        self._taken = taken
        self._beside: dict[str, Module] = {}
        self.text = file.text
        self.tree = tree

    def is_taken(self, name: str) -> bool:
        """Whether another file may take a name from this one."""
        return not {name, "*"}.isdisjoint(self._taken())

    def beside(self, path: str) -> Module:
        """Another file, which changes together with this one.

        Raises:
            Refused: it may not be changed.
        """
        if path not in self._beside:
            assert self.callees is not None
            self._beside[path] = self.callees.module(path)
        return self._beside[path]

    # Places -------------------------------------------------------------------------------------

    @cached_property
    def _starts(self) -> list[int]:
        """The offset at which each line starts."""
        starts, position = [0], 0
        text = self.text
        for line in split_lines(text):
            position += len(line)
            position += 2 if text.startswith("\r\n", position) else 1
            starts.append(position)
        return starts

    def offset(self, line: int, column: int) -> int:
        """The offset of a 1-based line and a 0-based column in UTF-8 bytes, as the tree counts."""
        return self._starts[line - 1] + self.file.position(line, column).column - 1

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where the text of a statement or expression starts and ends; decorators belong to it."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        start = self.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        if decorators:
            start = self.text.rindex("@", 0, self.offset(decorators[0].lineno, decorators[0].col_offset))
        return start, self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def source(self, node: ast.AST) -> str:
        """The text of a statement or expression."""
        start, end = self.span(node)
        return self.text[start:end]

    @property
    def newline(self) -> str:
        """The line end that the file uses; of several, the first."""
        found = self.text.find("\n")
        if found < 0:
            return "\r" if "\r" in self.text else "\n"
        return "\r\n" if self.text.startswith("\r\n", found - 1) else "\n"

    # Lines --------------------------------------------------------------------------------------

    def line_start(self, offset: int) -> int:
        """Where the line begins in which an offset stands."""
        if self.text.startswith("\r\n", offset - 1):
            offset -= 1
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def line_end(self, offset: int) -> int:
        """Where that line ends, without its line end."""
        found = (self.text.find(end, offset) for end in "\r\n")
        return min((at for at in found if at >= 0), default=len(self.text))

    def next_line(self, offset: int) -> int:
        """Where the line below begins."""
        end = self.line_end(offset)
        return end + (2 if self.text.startswith("\r\n", end) else 1 if end < len(self.text) else 0)

    def rest_of_line(self, offset: int) -> str:
        """What stands behind an offset on its line, without the blanks around."""
        return self.text[offset : self.line_end(offset)].strip()

    def indent(self, offset: int) -> str | None:
        """The blanks before an offset on its line; None if there is more than blanks."""
        before = self.text[self.line_start(offset) : offset]
        return None if before.strip() else before

    def lines_of(self, start: int, end: int) -> tuple[int, int] | None:
        """The whole lines of a stretch of text, if nothing else stands on them but a comment behind it."""
        rest = self.rest_of_line(end)
        if self.indent(start) is None or (rest and not rest.startswith("#")):
            return None
        return self.line_start(start), self.next_line(end)

    # Nodes --------------------------------------------------------------------------------------

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """What each node stands in."""
        found: dict[ast.AST, ast.AST] = {}
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            inside = children(node)
            found.update(dict.fromkeys(inside, node))
            waiting += inside
        return found

    @cached_property
    def scopes(self) -> Scopes:
        """Which names are bound where."""
        return Scopes(self.tree)

    @cached_property
    def strings(self) -> list[tuple[str, bool]]:
        """All strings in which a name of the file may be meant, with whether one alone names an attribute.

        Of docstrings these are the lines of examples.
        """
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        found: list[tuple[str, bool]] = []
        for node, parent in self.parents.items():
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                continue
            above = self.parents.get(parent)
            if isinstance(parent, ast.Expr) and isinstance(above, documented):
                lines = map(str.strip, node.value.splitlines())
                found += ((line, False) for line in lines if line.startswith((">>>", "...")))
                continue
            is_second = isinstance(parent, ast.Call) and any(each is node for each in parent.args[1:2])
            is_listed = isinstance(above, ast.Assign | ast.AugAssign) and "__all__" in ast.unparse(above)
            found.append((node.value, is_second or is_listed))
        return found

    @cached_property
    def imports(self) -> dict[str, str]:
        """What imports bind, anywhere in the file: names, with what they stand for."""
        found = {}
        for node in statements(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.split(".")[0]
                    found[name] = alias.name if alias.asname else name
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, from the inside out."""
        while node is not self.tree:
            node = self.parents[node]
            yield node

    def outermost(self, node: ast.AST) -> ast.stmt:
        """The outermost statement that holds a node, or is it."""
        while (parent := self.parents[node]) is not self.tree:
            node = parent
        assert isinstance(node, ast.stmt)
        return node

    def at(self, site: Site) -> ast.AST | None:
        """The outermost node with exactly the place of a site."""
        place = (site.line, site.column, site.end_line, site.end_column)
        for node in self._holding(site):
            if place == (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset):  # type: ignore[attr-defined]
                return node
        return None

    def statement(self, site: Site) -> ast.stmt | None:
        """The innermost statement that holds a site; None of one in another file."""
        if site.path != str(self.file.path):
            return None
        found = [node for node in self._holding(site) if isinstance(node, ast.stmt)]
        return found[-1] if found else None

    def _holding(self, site: Site) -> Iterator[ast.AST]:
        """The nodes that hold a site, from the outside in."""
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            for node in children(waiting.pop()):
                if not hasattr(node, "lineno"):
                    waiting.append(node)
                elif _holds(node, site):
                    yield node
                    waiting.append(node)

    def block(self, statement: ast.stmt) -> Block:
        """The statements among which one stands."""
        parent = self.parents[statement]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
        raise LookupError("a statement stands in no block")

    def member(self, statement: ast.AST, block: Block) -> ast.stmt | None:
        """The statement of a block that holds a node, or is it."""
        for node in (statement, *self.around(statement)):
            if isinstance(node, ast.stmt) and any(node is each for each in block):
                return node
        return None


def position(node: ast.AST) -> tuple[int, int]:
    """Where a node begins, as what comes earlier in the text is less."""
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def called(node: ast.AST) -> str:
    """The last name of what is called; empty where nothing is."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def is_marker(statement: ast.stmt) -> bool:
    """Whether it is a call that ends a step, by its name."""
    return isinstance(statement, ast.Expr) and called(statement.value) in MARKERS


def waits(marker: ast.stmt) -> bool:
    """Whether a marker waits until its graph is handed over to the device."""
    call = marker.value if isinstance(marker, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    given = [*call.args[:1], *(each.value for each in call.keywords if each.arg in ("wait", None))]
    return any(not (isinstance(each, ast.Constant) and each.value is False) for each in given)


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements in a node, from the outside in; expressions are not looked at."""
    waiting = [node]
    while waiting:
        for block in blocks(waiting.pop()):
            for each in block:
                if isinstance(each, ast.stmt):
                    yield each
                waiting.append(each)


def blocks(node: ast.AST) -> Iterator[list[ast.AST]]:
    """The blocks of a statement, and what else holds some: handlers and cases."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _holds(node: ast.AST, site: Site) -> bool:
    start = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
    for each in getattr(node, "decorator_list", ()):
        start = min(start, (each.lineno, each.col_offset))
    end = (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return start <= (site.line, site.column) and (site.end_line, site.end_column) <= end
