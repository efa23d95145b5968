"""Rewrites that let a loader move the batches of a loop to the device, while that computes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from xlalint.cure import Cure, LoadAhead
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, called, is_marker, statements
from xlalint.fixing.nodes import walk
from xlalint.fixing.places import Function, Loop, function_around, loop_at, opens_step
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter
from xlalint.fixing.spelling import spelling
from xlalint.program.outline import last_name
from xlalint.program.sections import LEAVING

_LOADER = "torch_xla.distributed.parallel_loader.MpDeviceLoader"
_AROUND = frozenset({"enumerate", "tqdm", "trange", "track"})
"""What goes over its first argument, item by item."""


def load_ahead(module: Module, cure: LoadAhead) -> Rewrite:
    """Go over an `MpDeviceLoader` of the loader, which cuts the graph where the loop does already."""
    loop = loop_at(module, cure.loop)
    if not isinstance(loop, ast.For):
        raise Refused(f"line {loop.lineno} is no loop over a loader")
    loader = _loader(loop.iter)
    _require_loader(module, loop, loader)
    device = _device(module, loop)
    _require_ended(module, loop)
    options = _cuts(module, loop)
    text, _ = spelling(module, _LOADER, loader)
    start, end = module.span(loader)
    edits = Edit(start, start, f"{text}("), Edit(end, end, f", {module.source(device)}{options})")
    return Rewrite(edits=edits, needs=(Need(_LOADER, loader),))


def _loader(given: ast.expr) -> ast.expr:
    """The loader that a loop goes over, by whatever it is counted or shown."""
    match given:
        case ast.Name() | ast.Attribute():
            return given
        case ast.Call(args=[ast.expr() as inner, *_]) if called(given) in _AROUND:
            return _loader(inner)
        case ast.Call() if called(given) == "DataLoader":
            return given
    raise Refused(f"it is not seen which loader line {given.lineno} goes over")


def _require_loader(module: Module, loop: ast.For, loader: ast.expr) -> None:
    """A progress bar that goes by a name would count what is loaded, and not what is trained."""
    for each in statements(function_around(module, loop)):
        match each:
            case ast.Assign(targets=[target], value=ast.Call() as made) if called(made) in _AROUND:
                if ast.unparse(target) == ast.unparse(loader):
                    raise Refused(f"`{module.source(loader)}` counts the batches of the loop")


def _device(module: Module, loop: ast.For) -> ast.expr:
    """The device that batches are moved to in a loop, where it can be named above the loop."""
    batch = _of_batch(loop)
    found = {module.source(each): each for each in _devices(loop, batch)}
    if len(found) != 1:
        raise Refused(f"it is not seen which device the loop on line {loop.lineno} moves its batches to")
    (device,) = found.values()
    bound = {
        each.id for each in walk(loop) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }
    if used := sorted(each.id for each in walk(device) if isinstance(each, ast.Name) and each.id in bound):
        raise Refused(f"`{used[0]}` is bound in the loop")
    if any(
        isinstance(each, Function | ast.Lambda)
        for each in module.around(device)
        if loop in module.around(each)
    ):
        raise Refused("the batch is moved in a function of its own")
    return device


def _of_batch(loop: ast.For) -> set[str]:
    """The names of what is taken of a batch in a loop."""
    batch = _names(loop.target)
    while True:
        known = len(batch)
        for node in walk(loop):
            match node:
                case ast.Assign(targets=targets, value=value) if _names(value) & batch:
                    batch = batch.union(*map(_names, targets))
                case ast.comprehension(target=target, iter=given) if _names(given) & batch:
                    batch |= _names(target)
        if len(batch) == known:
            return batch


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, ast.Name)}


def _devices(loop: ast.For, batch: set[str]) -> Iterator[ast.expr]:
    for each in loop.body:
        for node in walk(each):
            match node:
                case ast.Call(func=ast.Attribute(value=moved, attr="to"), args=[device, *_]):
                    given = [moved]
                case ast.Call(args=[*given, device]) if "device" in last_name(device).lower():
                    pass
                case _:
                    continue
            if any(_names(each) & batch for each in given):
                yield device


def _require_ended(module: Module, loop: ast.For) -> None:
    """A loop that is left early and begun anew would leave the threads of each loader behind."""
    around = next((each for each in module.around(loop) if isinstance(each, Loop | Function)), None)
    leaves = next((each for each in statements(loop) if isinstance(each, LEAVING[:-1])), None)
    if leaves is not None and isinstance(around, Loop):
        raise Refused(f"line {leaves.lineno} leaves the loop, and its loader would be made anew each time")


def _cuts(module: Module, loop: ast.For) -> str:
    """The options with which the loader cuts the graph where the loop does.

    Raises:
        Refused: it would cut it elsewhere.
    """
    if any(opens_step(each) or is_marker(each) or _has_barrier(each) for each in loop.body):
        return ""
    for marker in filter(is_marker, statements(loop)):
        test = module.parents[marker]
        if isinstance(test, ast.If) and test in loop.body and marker in test.body:
            for each in walk(test.test):
                match each:
                    case ast.BinOp(
                        op=ast.Mod(), right=ast.Name() | ast.Attribute() | ast.Constant() as number
                    ):
                        return f", batches_per_execution={module.source(number)}"
    raise Refused("the loader would cut the graph before each batch, where the loop does not")


def _has_barrier(statement: ast.stmt) -> bool:
    """Whether it is an optimizer's step that cuts the graph."""
    match statement:
        case ast.Expr(value=ast.Call(keywords=keywords)):
            return any(
                each.arg == "barrier" and isinstance(each.value, ast.Constant) and each.value.value is True
                for each in keywords
            )
    return False


REWRITERS: dict[type[Cure], Rewriter[Any]] = {LoadAhead: load_ahead}
