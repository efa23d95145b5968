"""Whether a plain step of an optimizer is meant for replicas, where the module has another way to step."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.conditions import facts
from xlalint.analysis.machine import Machine
from xlalint.knowledge import functions
from xlalint.program.outline import last_name, named, within
from xlalint.program.sections import LEAVING, blocks
from xlalint.remembering import remembered
from xlalint.writing import written

_Defined = ast.FunctionDef | ast.AsyncFunctionDef


def steps_for_replicas(machine: Machine, call: Call) -> bool:
    """Whether nothing says that a plain step is the one for a single device.

    Where the module has another way to step, on which gradients are summed, that is the one for replicas:
    unless it stands beside this step, for another optimizer, or this one stands in a function of its own,
    which is launched on replicas whatever a test says. Nor is it where the module makes the weights of all
    replicas the same by itself, now and then.
    """
    outline, function = call.frame.outline, call.frame.function
    if machine.mentions(outline, functions.AVERAGING):
        machine.rest_on("whole", outline.file)
        if averages_weights(outline.tree):
            return False
    if not machine.mentions(outline, functions.SUMMING):
        return True
    step = call.node
    if function is None or step is None or isinstance(function.node, ast.Lambda):
        return False
    if any(_sums(node) for node in within(function.node)):
        return _is_beside_sums(function.node, step)
    machine.rest_on("whole", outline.file)
    return _is_launched_anyway(outline.tree, function.node, step)


@remembered(64)
def averages_weights(tree: ast.Module) -> bool:
    """Whether a module hands weights to a collective, and no gradients of them."""
    parts = within(tree)
    names = {each.id for part in parts for each in _named_weights(part)}
    return any(_shares(part, names) for part in parts if isinstance(part, ast.Call))


def _named_weights(node: ast.AST) -> list[ast.Name]:
    """The names that something binds to parameters, or goes over them by."""
    bound: list[ast.expr]
    if isinstance(node, ast.For | ast.comprehension):
        bound, source = [node.target], node.iter
    elif isinstance(node, ast.Assign):
        bound, source = node.targets, node.value
    else:
        return []
    if not _mentions(source, functions.GIVE_WEIGHTS) or _mentions(source, _GRADIENTS):
        return []
    return [name for each in bound for name in within(each) if isinstance(name, ast.Name)]


def _shares(call: ast.Call, names: set[str]) -> bool:
    if last_name(call.func) not in functions.AVERAGING:
        return False
    return any(
        not _mentions(given, _GRADIENTS)
        and (_mentions(given, functions.GIVE_WEIGHTS) or not names.isdisjoint(named(given)))
        for given in call.args
    )


def _mentions(node: ast.AST, attributes: frozenset[str]) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr in attributes for each in within(node))


_GRADIENTS: Final = frozenset({"grad"})


def _sums(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and bool(node.args) and last_name(node.func) in functions.SUMMING


def _is_beside_sums(function: _Defined, step: ast.Call) -> bool:
    """Whether a function sums the gradients of other optimizers alone, on the same way as a step."""
    if not isinstance(step.func, ast.Attribute):
        return False
    sums = {
        node: written(node.args[0])
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and _sums(node)
    }
    stepped = {written(each) for each in (step.func.value, *step.args)}  # by itself, or by a scaler
    if not stepped.isdisjoint(sums.values()):
        return False
    return not _sums_on_another_way(function.body, step, sums)


def _sums_on_another_way(body: list[ast.stmt], step: ast.Call, sums: Collection[ast.Call]) -> bool:
    """Whether one of the sums is made where a step is not: in another arm, or before what leaves."""
    for statement in body:
        arms = [(block, {node for each in block for node in ast.walk(each)}) for block in blocks(statement)]
        around = [block for block, inside in arms if step in inside]
        beside = [block for block, inside in arms if step not in inside and not inside.isdisjoint(sums)]
        if around:
            is_choice = not isinstance(statement, (ast.For, ast.AsyncFor, ast.While))
            return (is_choice and bool(beside)) or _sums_on_another_way(around[0], step, sums)
        if step in ast.walk(statement):
            return False
        if any(isinstance(block[-1], LEAVING) for block in beside):
            return True
    return False


@remembered(64)
def _is_launched_anyway(tree: ast.Module, function: _Defined, step: ast.Call) -> bool:
    """Whether replicas are launched on the way to a function that steps plainly, and no test decides there
    between it and one that sums gradients."""
    if _is_chosen(function.body, step):
        return False
    named, everywhere = _defined(tree), _calls(tree)
    called = {name: [(around, _calls(around)) for around in those] for name, those in named.items()}
    summing = _that_sum(called)
    launched, reached, waiting = False, {function.name}, [function.name]
    while waiting:
        name = waiting.pop()
        if len(named[name]) > 1:
            return False
        uses = {node for node in within(tree) if _is_use(node, name)}
        for call in everywhere:
            if _called(call) in functions.LAUNCHES:
                launches = uses.intersection(within(call))
                launched |= bool(launches)
                uses -= launches
        for caller, those in called.items():
            for around, inside in those:
                calls = [call for call in inside if call.func in uses]
                sums = [call for call in inside if _sums(call) or _called(call) in summing]
                if any(_sums_on_another_way(around.body, call, sums) for call in calls):
                    return False
                if calls and caller not in reached:
                    reached.add(caller)
                    waiting.append(caller)
        if not uses <= {call.func for call in everywhere}:
            return False  # handed to somebody, or kept as one of several
    return launched


def _is_chosen(body: list[ast.stmt], step: ast.Call) -> bool:
    """Whether a test decides if a step is made, and not only in which rounds."""
    for statement in body:
        for block in blocks(statement):
            if any(step in ast.walk(each) for each in block):
                if isinstance(statement, ast.If):
                    known = facts(statement.test, block is statement.body)
                    chosen = not any(fact.is_of_few_rounds for fact in known)
                else:
                    chosen = isinstance(statement, ast.Match)
                return chosen or _is_chosen(block, step)
    return False


def _defined(tree: ast.Module) -> dict[str, list[_Defined]]:
    """The functions of a module, by name."""
    named: dict[str, list[_Defined]] = {}
    for node in within(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named.setdefault(node.name, []).append(node)
    return named


def _that_sum(called: dict[str, list[tuple[_Defined, list[ast.Call]]]]) -> set[str]:
    """The names of functions that sum gradients, be it by others that they call."""
    calls = {name: [call for _, inside in those for call in inside] for name, those in called.items()}
    found = {name for name, those in calls.items() if any(map(_sums, those))}
    count = -1
    while count < len(found):
        count = len(found)
        found.update([name for name, those in calls.items() if not found.isdisjoint(map(_called, those))])
    return found


def _calls(node: ast.AST) -> list[ast.Call]:
    return [each for each in within(node) if isinstance(each, ast.Call)]


def _called(call: ast.Call) -> str:
    return last_name(call.func)


def _is_use(node: ast.AST, name: str) -> bool:
    """Whether a function is called or handed on there by its name."""
    return isinstance(node, ast.Name | ast.Attribute) and last_name(node) == name
