"""Where in the user's own code the program is, and what is written there."""

from __future__ import annotations

import ast
import dis
import linecache
import re
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple, TypeGuard

from xlalint.lazy.site import Site, site_of
from xlalint.spelling import change_on_cpu, spelling


class UserFrame(NamedTuple):
    """One frame of the user's code.

    Args:
        site: Where it is now.
        code: The function that it runs.
        call: Tells this call of the function from others that have not returned.
        loops: The loops of the function that it is in, the outermost first.
    """

    site: Site
    code: CodeType
    call: int = 0
    loops: tuple[Site, ...] = ()


Chain = tuple[UserFrame, ...]
"""The user's frames, from the outside to the one that the event is in."""


def user_chain() -> Chain:
    """The frames of this thread's stack that are the user's own."""
    return chain_of(sys._getframe(1))


def chain_of(frame: FrameType | None) -> Chain:
    """Those of this frame and of all that called it."""
    found = []
    goes_on = False
    while frame is not None:  # In each step several times: so no helper is called for each frame.
        code = frame.f_code
        if is_user_file(code.co_filename):
            at = frame.f_lasti
            if not goes_on:
                try:
                    found.append(UserFrame(_site_of(code, at), code, id(frame), _loops_at(code, at)))
                except TypeError:
                    found.append(_frame_of_dynamo(frame))
            goes_on = code.co_name.startswith(_GOES_ON)
        frame = frame.f_back
    return tuple(reversed(found))


def _frame_of_dynamo(frame: FrameType) -> UserFrame:
    """A frame of code that Dynamo has made, whose constants cannot be hashed."""
    line, code = frame.f_lineno, frame.f_code.replace(co_consts=())
    return UserFrame(Site(code.co_filename, line, 0, line), code, id(frame))


def frames_below_user() -> Iterator[FrameType]:
    """The library's frames between the hook and the innermost frame of the user, from the inside."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if is_user_file(name):
            return
        if not name.startswith(_OURS):
            yield frame
        frame = frame.f_back


def calls_of(function: str, file: str) -> int:
    """How many calls of a function of a library this thread is inside of."""
    calls = 0
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        calls += code.co_name == function and code.co_filename == file
        frame = frame.f_back
    return calls


def is_tracing() -> bool:
    """Whether Dynamo is at work: what it does while it traces is none of the program's doing."""
    return any("/_dynamo/" in frame.f_code.co_filename for frame in frames_below_user())


def is_at_for() -> bool:
    """Whether the innermost frame of the user is at the head of a `for`, fetching its next item."""
    frame = next((frame for frame in _stack() if is_user_file(frame.f_code.co_filename)), None)
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == _FOR_ITER


@cache
def is_user_file(name: str) -> bool:
    """Whether a file is neither Python's, nor an installed package's, nor ours."""
    return not (name.startswith(("<", *_LIBRARIES, _OURS)) or any(each in name for each in _INSTALLED))


def site_in(frame: FrameType) -> Site:
    """Where the function of a frame is now."""
    return _site_of(frame.f_code, frame.f_lasti)


def callee(site: Site) -> str:
    """The dotted name of the function that the call at `site` calls; empty where there is none."""
    match = re.match(r"\s*([A-Za-z_][\w.]*(?:\(\))?[\w.]*)\s*\(", source(site))
    return match[1] if match else ""


def source(site: Site) -> str:
    """The text at `site`, or its whole line where only the line is known."""
    line = linecache.getline(site.path, site.line)
    if not site.end_column:
        return line
    encoded = line.encode()
    if site.end_line > site.line:
        return encoded[site.column :].decode(errors="replace")
    return encoded[site.column : site.end_column].decode(errors="replace")


def written(site: Site) -> str:
    """What the program wrote at `site`, as messages show it; empty where only the line is known."""
    return _expressions(site.path).get(_extent(site), "")


