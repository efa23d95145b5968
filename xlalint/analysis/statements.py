"""Simple statements, exceptions, and every way out of them."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.arguments import capture, defaults
from xlalint.analysis.binding import bind, element, joined, one_after_other
from xlalint.analysis.branches import condition, is_rank_test
from xlalint.analysis.decorators import decorated, offer, opens_scope
from xlalint.analysis.frame import Exits, Frame
from xlalint.analysis.importable import raised_by
from xlalint.analysis.library.modules import tie_parts, with_part
from xlalint.analysis.library.optimizers import wrapped_by_unknown
from xlalint.analysis.loops import is_size
from xlalint.analysis.machine import Execute, Machine
from xlalint.analysis.operators import operate
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Container,
    Shared,
    callable_value,
    is_host_tensor,
)
from xlalint.analysis.scopes import guarded
from xlalint.analysis.store import Store, join
from xlalint.analysis.work import NUMBERS
from xlalint.knowledge import functions
from xlalint.lazy.events import Fault
from xlalint.lazy.values import (
    HOST,
    NONE,
    UNKNOWN,
    Kind,
    Value,
)
from xlalint.program.branching import as_branch
from xlalint.program.counting import updates
from xlalint.program.outline import dotted, guards_imports
from xlalint.spelling import spelling


def _expression(machine: Machine, node: ast.Expr, frame: Frame, store: Store) -> Store | None:
    branch = as_branch(node) if isinstance(node.value, ast.BoolOp) else None
    if branch is not None and is_rank_test(machine, branch.test, frame, store):
        return machine.run_block([branch], frame, store)
    frame.discarded = node.value
    machine.evaluate(node.value, frame, store)
    return None if _never_returns(node.value) else store


def _never_returns(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in functions.EXITS


def _assign(machine: Machine, node: ast.Assign, frame: Frame, store: Store) -> Store | None:
    counting = updates(node, frame.around)
    counted = machine.evaluate(counting[0].target, frame, store) if counting else UNKNOWN
    if counted.kind in NUMBERS and not is_host_tensor(counted):
        if isinstance(node.value, ast.IfExp):
            machine.evaluate(node.value, frame, store)  # its test may ask for something
        for update in counting:
            _augmented(machine, update, frame, store)
        return store
    held = _summed(machine, node, frame, store)
    value = machine.evaluate(node.value, frame, store)
    if held is not None and held.history and value.history:
        frame.model.keep_history(store.state, held, value, spelling(node.value), frame.site(node))
    if value.kind is Kind.UNKNOWN and isinstance(node.value, ast.Call) and len(node.targets) == 1:
        value = _rewrapped(machine, node.targets[0], node.value, frame, store) or value
    for target in node.targets:
        bind(machine, target, value, frame, store)
    if value.kind is Kind.PARAMETERS:
        tie_parts(machine, node, frame, store)
    return store


def _rewrapped(
    machine: Machine, target: ast.expr, call: ast.Call, frame: Frame, store: Store
) -> Value | None:
    """The optimizer in `optimizer = Wrapper(optimizer)`, where nobody knows the wrapper."""
    name = dotted(target)
    if name and name in map(dotted, (*call.args, *(keyword.value for keyword in call.keywords))):
        held = machine.evaluate(target, frame, store)
        if held.kind is Kind.OPTIMIZER:
            return wrapped_by_unknown(held, spelling(call))
    return None


def _summed(machine: Machine, node: ast.Assign, frame: Frame, store: Store) -> Value | None:
    """What a name holds to which something is added: `total` in `total = total + loss`."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=first), op=ast.Add())):
            return store.names.get(name) if name == first else None
    return None


def _annotated(machine: Machine, node: ast.AnnAssign, frame: Frame, store: Store) -> Store | None:
    if node.value is not None:
        bind(machine, node.target, machine.evaluate(node.value, frame, store), frame, store)
    return store


def _augmented(machine: Machine, node: ast.AugAssign, frame: Frame, store: Store) -> Store | None:
    left = machine.evaluate(node.target, frame, store)
    right = machine.evaluate(node.value, frame, store)
    if right.kind is Kind.UNKNOWN and left.kind in NUMBERS and frame.function is not None:
        # The size of something is a number, whatever that is: the attributes of objects are asked for apart.
        right = HOST if is_size(node.value, frame.function.node) else right
    if isinstance(left.payload, Container) and isinstance(node.op, ast.Add):
        if not store.state.scopes.in_loop and (both := joined(left.payload, right)) is not None:
            bind(machine, node.target, both, frame, store)
            return store
        held = left.payload.items if left.payload.items is not None else (left.payload.element,)
        bind(machine, node.target, one_after_other(*held, element(right)), frame, store)
        return store
    if left.kind is Kind.MODULE:
        bind(machine, node.target, with_part(left, element(right)), frame, store)
        return store
    if left.history and right.history and isinstance(node.op, ast.Add):
        shown = f"{spelling(node.target)} += {spelling(node.value)}"
        frame.model.keep_history(store.state, left, right, shown, frame.site(node))
    value = operate(machine, node, node.op, left, right, frame, store)
    if isinstance(left.payload, Shared) and value.kind is Kind.HOST:
        value = value._replace(differs=right.differs)  # it is told of what other objects hold, too
    bind(machine, node.target, value, frame, store)
    return store


