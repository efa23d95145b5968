"""Where a program that nothing brings torch_xla to asks for a device of XLA."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from typing import TypeAlias

from xlalint.lazy.assumptions import NONE, assume
from xlalint.lazy.events import DeviceUnregistered
from xlalint.lazy.site import site_of
from xlalint.sources.usage import is_device
from xlalint.spelling import spelling

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def devices_unregistered(
    tree: ast.Module, path: str, unknown: Collection[str]
) -> Iterator[DeviceUnregistered]:
    """The first place where a file asks for a device that PyTorch does not know there.

    A file without a main part may be imported by a program that brings torch_xla, and is passed over. So is
    what an exception handler is there for.

    Args:
        tree: The file.
        path: What the site of the event names as its file.
        unknown: The packages that the file imports and of which it is not known that they bring nothing.
    """
    if not any(_is_main_part(statement) for statement in tree.body):
        return
    handled = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    calls = [*_asking(tree, frozenset())]
    asking = [call for call in calls if id(call) not in handled]
    if asking and len(asking) == len(calls):
        first = min(asking, key=lambda call: (call.lineno, call.col_offset))
        named = " and ".join(f"`{package}`" for package in sorted(unknown))
        assumes = assume(f"importing {named} does not import torch_xla") if unknown else NONE
        yield DeviceUnregistered(site_of(path, first), assumes, spelling(first))


def _is_main_part(statement: ast.stmt) -> bool:
    """Whether a statement of a module does more than to define and import: the file is a program."""
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))) | ast.For() | ast.While() | ast.With():
            return True
        case ast.Expr(value=ast.Call()) | ast.Assign(value=ast.Call(func=ast.Attribute(attr="to"))):
            return True
    return False


def _asks(call: ast.Call, names: Collection[str]) -> bool:
    """Whether a call puts something on a device of XLA: `model.to("xla")`, `torch.ones(4, device="xla")`."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "device"]
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
        given += call.args[:1]
    return any(_is_xla(value) or (isinstance(value, ast.Name) and value.id in names) for value in given)


def _asking(scope: ast.Module | Function, around: Collection[str]) -> Iterator[ast.Call]:
    """The calls in a scope and in those inside it that ask.

    Args:
        around: The names around it that stand for a device of XLA.
    """
    nodes = [*_own_nodes(scope)]
    bound = Counter(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    bound.update(node.arg for node in nodes if isinstance(node, ast.arg))
    given = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_xla(node.value)
        for target in node.targets
        if isinstance(target, ast.Name) and bound[target.id] == 1
    }
    names = {name for name in around if name not in bound} | given
    for node in nodes:
        if isinstance(node, ast.Call) and _asks(node, names):
            yield node
        if isinstance(node, Function):
            yield from _asking(node, names)


def _own_nodes(scope: ast.Module | Function) -> Iterator[ast.AST]:
    """What stands in a scope, up to the functions in it."""
    waiting = [*ast.iter_child_nodes(scope)]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function):
            waiting += ast.iter_child_nodes(node)


def _is_xla(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(attr="device"), args=[ast.Constant(value=str(text))]):
            return is_device(text)
        case ast.Constant(value=str(text)):
            return is_device(text)
    return False
