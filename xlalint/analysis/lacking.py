"""Names that a module surely lacks, and attributes that the objects of a class do, as nothing gives them any.

That is judged by the files of the module, or of the class and its bases, and by the one that asks: so it is
the same whatever else is analyzed.
"""

from __future__ import annotations

import ast
import builtins
import sys
from typing import Final

from xlalint.knowledge.methods import NAMING_PARTS
from xlalint.knowledge.outside import PARSES_ALL, chooses_xla
from xlalint.program.outline import (
    ADDS_OPTION,
    SCOPES,
    Class,
    Import,
    Outline,
    dotted,
    last_name,
    stands_in,
    within_lines,
)
from xlalint.program.project import BINDING_ANY_NAME
from xlalint.remembering import remembered
from xlalint.sources.file import NOTEBOOK
from xlalint.writing import written


def scopes_binding(name: str, outline: Outline) -> tuple[tuple[int, int], ...] | None:
    """The first and last lines of the functions and classes in a module that bind a name for themselves.

    Around these it means nothing. None where the module may bind it for all: what a cell of a notebook leaves
    out here, such as its magic commands, may do so.
    """
    if outline.star_imports or outline.is_framework:
        return None
    if outline.path.suffix == NOTEBOOK or any(word in outline.text for word in BINDING_ANY_NAME):
        return None
    lines = outline.lines_with((name,))
    found: list[tuple[int, int]] = []
    stack: list[tuple[ast.AST, ast.AST]] = [(outline.tree, outline.tree)]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, ast.stmt) and not stands_in(node, lines):
            continue
        if _binds(node, name):
            if scope is outline.tree or isinstance(node, ast.Global):
                return None
            found.append((getattr(scope, "lineno", 0), getattr(scope, "end_lineno", None) or sys.maxsize))
        if isinstance(node, ast.NamedExpr) and _binds(node.target, name):
            return None  # in a comprehension it binds a name of what is around that
        inner = node if isinstance(node, SCOPES) else scope
        stack += [(part, inner) for part in ast.iter_child_nodes(node)]
    return tuple(found)


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case (
            ast.Name(id=bound, ctx=ast.Store() | ast.Del())
            | ast.arg(arg=bound)
            | ast.MatchMapping(rest=bound)
        ):
            return bound == name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return any((each.asname or each.name.partition(".")[0]) == name for each in names)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return name in names
    return getattr(node, "name", None) == name  # functions, classes, errors that are caught, patterns


def lacks_option(outline: Outline, name: str) -> bool:
    """Whether what a module parses of the command line surely has no option of a name."""
    named = _named_for_options(outline)
    return named is not None and name not in named and not name.startswith("_")


@remembered(256)
def _named_for_options(outline: Outline) -> frozenset[str] | None:
    """The names that a module says anywhere but where it asks for an attribute: its options are among these.

    None where options may be added in another way than one by one, or by somebody else who gets them.
    """
    if outline.path.suffix == NOTEBOOK or outline.star_imports or outline.mentions(_ADDING_OTHERWISE):
        return None
    if any(word in outline.text for word in BINDING_ANY_NAME):
        return None
    nodes = list(ast.walk(outline.tree))
    parsers = {each for node in nodes if (each := _named_parser(node, outline)) is not None}
    parsed = {each for node in nodes if (each := _named_options(node, parsers)) is not None}
    if "" in parsers or "" in parsed or not (parsers and parsed):
        return None
    own = {function.name for function in outline.functions.values()}
    said: set[str] = set()
    kept: set[ast.expr] = set()
    for node in nodes:
        match node:
            case ast.Attribute(value=of, attr=name, ctx=context):
                kept.add(of)
                if not isinstance(context, ast.Load):
                    said.add(name)
            case ast.Constant(value=str(text)):
                said.add(text.lstrip("-").replace("-", "_"))
            case ast.keyword(arg="args", value=ast.Tuple(elts=given)):  # of a launch
                kept.update(given)
            case ast.keyword(arg=str(name)):
                said.add(name)
            case ast.Call(func=ast.Attribute(attr=method), args=flags) if method == ADDS_OPTION:
                if not flags or not all(isinstance(flag, ast.Constant) for flag in flags):
                    return None
            case ast.Call(func=ast.Name(id=called), args=given):
                if called in own or called in _SHOWING:
                    kept.update(given)
    held = parsers | parsed
    if any(
        isinstance(node, ast.Name) and node.id in held and node.ctx.__class__ is ast.Load and node not in kept
        for node in nodes
    ):
        return None
    return frozenset(said)


