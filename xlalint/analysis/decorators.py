"""What decorators make of a function: scopes around every call, context managers."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    NO_GRAD,
    Bound,
    Compiled,
    Dynamo,
    Opening,
    Opens,
    Scoped,
    callable_value,
    has_effect,
    targets,
)
from xlalint.analysis.store import Store
from xlalint.knowledge import dynamo
from xlalint.knowledge.classes import CONTEXT_MANAGERS
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import (
    NONE,
    Kind,
    Value,
)
from xlalint.program.outline import Function, last_name


def decorator_scopes(machine: Machine, function: Function) -> list[ScopeKind]:
    """The scopes that a function's decorators open around every call, innermost first."""
    frame, store = Frame(function.outline, function.parent, 0), Store(State())
    values = (machine.evaluate(decorator, frame, store) for decorator in reversed(function.decorators))
    return [kind for kind in map(_scope_of, values) if kind is not None]


def wrappers(machine: Machine, function: Function) -> list[ScopeKind | Opens | Value]:
    """What a function's decorators put around every call, innermost first."""
    frame, store = Frame(function.outline, function.parent, 0), Store(State())
    found: list[ScopeKind | Opens | Value] = []
    for decorator in reversed(function.decorators):
        value = machine.evaluate(decorator, frame, store)
        around = _scope_of(value) or autograd_of(value) or _compiler_of(value, frame.site(decorator))
        if around is not None:
            found.append(around)
        elif _is_followed(machine, value):
            found.append(value)
    return found


def _is_followed(machine: Machine, value: Value) -> bool:
    """Whether a decorator is a framework's, or one that matters, also by what it does with the function."""
    return any(
        isinstance(t, Bound)
        and t.receiver is None
        and (t.function.outline.is_framework or machine.is_relevant(t.function) or _acts(t.function))
        for t in targets(value)
    )


def _acts(function: Function) -> bool:
    return not (_ACTING.isdisjoint(function.attributes()) and _ACTING.isdisjoint(function.outer_names()))


_ACTING: Final = frozenset({"checkpoint", "cpu", "float", "item", "numpy", "tolist"})
"""What reads what a function returns, or gives it to activation checkpointing, by its last name."""


def decorated(
    machine: Machine, value: Value, decorators: list[ast.expr], frame: Frame, store: Store
) -> Value:
    """What decorators make of a function that is defined in another."""
    given = [(each, machine.evaluate(each, frame, store)) for each in reversed(decorators)]
    for _, each in given:
        kind = _scope_of(each) or autograd_of(each)
        value = callable_value(Scoped(value, kind)) if kind is not None else value
    for decorator, each in given:
        compiler = _compiler_of(each, frame.site(decorator))
        if compiler is not None:
            made = Call(frame, store, frame.site(decorator), None, [value])
            value = machine.invoke(compiler, made)
        elif _is_followed(machine, each) or _may_keep(each):
            made = Call(frame, store, frame.site(decorator), None, [value])
            around = machine.invoke(each, made)
            value = around if around.kind is Kind.CALLABLE else value
    return value


def offer(machine: Machine, value: Value, decorators: list[ast.expr], frame: Frame, store: Store) -> None:
    """Hand a function of a module to those of its decorators that may keep it."""
    for decorator in decorators:
        keeper = machine.evaluate(decorator, frame, store)
        if _may_keep(keeper):
            machine.invoke(keeper, Call(frame, store, frame.site(decorator), None, [value]))


def _may_keep(value: Value) -> bool:
    """Whether a decorator is a method of an object of the project, or made by one: it may keep functions."""
    return any(
        isinstance(t, Bound)
        and any(
            held.kind is Kind.INSTANCE
            for held in (t.receiver, *(each for _, each in t.captured))
            if held is not None
        )
        for t in targets(value)
    )


def _compiler_of(value: Value, site: Site) -> Value | None:
    """What makes a function one of `torch.compile`, if a decorator at `site` is that."""
    if any(isinstance(target, Compiled) for target in targets(value)):
        return value
    if has_effect(value, "dynamo"):
        return callable_value(Compiled(NONE, Dynamo(site, dynamo.BY_DEFAULT)))
    return None


def _scope_of(value: Value) -> ScopeKind | None:
    """The scope that a decorator opens around every call."""
    if isinstance(value.payload, Opening) and value.payload.scope:
        return value.payload.scope
    return ScopeKind.COMPILE if has_effect(value, "compile") else None


def autograd_of(value: Value) -> Opens | None:
    """How a decorator sets autograd around every call, if it does."""
    if isinstance(value.payload, Opening) and value.payload.effect in NO_GRAD:
        return value.payload.effect
    return Opens.NO_GRAD if has_effect(value, "autograd off") else None


def opens_scope(machine: Machine, name: ast.expr, frame: Frame, store: Store) -> bool:
    """Whether a name is that of `torch_xla.step`, which opens a scope when it is called."""
    return has_effect(machine.evaluate(name, frame, store), "step scope")


def is_context_manager(function: Function) -> bool:
    """Whether calling a generator function makes a context manager of it."""
    return any(last_name(decorator) in CONTEXT_MANAGERS for decorator in function.decorators)
