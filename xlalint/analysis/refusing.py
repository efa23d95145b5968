"""Statements that raise where there is no CUDA: on a machine with XLA devices nothing below them runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.store import Store
from xlalint.knowledge import functions
from xlalint.lazy.values import Kind, Value
from xlalint.program.outline import dotted
from xlalint.remembering import remembered


def raises_without_cuda(machine: Machine, statement: ast.stmt, frame: Frame, store: Store) -> bool:
    """Whether a statement of a function asks for CUDA in any case, such as `batch = batch.cuda()`.

    A module body is another matter: cells of a notebook are run one by one. So are modules: those without
    parameters, such as most losses, have nothing to move.
    """
    if frame.function is None or "cuda" not in frame.function.attributes():
        return False
    return any(
        moved is None or _is_tensor(machine.evaluate(moved, frame, store.copy()), store)
        for moved in _asking_for_cuda(statement)
    )


def _is_tensor(value: Value, store: Store) -> bool:
    """Whether what is moved is a tensor: in a loop, whatever is unknown is taken for one."""
    return value.kind in _TENSORS or (value.kind is Kind.UNKNOWN and store.state.scopes.in_loop)


@remembered(4096)
def _asking_for_cuda(statement: ast.stmt) -> tuple[ast.expr | None, ...]:
    """What a statement moves to CUDA whenever it runs; None for a function that needs it."""
    found: list[ast.expr | None] = []
    for node in in_any_case(statement) if isinstance(statement, _SIMPLE) else ():
        match node:
            case ast.Call(func=ast.Attribute(value=moved, attr="cuda")):
                found.append(_root(moved))
            case ast.Call(func=ast.Attribute() as called) if dotted(called) in functions.NEEDING_CUDA:
                found.append(None)
    return tuple(found)


def _root(node: ast.expr) -> ast.expr:
    """What a chain of calls begins with: `batch` of `batch.t().contiguous()`."""
    while not dotted(node):
        match node:
            case (
                ast.Call(func=ast.Attribute(value=inner))
                | ast.Attribute(value=inner)
                | ast.Subscript(value=inner)
            ):
                node = inner
            case _:
                break
    return node


def in_any_case(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that are evaluated whenever it runs."""
    yield node
    match node:
        case ast.IfExp(test=first) | ast.BoolOp(values=[first, *_]):
            yield from in_any_case(first)
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            pass  # they may run no time at all
        case _:
            for part in ast.iter_child_nodes(node):
                yield from in_any_case(part)


_TENSORS: Final = frozenset({Kind.TENSOR, Kind.HOST})
_SIMPLE: Final = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
