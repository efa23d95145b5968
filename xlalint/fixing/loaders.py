"""Loaders of several devices, which were asked for that of one, become loaders of one device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xlalint.cure import Rename
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, position
from xlalint.fixing.nodes import walk
from xlalint.fixing.places import function_around, spelled_as
from xlalint.fixing.rewrite import Need, Refused, Rewrite
from xlalint.fixing.spelling import spelling

PARALLEL_LOADER = "torch_xla.distributed.parallel_loader.ParallelLoader"


def of_one_device(module: Module, cure: Rename, name: ast.Name | ast.Attribute) -> Rewrite:
    """`MpDeviceLoader(loader, device)` for `ParallelLoader(loader, [device]).per_device_loader(device)`."""
    call = module.parents.get(name)
    if not (isinstance(call, ast.Call) and call.func is name):
        raise Refused("no loader is made here")
    if (line := _looks_inside(module)) is not None:
        raise Refused(f"line {line} asks for what only the loader of one device has")
    devices = _devices(call)
    (device,) = devices.elts
    text, _ = spelling(module, cure.successor, name)
    (start, end), (first, last) = module.span(devices), module.span(device)
    edits = [Edit(*module.span(name), text), Edit(start, first, ""), Edit(last, end, "")]
    for keyword in call.keywords:
        if keyword.value is devices:
            edits.append(Edit(module.span(keyword)[0], first, "device="))
            edits.remove(Edit(start, first, ""))
    for loader, asked in _asked(module, call):
        if ast.unparse(asked.args[0]) != ast.unparse(device):
            raise Refused(f"line {asked.lineno} asks for another device than it was made for")
        _require_iterated(module, asked)
        edits.append(Edit(module.span(loader)[1], module.span(asked)[1], ""))
    return Rewrite(tuple(edits), needs=(Need(cure.successor, name),), leaves=(cure.name,))


def _looks_inside(module: Module) -> int | None:
    """The line where a file asks what class a loader of one device is of, or for the loader in it."""
    for node in walk(module.tree):
        match node:
            case ast.Attribute(attr="PerDeviceLoader") | ast.Name(id="PerDeviceLoader"):
                return node.lineno
            case ast.Attribute(value=ast.Attribute(attr="_loader"), attr="_loader"):
                return node.lineno  # that of an `MpDeviceLoader` is what it was made of
    return None


def _devices(call: ast.Call) -> ast.List | ast.Tuple:
    """The list of one device that a loader is made for."""
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg == "devices")]
    match given:
        case [ast.List(elts=[device]) | ast.Tuple(elts=[device]) as devices]:
            if not isinstance(device, ast.Starred):
                return devices
    raise Refused("it is not seen that it is made for one device")


def _asked(module: Module, call: ast.Call) -> Iterator[tuple[ast.expr, ast.Call]]:
    """Each place where a loader is asked for that of one device: the loader there, and the call."""
    match module.parents.get(call):
        case ast.Attribute() as attribute:
            yield call, _asking(module, attribute)
        case ast.Assign(targets=[ast.Name(id=name) as target]):
            scope = module.scopes.around(target, module.parents)
            uses = [
                use for use, where in module.scopes.uses[name] if module.scopes.binding(name, where) is scope
            ]
            if scope.others[name] != [target]:
                uses = _of_this(module, name, target, scope.others[name], uses)
            if not uses:
                raise Refused(f"`{name}` is more than this loader")
            for use in uses:
                yield use, _asking(module, module.parents.get(use))
        case _:
            raise Refused("it is not seen what it is asked for")


def _of_this(
    module: Module, name: str, target: ast.Name, bound: list[ast.AST], uses: list[ast.Name]
) -> list[ast.Name]:
    """The uses of a name that mean what one of several statements has bound it to.

    Raises:
        Refused: it is bound otherwise, or it is not seen for each use which of the statements it follows.
    """
    statements = [node for node in map(module.parents.get, bound) if isinstance(node, ast.Assign)]
    own = module.parents[target]
    found = []
    for use in uses:
        above = [each for each in statements if _ends_above(each, use)]
        last = max(above, key=position, default=None)
        if len(statements) < len(bound) or last is None or not _follows(module, use, last, statements):
            raise Refused(f"`{name}` is more than this loader")
        if last is own:
            found.append(use)
    return found


def _ends_above(statement: ast.stmt, use: ast.expr) -> bool:
    return (statement.end_lineno or 0, statement.end_col_offset or 0) <= position(use)


def _follows(module: Module, use: ast.Name, last: ast.stmt, statements: list[ast.Assign]) -> bool:
    """Whether `last` has always run before the use, and none of the others since."""
    if function_around(module, use) is not function_around(module, last):
        return False
    if module.member(use, module.block(last)) is None:
        return False
    around_last = list(module.around(last))
    again = [
        each
        for each in module.around(use)
        if isinstance(each, ast.For | ast.AsyncFor | ast.While) and each not in around_last
    ]
    return not any(loop in module.around(each) for loop in again for each in statements)


def _require_iterated(module: Module, asked: ast.Call) -> None:
    """The loader of one device was an iterator itself: what takes its place can only be iterated over.

    Raises:
        Refused: a batch is drawn from it, or it is what `__iter__` returns.
    """
    names = spelled_as(module, asked)
    for node in walk(module.tree):
        match node:
            case (
                ast.Call(func=ast.Name(id="next"), args=[drawn, *_])
                | ast.Call(func=ast.Attribute(value=drawn, attr="next" | "__next__"))
            ) if ast.unparse(drawn) in names:
                raise Refused(f"line {node.lineno} draws from it")
            case ast.Return(value=ast.expr() as returned) if ast.unparse(returned) in names:
                if getattr(function_around(module, node), "name", "") == "__iter__":
                    raise Refused(f"line {node.lineno} has to return an iterator")


def _asking(module: Module, attribute: ast.AST | None) -> ast.Call:
    """The call of `per_device_loader`."""
    if isinstance(attribute, ast.Attribute) and attribute.attr == "per_device_loader":
        call = module.parents.get(attribute)
        if (
            isinstance(call, ast.Call)
            and call.func is attribute
            and len(call.args) == 1
            and not call.keywords
        ):
            return call
    raise Refused("it is asked for more than the loader of one device")
