"""What decorators make of a function: scopes around every call, context managers."""

from __future__ import annotations

import ast
from collections.abc import Callable

from xlalint.analysis.call import Call, last_name
from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.outline import Function
from xlalint.analysis.payloads import (
    Bound,
    Compiled,
    Dynamo,
    Known,
    Opening,
    Scoped,
    callable_value,
    targets,
)
from xlalint.analysis.store import Store
from xlalint.knowledge import dynamo, functions
from xlalint.knowledge.classes import CONTEXT_MANAGERS
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.state import State
from xlalint.lazy.values import (
    NONE,
    Value,
)


def decorator_scopes(machine: Machine, function: Function) -> list[ScopeKind]:
    """The scopes that a function's decorators open around every call, innermost first."""
    frame = Frame(function.outline, function.parent, 0)
    return _scopes_of(machine, function.decorators, frame, Store(State()))


def wrappers(
    machine: Machine, function: Function, follows: Callable[[Function], bool]
) -> list[ScopeKind | Value]:
    """What a function's decorators put around every call, innermost first.

    Args:
        follows: Says of a decorator of the project whether what it does may matter.
    """
    frame, store = Frame(function.outline, function.parent, 0), Store(State())
    found: list[ScopeKind | Value] = []
    for decorator in reversed(function.decorators):
        kinds = _scopes_of(machine, [decorator], frame, store)
        if kinds:
            found += kinds
            continue
        value = _by_dynamo(machine, decorator, frame, store)
        if value is not None:
            found.append(value)
            continue
        if not isinstance(decorator, ast.Name | ast.Attribute):
            continue
        value = machine.evaluate(decorator, frame, store)
        if any(isinstance(t, Bound) and t.receiver is None and follows(t.function) for t in targets(value)):
            found.append(value)
    return found


def decorated(
    machine: Machine, value: Value, decorators: list[ast.expr], frame: Frame, store: Store
) -> Value:
    """What decorators make of a function that is defined in another."""
    for kind in _scopes_of(machine, decorators, frame, store):
        value = callable_value(Scoped(value, kind))
    for decorator in reversed(decorators):
        compiler = _by_dynamo(machine, decorator, frame, store)
        if compiler is not None:
            made = Call(frame, store, frame.site(decorator), None, [value])
            value = machine.invoke(compiler, made)
    return value


def _by_dynamo(machine: Machine, decorator: ast.expr, frame: Frame, store: Store) -> Value | None:
    """What makes a function one of `torch.compile`, if the decorator is that."""
    value = machine.evaluate(decorator, frame, store)
    for target in targets(value):
        if isinstance(target, Compiled):
            return value
        if isinstance(target, Known) and functions.FUNCTIONS[target.name] == "dynamo":
            return callable_value(Compiled(NONE, Dynamo(frame.site(decorator), dynamo.BY_DEFAULT)))
    return None


def _scopes_of(machine: Machine, decorators: list[ast.expr], frame: Frame, store: Store) -> list[ScopeKind]:
    found = []
    for decorator in reversed(decorators):
        value = machine.evaluate(decorator, frame, store)
        if isinstance(value.payload, Opening) and value.payload.scope:
            found.append(value.payload.scope)
        elif any(isinstance(t, Known) and functions.FUNCTIONS[t.name] == "compile" for t in targets(value)):
            found.append(ScopeKind.COMPILE)
    return found


def opens_scope(machine: Machine, name: ast.expr, frame: Frame, store: Store) -> bool:
    """Whether a name is that of `torch_xla.step`, which opens a scope when it is called."""
    return any(
        isinstance(t, Known) and functions.FUNCTIONS[t.name] == "step scope"
        for t in targets(machine.evaluate(name, frame, store))
    )


def is_context_manager(function: Function) -> bool:
    """Whether calling a generator function makes a context manager of it."""
    return any(last_name(decorator) in CONTEXT_MANAGERS for decorator in function.decorators)