def _define_function(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame, store: Store
) -> Store | None:
    function = frame.outline.functions[node]
    by_default = defaults(machine, function, frame, store)
    value = callable_value(Bound(function, None, capture(function, frame, store) + by_default))
    if function.parent is not None:  # Those of another are seen to where it is entered.
        value = decorated(machine, value, node.decorator_list, frame, store)
    else:
        offer(machine, value, node.decorator_list, frame, store)
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Name | ast.Attribute) and opens_scope(machine, decorator, frame, store):
            frame.model.compile_in_vain(store.state, Fault.BARE, frame.site(decorator))
    store.names[node.name] = value
    return store


def _define_class(machine: Machine, node: ast.ClassDef, frame: Frame, store: Store) -> Store | None:
    store.names[node.name] = Value(Kind.CLASS, payload=Classes((frame.outline.classes[node],)))
    return store


def _import(machine: Machine, node: ast.Import | ast.ImportFrom, frame: Frame, store: Store) -> Store | None:
    for taken in frame.outline.taken_by(node) if store.state.trust.raised is None else ():
        raised = raised_by(machine, taken, frame.outline)
        if raised is not None:
            store.state.raises(raised)
            break
    for name, target in frame.outline.imports(node):
        # What a module imports is looked up in its outline, but where it has bound the name before.
        if frame.function is not None or name in store.names:
            store.names[name] = machine.names.qualified(target, frame.outline)
    return store


def _return(machine: Machine, node: ast.Return, frame: Frame, store: Store) -> Store | None:
    value = NONE if node.value is None else machine.evaluate(node.value, frame, store)
    frame.exits.returns.append((store, value, frame.site(node)))
    return None


def _raise(machine: Machine, node: ast.Raise, frame: Frame, store: Store) -> Store | None:
    if node.exc is not None:
        machine.evaluate(node.exc, frame, store)
    frame.exits.raises.append((store, frame.site(node)))
    return None


def _break(machine: Machine, node: ast.Break, frame: Frame, store: Store) -> Store | None:
    frame.exits.breaks.append((store, frame.site(node)))
    return None


def _continue(machine: Machine, node: ast.Continue, frame: Frame, store: Store) -> Store | None:
    frame.exits.continues.append(store)
    return None


def _delete(machine: Machine, node: ast.Delete, frame: Frame, store: Store) -> Store | None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            store.names.pop(target.id, None)
    return store


def _assert(machine: Machine, node: ast.Assert, frame: Frame, store: Store) -> Store | None:
    tested = condition(machine, node.test, "assert", frame, store)
    return None if tested.truth is False else store


def _try(machine: Machine, node: ast.Try, frame: Frame, store: Store) -> Store | None:
    if not node.finalbody:
        return _try_handlers(machine, node, frame, store)
    return guarded(
        lambda: _try_handlers(machine, node, frame, store),
        lambda current: machine.run_block(node.finalbody, frame, current),
        frame,
    )


def _try_handlers(machine: Machine, node: ast.Try, frame: Frame, store: Store) -> Store | None:
    if not node.handlers:
        after = machine.run_block(node.body, frame, store)
        return machine.run_block(node.orelse, frame, after) if after is not None else None
    before = store.copy()
    outer = frame.exits
    frame.exits = inner = Exits()
    after = machine.run_block(node.body, frame, store)
    frame.exits = outer
    outer.breaks += inner.breaks
    outer.continues += inner.continues
    outer.returns += inner.returns
    failed = join(before, after.copy() if after is not None else None)
    for raised, _ in inner.raises:
        failed = join(failed, raised)
    if after is not None:
        after = machine.run_block(node.orelse, frame, after)
    if guards_imports(node):
        if after is not None:
            after.state.trust = after.state.trust._replace(raised=before.state.trust.raised)
        return after
    assert failed is not None
    if after is not None:
        _set_up(failed, after)
    for handler in node.handlers:
        caught = failed.copy()
        if handler.name:
            caught.names[handler.name] = HOST
        after = join(after, machine.run_block(handler.body, frame, caught))
    return after


def _set_up(failed: Store, after: Store) -> None:
    """What sets the engine up in a `try` does so: its handlers are for releases that cannot."""
    failed.state.engine = failed.state.engine._replace(eager=after.state.engine.eager)
    failed.state.replicas = failed.state.replicas._replace(spmd=after.state.replicas.spmd)


EXECUTORS: Final[dict[type, Execute]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.FunctionDef: _define_function,
    ast.AsyncFunctionDef: _define_function,
    ast.ClassDef: _define_class,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Delete: _delete,
    ast.Assert: _assert,
    ast.Try: _try,
}
_TRY_STAR: Final = getattr(ast, "TryStar", None)
if _TRY_STAR is not None:
    EXECUTORS[_TRY_STAR] = _try
