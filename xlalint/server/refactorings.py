"""What may be done to good code at a place: step scopes and compiled functions, by the rewriters of fixes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xlalint.cure import CompileFunction, Cure, MoveBelow, WrapBody
from xlalint.fixing.places import opens_step
from xlalint.lazy.site import site_of
from xlalint.program.parsing import parse_file
from xlalint.server.analysis import source_of
from xlalint.server.documents import Snapshot

_NAME = "torch_xla"


def offered(text: Snapshot, line: int) -> list[Cure]:
    """What may be worth doing at a 1-based line; whether the text allows it is seen when it is chosen."""
    source = source_of(text)
    if _NAME not in source.text:
        return []
    tree = parse_file(source)
    return [*_offered(tree, text.path, line)] if isinstance(tree, ast.Module) else []


def _offered(tree: ast.Module, path: str, line: int) -> Iterator[Cure]:
    around = [*_around(tree, line)]
    for node in around:
        is_header = node.lineno <= line < _first_of_body(node)
        if isinstance(node, ast.For | ast.While) and is_header and not any(map(opens_step, around)):
            yield WrapBody(site_of(path, node))
        if isinstance(node, ast.FunctionDef) and is_header and not node.decorator_list:
            yield CompileFunction(site_of(path, node), title="Compile this function by `torch_xla.compile`")
    scope = next((node for node in reversed(around) if opens_step(node)), None)
    if isinstance(scope, ast.With) and around[-1] is not scope:
        inner = around[around.index(scope) + 1]
        opening = scope.items[0].context_expr
        yield MoveBelow(site_of(path, inner), site_of(path, opening), title="Move this below the step")


def _around(tree: ast.Module, line: int) -> Iterator[ast.stmt]:
    """The statements that hold a line, the outermost first."""
    body: list[ast.stmt] = tree.body
    while True:
        here = next((each for each in body if each.lineno <= line <= (each.end_lineno or each.lineno)), None)
        if here is None:
            return
        yield here
        body = [node for node in ast.iter_child_nodes(here) if isinstance(node, ast.stmt)]
        body += [each for handler in getattr(here, "handlers", ()) for each in handler.body]


def _first_of_body(node: ast.stmt) -> int:
    body = getattr(node, "body", None)
    return body[0].lineno if body else (node.end_lineno or node.lineno) + 1
