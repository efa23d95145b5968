"""What the names of modules, and of classes, stand for once the program has given them something else.

What a name of a module may be is found out of its module, whoever runs (`names.py`). Where a function gives
it something (`global DEVICE`), puts something into what it holds (`STATE["device"] = ...`), or where another
module sets it (`config.device = ...`), that flows from there to whoever runs later, as with objects.
"""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import Container, Fields, Instance, Module, Options
from xlalint.analysis.store import Store
from xlalint.lazy.values import Kind, Value, kinds_that
from xlalint.program.outline import Class, Outline


def keep(machine: Machine, name: str, value: Value, frame: Frame, store: Store) -> None:
    """A name of the module that runs is given a value, or what it holds has changed."""
    function, outline = frame.function, frame.outline
    if name in outline.bindings and (function is None or not function.binds(name)):
        give(machine, *machine.names.origin(name, outline), value, store)


def give(machine: Machine, outline: Outline, name: str, value: Value, store: Store) -> None:
    """A name of a module is given a value."""
    if outline.is_framework or not (_matters(value) or (outline, name) in store.attributes):
        return
    machine.touch((outline, name))
    store.attributes[outline, name] = value


def now(machine: Machine, name: str, outline: Outline, store: Store, otherwise: Value) -> Value:
    """What a name means that stands for `otherwise` where the program has given it nothing else."""
    changes = otherwise.kind is Kind.UNKNOWN or isinstance(otherwise.payload, Container | Options)
    if isinstance(made := otherwise.payload, Module) and any(cls.outline.is_framework for cls in made.of):
        for key, value in machine.names.held_by(name, outline).items():
            machine.touch(key)
            store.attributes.setdefault(key, value)
    if name not in outline.declared and not (changes and name in outline.bindings):
        return otherwise
    return _given(machine, *machine.names.origin(name, outline), store) or otherwise


def in_module(machine: Machine, outline: Outline, name: str, store: Store) -> Value | None:
    """What a name of a module has been given; None where that is nothing, or the name is a definition's."""
    bound = outline.bindings.get(name, ())
    if bound and not any(isinstance(binding, ast.expr) for binding in bound):
        return None
    return _given(machine, outline, name, store)


def in_class(machine: Machine, cls: Class, name: str, store: Store) -> Value | None:
    """What a class has been given under a name, as in `Config.device = device`; None for nothing."""
    return _given(machine, cls.outline, f"{cls.name}.{name}", store)


def give_class(machine: Machine, cls: Class, name: str, value: Value, store: Store) -> None:
    """A class is given a value under a name, which all its instances have then."""
    give(machine, cls.outline, f"{cls.name}.{name}", value, store)


def _given(machine: Machine, outline: Outline, name: str, store: Store) -> Value | None:
    if outline.is_framework:
        return None
    machine.touch((outline, name))
    return store.attributes.get((outline, name))


def _matters(value: Value) -> bool:
    """Whether the engine may have to do with a value, or with what it holds."""
    match value.payload:
        case Container(items, element):
            return any(map(_matters, (element, *(items or ()))))
        case Instance() | Fields():
            return True
    return value.kind in _OF_ENGINE


_OF_ENGINE: Final = kinds_that("concerns_engine") | {Kind.NAMESPACE}