def _named_parser(node: ast.AST, outline: Outline) -> str | None:
    """The name that is bound to a parser of the command line; empty where one is made in another way."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made)):
            return name if last_name(made) == _PARSER else None  # the call is a node of its own
        case ast.Call(func=made, keywords=keywords) if last_name(made) == _PARSER:
            if any(each.arg in _TAKEN_OVER for each in keywords) or not _is_of_argparse(made, outline):
                return ""
    return None


def _is_of_argparse(made: ast.expr, outline: Outline) -> bool:
    bound = outline.bindings.get(dotted(made).partition(".")[0], ())
    return [each.target for each in bound if isinstance(each, Import)] in (
        ["argparse"],
        [f"argparse.{_PARSER}"],
    )


def _named_options(node: ast.AST, parsers: set[str]) -> str | None:
    """The name that is bound to what a parser returns; empty where it is used in another way."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(value=of, attr=method))
        ):
            if method == PARSES_ALL:
                return name if dotted(of) in parsers else ""
    return None


def makes(outline: Outline, cls: str) -> bool:
    """Whether a module makes an object of a class of this name."""
    near = within_lines(outline.tree, outline.lines_with((cls,)))
    return any(isinstance(node, ast.Call) and last_name(node.func) == cls for node in near)


def may_give(outline: Outline, cls: str, name: str) -> bool:
    """Whether a module may give an attribute to objects of a class of this name, or asks if they have it.

    A class in it derives from that one, it assigns the attribute of some object, or has the name as a text.
    """
    if outline.mentions(_BY_ANY_NAME) or _names_parts(outline):
        return True
    if any(last_name(base) == cls for each in outline.classes.values() for base in each.bases):
        return True
    for node in within_lines(outline.tree, outline.lines_with((name,))):
        match node:
            case ast.Attribute(value=of, attr=attribute, ctx=ast.Store() | ast.Del()) if attribute == name:
                if last_name(of) != "self":
                    return True
            case ast.Constant(value=value) if value == name:
                return True
    return False


def sets(outline: Outline, name: str) -> bool | None:
    """Whether a module sets an attribute of some object from outside to False for XLA, in a function or under
    a test that says so; None where it does not set it at all."""
    near = [*within_lines(outline.tree, outline.lines_with((name,)))]
    if not any(_is_set(node, name) for node in near if isinstance(node, ast.Attribute)):
        return None
    return any(
        _turns_off(statement, name)
        for node in near
        if (isinstance(node, ast.FunctionDef) and chooses_xla(node.name))
        or (isinstance(node, ast.If) and _is_for_xla(node.test))
        for statement in node.body
    )


def _is_for_xla(test: ast.expr) -> bool:
    return not isinstance(test, ast.UnaryOp) and chooses_xla(written(test))


def _is_set(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Attribute(value=of, attr=attribute, ctx=ast.Store()):
            return attribute == name and last_name(of) != "self"
    return False


def _turns_off(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=targets, value=ast.Constant(value=False)):
            return any(_is_set(target, name) for target in targets)
    return False


def _names_parts(outline: Outline) -> bool:
    """Whether a module registers parts of a module of torch under names that no text says."""
    near = within_lines(outline.tree, outline.lines_with(NAMING_PARTS))
    return any(
        isinstance(node, ast.Call)
        and last_name(node.func) in NAMING_PARTS
        and not (node.args and isinstance(node.args[0], ast.Constant))
        for node in near
    )


def defines(cls: Class, name: str) -> bool:
    """Whether a class gives its objects an attribute: by its body, or in a method."""
    known = cls.gives.get(name)  # each class that derives from it asks anew
    if known is None:
        known = cls.gives[name] = _defines(cls, name)
    return known


def _defines(cls: Class, name: str) -> bool:
    if not ANSWERING.isdisjoint(cls.methods):
        return True
    for node in within_lines(cls.node, cls.outline.lines_with((name,))):
        match node:
            case ast.Attribute(attr=bound, ctx=ast.Store()) | ast.Name(id=bound, ctx=ast.Store()):
                if bound == name:
                    return True
            case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
                if bound == name:
                    return True
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                if any((each.asname or each.name) == name for each in names):
                    return True
    return False


DEFINED: Final = frozenset(dir(builtins)) | {
    "WindowsError", "_", "copyright", "credits", "display", "exit", "get_ipython", "license", "profile",
    "quit",
}  # fmt: skip
"""Names that are there in every module: of the language, of its interactive use, and what others commonly put
there."""

ANSWERING: Final = frozenset({"__getattr__", "__getattribute__"})
"""Methods that are asked for what an object does not hold: they may answer for any name."""

_PARSER: Final = "ArgumentParser"
_TAKEN_OVER: Final = ("parents", "argument_default", None)
"""What gives a parser options that another one has, or takes those away that nobody sets."""
_SHOWING: Final = ("print", "str")
_ADDING_OTHERWISE: Final = frozenset({
    "add_subparsers", "set_defaults", "setattr", "parse_known_args", "namespace", "__dict__", "Namespace",
})  # fmt: skip
"""Where a program names one of these, its options may be others than it adds one by one."""

_BY_ANY_NAME: Final = ANSWERING | {"setattr", "vars", "__dict__", "__setattr__"}
"""Where a program names one of these, its objects may hold what no class says."""
