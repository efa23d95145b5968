"""Registries: mappings and lists that decorators fill with classes and functions, for others to look up.

A registry is a name of a module that holds an empty mapping or list, into which a function of the module puts
what it is given (`MODELS[name] = cls`, `HOOKS.append(hook)`, `HOOKS[event].append(hook)`), be the mapping one
that the function is given, too (`@register(MODELS, "small")`), or an object of a class with a method that
does (`self._items[name] = cls`, or `self[name] = cls` where the class derives from `dict`).
It holds what is decorated by that function or method, in its own module, in the one that asks, and in those
that this one and the packages around both import, and in the parts of packages that these import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    AS_MAPPING,
    Bound,
    Classes,
    Container,
    Instance,
    callable_value,
    container,
)
from xlalint.lazy.values import Kind, Value
from xlalint.program.outline import Class, Function, Outline, within


class Registry(NamedTuple):
    """Where a registry is defined, and what puts into it."""

    home: Outline
    name: str
    by: frozenset[str]
    """The functions of the module, or the methods of the object."""
    field: str
    """The attribute of the object that holds what is registered; empty for a mapping or a list, `AS_MAPPING`
    where the object is one itself."""
    in_lists: bool = False
    """Whether several may be registered under one name, or under none."""
    given: frozenset[tuple[str, int]] = frozenset()
    """Functions of the module that put into what they are given, and as which argument that is."""

    def holding(self, found: list[tuple[str | None, Value]], *, keyed: bool) -> Value:
        """What holds all that is registered."""
        if not keyed:
            return container([value for _, value in found])
        under: dict[str | None, list[Value]] = {}
        for key, value in found:
            under.setdefault(key, []).append(value)
        held = [container(values) if self.in_lists else values[-1] for values in under.values()]
        return container(held, tuple(under))


def filled(machine: Machine, value: Value, name: str, outline: Outline) -> Value:
    """What a name of a module holds once decorators have filled it, if it is a registry."""
    held = value.payload
    if not isinstance(held, Instance | Container) or (
        isinstance(held, Container) and held.keys is None and held.items != ()
    ):
        return value
    registry = _registry(machine, held, *machine.names.origin(name, outline))
    if registry is None:
        return value
    found: list[tuple[str | None, Value]] = []
    names = registry.by | {function for function, _ in registry.given}
    for module in _modules(machine, registry.home, outline, names):
        if machine.mentions(module, names):
            machine.rest_on("whole", module.file)
            found += _registered(machine, registry, module)
    if not found:
        return value
    if isinstance(held, Instance):
        holds = registry.holding(found, keyed=True)
        return value._replace(payload=Instance(held.of, ((registry.field, holds),)))
    return registry.holding(found, keyed=held.keys is not None)


def _registry(machine: Machine, held: Instance | Container, home: Outline, name: str) -> Registry | None:
    """The registry that a name of its module is."""
    if isinstance(held, Container):
        by: dict[str, bool] = {}
        given: dict[tuple[str, int], bool] = {}
        for function in home.functions.values():
            for mapping, in_lists in _filled_by(function):
                outermost = _outermost(function)
                if not isinstance(mapping, ast.Name):
                    continue
                if mapping.id == name:
                    by[outermost.name] = in_lists
                elif outermost is not function and mapping.id in outermost.parameters.positional:
                    given[outermost.name, outermost.parameters.positional.index(mapping.id)] = in_lists
        if not by and not given:
            return None
        in_lists = any([*by.values(), *given.values()])
        return Registry(home, name, frozenset(by), "", in_lists, frozenset(given))
    (cls, *others) = held.of
    if others or isinstance(cls, str):
        return None
    for base in machine.classes.bases(cls):
        machine.rest_on("whole", base.outline.file)
        for function in base.outline.functions.values():
            if (method := _outermost(function)).owner is base:
                for mapping, in_lists in _filled_by(function):
                    match mapping:
                        case ast.Attribute(ast.Name(), field) if not in_lists:
                            return Registry(home, name, frozenset({method.name}), field)
                        case ast.Name(id=own) if not in_lists and own in method.parameters.positional[:1]:
                            return Registry(home, name, frozenset({method.name}), AS_MAPPING)
    return None


def _outermost(function: Function) -> Function:
    """The function of a module or class that another one stands in, or is."""
    while isinstance(function.parent, Function):
        function = function.parent
    return function


def _filled_by(function: Function) -> Iterator[tuple[ast.expr, bool]]:
    """The mappings and lists into which a function puts what it is given, as `mapping[name] = given`, and
    whether beside others."""
    if isinstance(function.node, ast.Lambda):
        return
    given = {argument.arg for argument in function.node.args.args}
    for node in within(function.node):
        match node:
            case ast.Assign([ast.Subscript(value=mapping)], ast.Name(id=value)) if value in given:
                yield mapping, False
            case ast.Call(ast.Attribute(held, "append"), [ast.Name(id=value)]) if value in given:
                match held:
                    case ast.Subscript(value=mapping) | ast.Call(ast.Attribute(mapping, "setdefault")):
                        yield mapping, True
                    case _:
                        yield held, True


def _modules(machine: Machine, home: Outline, asking: Outline, names: frozenset[str]) -> list[Outline]:
    """The modules that are looked through for what is registered by functions of some names."""
    around = [asking, *_packages_around(machine, home, asking)]
    modules = {module.file: module for module in (home, *around)}
    seen = {module.file for module in around}
    for module in around:
        for found in _registering(machine, module, names):
            modules.setdefault(found.file, found)
            # A package mostly imports its parts so that they register.
            if found.path.name == "__init__.py" and found.file not in seen:
                seen.add(found.file)
                for part in _registering(machine, found, names):
                    modules.setdefault(part.file, part)
    return [modules[file] for file in sorted(modules)]


def _registering(machine: Machine, outline: Outline, names: frozenset[str]) -> Iterator[Outline]:
    """Of the modules that a module imports those that may register something, or import what does.

    Their texts tell, so that the others are not parsed: a package may have hundreds of parts. One that puts
    another object in its own place imports its parts when they are asked for.
    """
    for name in _imported(machine, outline):
        path = machine.names.locate_module(name, outline)
        if path is None:
            continue
        is_package = path.name == "__init__.py" and not _says(machine, path, "sys.modules")
        if is_package or any(_says(machine, path, each) for each in sorted(names)):
            found = machine.names.find_module(name, outline)
            if found is not None:
                yield found


def _says(machine: Machine, path: Path, word: str) -> bool:
    machine.rest_on("says", str(path), word)
    return machine.project.says(path, word)


def _packages_around(machine: Machine, *modules: Outline) -> Iterator[Outline]:
    """The packages that modules stand in, which Python imports before them."""
    for module in modules:
        package = module.name.rpartition(".")[0]
        while package:
            if (found := machine.names.find_module(package, module)) is not None:
                yield found
            package = package.rpartition(".")[0]


def imported(machine: Machine, outline: Outline) -> Iterator[Outline]:
    """The modules of the project that a module imports."""
    for name in _imported(machine, outline):
        found = machine.names.find_module(name, outline)
        if found is not None and not found.is_framework:
            yield found


def _imported(machine: Machine, outline: Outline) -> dict[str, None]:
    """The names by which a module imports what are modules, or may be, in their order, each once."""
    machine.rest_on("imports", outline.file)
    names: dict[str, None] = {}
    for taken in outline.taken():
        if taken.module:
            names[taken.module] = None
        if taken.name:
            names[f"{taken.module}.{taken.name}"] = None
    return names


def _registered(machine: Machine, registry: Registry, module: Outline) -> Iterator[tuple[str | None, Value]]:
    """What a module registers, each by its name; None where that is not known."""
    definitions: list[Class | Function] = [*module.classes.values(), *module.functions.values()]
    for definition in definitions:
        if definition.parent is None:
            for decorator in _decorators(definition):
                if _registers(machine, registry, decorator, module):
                    yield _key(decorator, definition), _defined(definition)


def _decorators(definition: Class | Function) -> list[ast.expr]:
    return [] if isinstance(definition.node, ast.Lambda) else definition.node.decorator_list


def _registers(machine: Machine, registry: Registry, decorator: ast.expr, module: Outline) -> bool:
    """Whether a decorator puts what it decorates into a registry."""
    given = decorator.args if isinstance(decorator, ast.Call) else []
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    match called:
        case ast.Name(id=name) if not registry.field:
            home, known_as = machine.names.origin(name, module)
            if home is not registry.home:
                return False
            return known_as in registry.by or any(
                isinstance(argument, ast.Name)
                and (known_as, position) in registry.given
                and machine.names.origin(argument.id, module) == (registry.home, registry.name)
                for position, argument in enumerate(given)
            )
        case ast.Attribute(value=ast.Name(id=name), attr=method) if registry.field and method in registry.by:
            return machine.names.origin(name, module) == (registry.home, registry.name)
    return False


def _key(decorator: ast.expr, definition: Class | Function) -> str | None:
    """Under which name a decorator registers: the one that it is given, or that of what is defined."""
    if isinstance(decorator, ast.Call):
        given = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
        named = [
            each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        return named[0] if named else definition.name if not decorator.args else None
    return definition.name


def _defined(definition: Class | Function) -> Value:
    if isinstance(definition, Function):
        return callable_value(Bound(definition))
    return Value(Kind.CLASS, payload=Classes((definition,)))
