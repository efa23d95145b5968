"""Classes of the project: their bases, what they are, what their instances hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.outline import Class, Function
from xlalint.analysis.payloads import (
    Classes,
    Instance,
    Known,
    Module,
    Namespace,
    run,
    targets,
)
from xlalint.analysis.store import Store
from xlalint.knowledge.classes import kind_by_base
from xlalint.knowledge.frameworks import HOOKS, Hook
from xlalint.lazy.state import (
    State,
)
from xlalint.lazy.values import (
    UNKNOWN,
    Kind,
    Place,
    Value,
)

_Key = TypeVar("_Key")


class ClassTable:
    """What is known of the project's classes, found out when first asked for."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._tables: dict[Class, dict[str, Value]] = {}
        self._bases: dict[Class, list[Class]] = {}
        self._kinds: dict[Class, Kind] = {}
        self._constants: dict[tuple[Class, str], Value] = {}
        self._assigning: dict[Function, bool] = {}
        self._tabulating: set[Class] = set()

    def find_method(self, cls: Class, name: str) -> Function | None:
        """The method that instances of `cls` have under `name`."""
        for candidate in self.bases(cls):
            if name in candidate.methods:
                return candidate.methods[name]
        return None

    def hooks_of(self, cls: Class) -> tuple[Hook, ...]:
        """What a framework calls on instances of a class, by a base class that it derives from."""
        for base in self.bases(cls):
            hooks = () if base is cls else HOOKS.get(f"{base.outline.name}.{base.qualname}", ())
            hooks = hooks or next((HOOKS[name] for name in self._library_bases(base) if name in HOOKS), ())
            if hooks:
                return hooks
        return ()

    def _library_bases(self, cls: Class) -> list[str]:
        """The qualified names of those bases of a class that are not the project's."""
        names = []
        for expression in cls.bases:
            value = self._machine.evaluate(expression, Frame(cls.outline, None, 0), Store(State()))
            if isinstance(value.payload, Namespace) and value.payload.outline is None:
                names.append(value.payload.name)
            names += [target.name for target in targets(value) if isinstance(target, Known)]
        return names

    def bases(self, cls: Class) -> list[Class]:
        """The class and those of its bases that the project defines, in lookup order."""
        known = self._bases.get(cls)
        if known is None:
            self._bases[cls] = known = [cls]
            with _only_if_finished(self._bases, cls):
                for expression in cls.bases:
                    for base in self._base_classes(cls, expression):
                        known += [b for b in self.bases(base) if b not in known]
        return known

    def _base_classes(self, cls: Class, expression: ast.expr) -> list[Class]:
        value = self._machine.evaluate(expression, Frame(cls.outline, None, 0), Store(State()))
        if not isinstance(value.payload, Classes):
            return []
        return [c for c in value.payload.of if not isinstance(c, str)]

    def kind_of(self, cls: Class) -> Kind:
        """What instances of the class are: modules, optimizers, scalers or any other objects."""
        known = self._kinds.get(cls)
        if known is None:
            self._kinds[cls] = Kind.INSTANCE
            with _only_if_finished(self._kinds, cls):
                names = (name for base in self.bases(cls) for name in self._library_bases(base))
                kinds = (kind_by_base(name) for name in names)
                known = self._kinds[cls] = next((kind for kind in kinds if kind is not None), Kind.INSTANCE)
        return known

    def has_optimizer_scope(self, function: Function) -> bool:
        """Whether a function is a method of an optimizer or scaler class."""
        cls = function.owner
        return (
            cls is not None
            and self.kind_of(cls) in (Kind.OPTIMIZER, Kind.SCALER)
            and not _makes_cuda_tensors(cls)
        )

    def constant(self, cls: Class, name: str) -> Value:
        """The value of a name assigned in a class body."""
        key = (cls, name)
        if key not in self._constants:
            self._constants[key] = UNKNOWN
            frame = Frame(cls.outline, None, 0)
            with _only_if_finished(self._constants, key):
                self._constants[key] = self._machine.evaluate(cls.constants[name], frame, Store(State()))
        return self._constants[key]

    def attributes(self, cls: Class) -> dict[str, Value]:
        """What instances of the class hold after `__init__`, and after other methods the rest."""
        known = self._tables.get(cls)
        if known is not None:
            return known
        table: dict[str, Value] = {}
        self._tables[cls] = table
        self._tabulating.add(cls)
        try:
            with _only_if_finished(self._tables, cls):
                self._tabulate(cls, table)
        finally:
            self._tabulating.discard(cls)
        return table

    def _tabulate(self, cls: Class, table: dict[str, Value]) -> None:
        receiver = self.instance(cls)
        init = self.find_method(cls, "__init__")
        methods = [init] if init is not None else []
        for base in self.bases(cls):
            methods += [m for m in base.methods.values() if m.name != "__init__" and self._assigns(m)]
        for method in methods:
            store = Store(State())
            for attribute, value in table.items():
                store.attributes[cls, attribute] = value
            self._machine.tabulate(method, receiver, store, follow=method is init)
            for (owner, attribute), value in store.attributes.items():
                if owner is cls and (attribute not in table or method is init):
                    table[attribute] = run(value)

    def is_tabulating(self, cls: Class) -> bool:
        """Whether the attribute table of a class is just being made."""
        return cls in self._tabulating

    def _assigns(self, method: Function) -> bool:
        known = self._assigning.get(method)
        if known is None:
            known = self._assigning[method] = _assigns(method)
        return known

    def instance(self, cls: Class) -> Value:
        """An instance of a class of the project, of which nothing else is known."""
        if self.kind_of(cls) is Kind.MODULE:
            return Value(Kind.MODULE, payload=Module(None, Place.UNKNOWN, cls))
        return Value(Kind.INSTANCE, payload=Instance((cls,)))


@contextmanager
def _only_if_finished(table: dict[_Key, Any], key: _Key) -> Iterator[None]:
    """What stands in a table while it is being found out goes again when that comes to nothing."""
    try:
        yield
    except RecursionError:
        del table[key]
        raise


def _makes_cuda_tensors(cls: Class) -> bool:
    """Whether a method of the class makes tensors that can only live on a GPU: it runs nowhere else."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr.endswith("Tensor")
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr == "cuda"
        for method in cls.methods.values()
        for node in ast.walk(method.node)
    )


def _assigns(function: Function) -> bool:
    """Whether a method assigns an attribute of its first argument, judged by its text."""
    node = function.node
    if not node.args.args or isinstance(node, ast.Lambda) or function.is_static:
        return False
    lines = function.outline.lines[node.lineno - 1 : node.end_lineno]
    pattern = _ASSIGNMENT.replace("self", re.escape(node.args.args[0].arg))
    return re.search(pattern, "\n".join(lines)) is not None


_ASSIGNMENT = r"(?m)^(?:[ \t]*[\w.]+ *= *)?[^=\n(]*\bself\.\w+[^=\n(]*=(?!=)"