def changed_on_cpu(site: Site) -> str:
    """What changes a tensor on the CPU at `site`, as messages show it; empty where that is not known."""
    return _changes(site.path).get(_extent(site), "")


def statement(site: Site) -> str:
    """The statement that begins on this line, or of one that holds others its first line."""
    return _statements(site.path).get(site.line) or linecache.getline(site.path, site.line).strip()


def leaving(site: Site) -> str | None:
    """How the statement on this line leaves a loop: break, return or raise; None: not at all."""
    return _leaving_lines(site.path).get(site.line)


def test_of(site: Site) -> Site | None:
    """The innermost test of its function that decides whether the line of `site` is reached."""
    return _tests(site.path).get(site.line)


def definition(code: CodeType) -> Site | None:
    """Where a function of the user is defined, without its decorators."""
    for node in ast.walk(parsed(code.co_filename)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return site_of(code.co_filename, node)
    return None


def is_closure_argument(site: Site) -> bool:
    """Whether what stands at `site` is computed to be handed to a step closure."""
    return any(
        (start.line, start.column) <= (site.line, site.column) < (start.end_line, start.end_column)
        for start in _closure_arguments(site.path)
    )


@cache
def _loops_at(code: CodeType, instruction: int) -> tuple[Site, ...]:
    """The loops that an instruction of a function is in, the outermost first."""
    site = _site_of(code, instruction)
    fetches = code.co_code[instruction] == _FOR_ITER
    return tuple(
        loop.site
        for loop in _loops(code.co_filename)
        if loop.first <= site.line <= loop.last
        and code.co_firstlineno <= loop.site.line
        and loop.function == code.co_name
        # What stands in the head of a `for` is computed once, before it.
        and (site.line >= loop.body or fetches or loop.is_while)
    )


@cache
def goes_over(site: Site) -> Site | None:
    """What the innermost `for` of its function goes over that `site` stands in; None: it stands in none."""
    loops = [node for node in ast.walk(parsed(site.path)) if _holds(node, site)]
    inner = max(loops, key=lambda node: node.lineno, default=None)
    return site_of(site.path, inner.iter) if isinstance(inner, ast.For) else None


def begins(site: Site) -> Site | None:
    """What the `for` goes over that `site` is; None: it is none."""
    loops = [node for node in ast.walk(parsed(site.path)) if isinstance(node, (ast.For, ast.AsyncFor))]
    return next((site_of(site.path, each.iter) for each in loops if each.lineno == site.line), None)


def _holds(node: ast.AST, site: Site) -> TypeGuard[ast.stmt]:
    """Whether a place is in the body of a loop, or of a function."""
    if not isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return node.body[0].lineno <= site.line <= (node.end_lineno or node.lineno)


class _Loop(NamedTuple):
    """A loop: its place, the lines of head and body, the first of the body, and the function it is in."""

    site: Site
    first: int
    last: int
    body: int
    is_while: bool
    function: str


@cache
def _loops(path: str) -> list[_Loop]:
    found: list[_Loop] = []

    def look(node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.For, ast.AsyncFor, ast.While)):
                last = child.body[-1].end_lineno or child.lineno
                is_while = isinstance(child, ast.While)
                body = child.body[0].lineno
                found.append(_Loop(site_of(path, child), child.lineno, last, body, is_while, function))
            inner = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
            look(child, inner)

    look(parsed(path), "<module>")
    return found


_Extent = tuple[int, int, int | None, int | None]


def _extent(place: Site | ast.expr | ast.stmt) -> _Extent:
    if isinstance(place, Site):
        return place.line, place.column, place.end_line, place.end_column
    return place.lineno, place.col_offset, place.end_lineno, place.end_col_offset


