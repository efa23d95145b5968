"""Rewrites that let a loader move the batches of a loop to the device, while that computes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from xlalint.analysis.call import last_name
from xlalint.cure import Cure, LoadAhead
from xlalint.fixing import imports
from xlalint.fixing.edits import Edit
from xlalint.fixing.module import Module, called, is_marker, statements
from xlalint.fixing.order import LEAVES
from xlalint.fixing.places import Function, Loop, loop_at, opens_step
from xlalint.fixing.rewrite import Need, Refused, Rewrite, Rewriter

_LOADER = "torch_xla.distributed.parallel_loader.MpDeviceLoader"
_AROUND = frozenset({"enumerate", "tqdm", "trange", "track"})
"""What goes over its first argument, item by item."""


def load_ahead(module: Module, cure: LoadAhead) -> Rewrite:
    """Go over an `MpDeviceLoader` of the loader, which cuts the graph where the loop does already."""
    loop = loop_at(module, cure.loop)
    if not isinstance(loop, ast.For):
        raise Refused(f"line {loop.lineno} is no loop over a loader")
    loader = _loader(loop.iter)
    device = _device(module, loop)
    _require_ended(module, loop)
    options = _cuts(module, loop)
    text, _ = imports.spelling(module, _LOADER, loader)
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


def _device(module: Module, loop: ast.For) -> ast.expr:
    """The device that batches are moved to in a loop, where it can be named above the loop."""
    batch = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
    found = {module.source(each): each for each in _devices(loop, batch)}
    if len(found) != 1:
        raise Refused(f"it is not seen which device the loop on line {loop.lineno} moves its batches to")
    (device,) = found.values()
    bound = {
        each.id
        for each in ast.walk(loop)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }
    if used := sorted(
        each.id for each in ast.walk(device) if isinstance(each, ast.Name) and each.id in bound
    ):
        raise Refused(f"`{used[0]}` is bound in the loop")
    if any(
        isinstance(each, Function | ast.Lambda)
        for each in module.around(device)
        if loop in module.around(each)
    ):
        raise Refused("the batch is moved in a function of its own")
    return device


def _devices(loop: ast.For, batch: set[str]) -> Iterator[ast.expr]:
    for each in loop.body:
        for node in ast.walk(each):
            match node:
                case ast.Call(func=ast.Attribute(value=moved, attr="to"), args=[device, *_]):
                    given = [moved]
                case ast.Call(args=[*given, device]) if "device" in last_name(device).lower():
                    pass
                case _:
                    continue
            names = {inner.id for each in given for inner in ast.walk(each) if isinstance(inner, ast.Name)}
            if names & batch:
                yield device


def _require_ended(module: Module, loop: ast.For) -> None:
    """A loop that is left early and begun anew would leave the threads of each loader behind."""
    around = next((each for each in module.around(loop) if isinstance(each, Loop | Function)), None)
    leaves = next((each for each in statements(loop) if isinstance(each, LEAVES[:-1])), None)
    if leaves is not None and isinstance(around, Loop):
        raise Refused(f"line {leaves.lineno} leaves the loop, and its loader would be made anew each time")


def _cuts(module: Module, loop: ast.For) -> str:
    """The options with which the loader cuts the graph where the loop does.

    Raises:
        Refused: it would cut it elsewhere.
    """
    if any(opens_step(each) or is_marker(each) for each in loop.body):
        return ""
    for marker in filter(is_marker, statements(loop)):
        test = module.parents[marker]
        if isinstance(test, ast.If) and test in loop.body and marker in test.body:
            for each in ast.walk(test.test):
                match each:
                    case ast.BinOp(
                        op=ast.Mod(), right=ast.Name() | ast.Attribute() | ast.Constant() as number
                    ):
                        return f", batches_per_execution={module.source(number)}"
    raise Refused("the loader would cut the graph before each batch, where the loop does not")


REWRITERS: dict[type[Cure], Rewriter[Any]] = {LoadAhead: load_ahead}
