"""What the bodies of modules set up for the whole program, as soon as somebody imports them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

from xlalint.knowledge.functions import (
    BY_SPAWN,
    LAUNCHES,
    MAKING_GROUPS,
    OF_GPUS,
    REGISTERING,
    SEEDS,
    SETTING_SPMD_UP,
    STARTED_ELSEWHERE,
    STARTS_REPLICAS,
    TURNING_EAGER_ON,
    XLA_DEVICE,
)
from xlalint.knowledge.packages import WITHOUT_XLA
from xlalint.program.outline import Import, Outline, dotted, last_name, parts_of, within


def sets_spmd_up(outline: Outline) -> bool:
    """Whether the body of a module turns SPMD on, or says how."""
    if not any(name in outline.text for name in SETTING_SPMD_UP):
        return False
    running = (
        ast.unparse(statement)
        for statement in outline.tree.body
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)
    )
    return any(name in text for text in running for name in SETTING_SPMD_UP)


def turns_eager_on(outline: Outline) -> bool:
    """Whether the body of a module turns eager mode on, whatever else is the case."""
    if TURNING_EAGER_ON not in outline.text:
        return False
    for statement in _certain(outline.tree.body):
        match statement:
            case ast.Expr(ast.Call(func=function, args=[ast.Constant(value=True)])):
                if dotted(function).rpartition(".")[2] == TURNING_EAGER_ON:
                    return True
    return False


def seeds_itself(outline: Outline) -> bool:
    """Whether the body of a module may give a seed, as everybody does who imports it."""
    if not any(word in outline.text for word in SEEDS):
        return False
    return any(
        isinstance(node, ast.Call) and any(word in last_name(node.func) for word in SEEDS)
        for statement in outline.tree.body
        if not isinstance(statement, _DEFINES) and not _is_for_scripts(statement)
        for node in within(statement)
    )


def _is_for_scripts(statement: ast.stmt) -> bool:
    """Whether nobody runs a statement who imports the module: `if __name__ == "__main__":`."""
    return isinstance(statement, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in within(statement.test)
    )


def registers_device(outline: Outline) -> bool:
    """Whether the body of a module gives PyTorch a module for XLA devices, whatever else is the case."""
    if REGISTERING not in outline.text:
        return False
    return any(
        isinstance(statement, ast.Expr)
        and isinstance(call := statement.value, ast.Call)
        and last_name(call.func) == REGISTERING
        and bool(call.args)
        and isinstance(kind := call.args[0], ast.Constant)
        and kind.value == XLA_DEVICE
        for statement in _certain(outline.tree.body)
    )


def serves_checkpointing(outline: Outline) -> bool:
    """Whether a module has PyTorch's activation checkpointing know XLA devices, or another in its place."""
    in_its_place = _CHECKPOINT in outline.text and _CHECKPOINTING.search(outline.text) is not None
    return in_its_place or registers_device(outline)


_CHECKPOINT: Final = "checkpoint.checkpoint"
_CHECKPOINTING: Final = re.compile(r"(?m)^[^#\n]*\bcheckpoint\.checkpoint[ ]*=(?!=)")


def starts_replicas(outline: Outline) -> bool:
    """Whether a module may start several replicas, or join those that somebody else has started."""
    imported = (
        binding.target.partition(".")[0]
        for bindings in outline.bindings.values()
        for binding in bindings
        if isinstance(binding, Import)
    )
    if outline.mentions(STARTS_REPLICAS) or not STARTS_REPLICAS.isdisjoint(imported):
        return True
    if BY_SPAWN in outline.bindings:
        return True
    return outline.mentions(STARTED_ELSEWHERE) and not all(
        any(isinstance(given, ast.Constant) and given.value == OF_GPUS for given in _given(call))
        for call in within(outline.tree)
        if isinstance(call, ast.Call) and last_name(call.func) in STARTED_ELSEWHERE
    )


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


def is_started_by_others(outline: Outline) -> bool:
    """Whether somebody else may start a script several times, as it joins a process group by itself.

    What only a function does that it launches is done by processes of its own.
    """
    if not outline.mentions(STARTED_ELSEWHERE):
        return False
    nodes = within(outline.tree)
    launched = {
        id(call.args[0])
        for call in nodes
        if isinstance(call, ast.Call) and call.args and last_name(call.func) in LAUNCHES
    }
    if not launched:
        return True
    defined = {node.name: node for node in nodes if isinstance(node, _DEFINES)}
    waiting: list[ast.AST] = [one for one in outline.tree.body if not isinstance(one, _DEFINES)]
    while waiting:
        node = waiting.pop()
        if id(node) in launched:
            continue
        name = last_name(node) if isinstance(node, ast.expr) else ""
        if name in STARTED_ELSEWHERE:
            return True
        if (definition := defined.pop(name, None)) is not None:
            waiting.append(definition)
        waiting += parts_of(node)
    return False


def makes_no_group(outline: Outline) -> bool:
    """Whether a module is a script that makes no process group, nor imports anything that might make one."""
    if not outline.is_script or outline.mentions(MAKING_GROUPS):
        return False
    imported = (node for node in within(outline.tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return all(
        taken.module.partition(".")[0] in _MAKING_NO_GROUPS
        for node in imported
        for taken in outline.taken_by(node)
    )


_MAKING_NO_GROUPS: Final = WITHOUT_XLA | {"timm", "torch_xla"}

_DEFINES: Final = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _certain(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run in any case. What a `try` holds does: its handlers are for other releases."""
    for statement in statements:
        yield statement
        if isinstance(statement, ast.Try):
            yield from _certain(statement.body)