@cache
def _expressions(path: str) -> dict[_Extent, str]:
    found: dict[_Extent, str] = {}
    for node in ast.walk(parsed(path)):  # From the outside: an inner expression says more of the same place.
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
                # CPython asks for the truth of it at the place of the whole, or of the test.
                found[_extent(node)] = found[_extent(test)] = _asked(_KEYWORDS[type(node)], test)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                found[_extent(operand)] = _asked("", node)
            case ast.BoolOp(values=operands):
                found.update((_extent(operand), spelling(operand)) for operand in operands)
            case ast.JoinedStr(values=parts):
                formatted = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
                if len(formatted) == 1:
                    found[_extent(node)] = f"f-string of {spelling(formatted[0])}"
            case ast.BinOp(op=ast.Mod()):
                found.setdefault(_extent(node), "%-formatting")
            case ast.Call() | ast.Subscript():
                found.setdefault(_extent(node), spelling(node))
    return found


@cache
def _changes(path: str) -> dict[_Extent, str]:
    places = (node for node in ast.walk(parsed(path)) if isinstance(node, ast.stmt | ast.expr))
    return {_extent(node): shown for node in places if (shown := change_on_cpu(node))}


_KEYWORDS: dict[type[ast.AST], str] = {
    ast.If: "if", ast.IfExp: "if", ast.While: "while", ast.Assert: "assert",
}  # fmt: skip


def _asked(keyword: str, test: ast.expr) -> str:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return f"not {spelling(test.operand)}"
    return f"{keyword} {spelling(test)}"


@cache
def _tests(path: str) -> dict[int, Site]:
    found: dict[int, Site] = {}

    def look(block: list[ast.stmt], test: ast.expr | None) -> None:
        for statement in block:
            for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
                if test is not None:
                    found[line] = site_of(path, test)
                else:
                    found.pop(line, None)
            inner = None if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) else test
            if isinstance(statement, ast.If):
                inner = statement.test
                if isinstance(statement.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                    test = statement.test  # What follows is reached by those only that went on.
            for part in ("body", "orelse", "finalbody"):
                look(getattr(statement, part, []), inner)
            for arm in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                look(arm.body, inner)

    look(parsed(path).body, None)
    return found


@cache
def _statements(path: str) -> dict[int, str]:
    return {
        node.lineno: ast.unparse(node).partition("\n")[0]
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.stmt)
    }


@cache
def _closure_arguments(path: str) -> list[Site]:
    return [
        site_of(path, argument)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "add_step_closure"
        # The closure itself may be a partial, whose arguments are computed as early.
        for argument in (*node.args, *(k.value for k in node.keywords))
        if not isinstance(argument, ast.Lambda)
    ]


@cache
def _leaving_lines(path: str) -> dict[int, str]:
    words = {ast.Break: "break", ast.Return: "return", ast.Raise: "raise"}
    return {
        line: words[type(node)]
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.Break, ast.Return, ast.Raise))
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


@cache
def parsed(path: str) -> ast.Module:
    """The tree of a file; an empty one where it cannot be read."""
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:  # A file that has changed since it was imported.
        return ast.Module([], [])


def _stack() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


@cache
def _site_of(code: CodeType, instruction: int) -> Site:
    path = code.co_filename
    if sys.version_info >= (3, 11):
        line, end_line, column, end_column = _positions(code)[instruction // 2]
        if line is not None and end_line is not None and column is not None and end_column is not None:
            return Site(path, line, column, end_line, end_column)
    started = [line for start, _, line in code.co_lines() if start <= instruction and line is not None]
    line = started[-1] if started else code.co_firstlineno
    return Site(path, line, 0, line)


if sys.version_info >= (3, 11):

    @cache
    def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
        return list(code.co_positions())


_GOES_ON = "torch_dynamo_resume_in_"
"""So Dynamo names what goes on with a function of the user's, which is its caller."""
_FOR_ITER = dis.opmap["FOR_ITER"]
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_INSTALLED = ("/site-packages/", "/dist-packages/")
"""Packages may stand elsewhere, too: in the home of the user, or where an environment was made from."""
_OURS = str(Path(__file__).parent)
