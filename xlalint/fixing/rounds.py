"""What a loader is gone over for: to train, or to evaluate as well, where every sample counts."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from xlalint.fixing.module import Module, called
from xlalint.fixing.nodes import walk
from xlalint.fixing.places import Function
from xlalint.fixing.rewrite import Refused
from xlalint.program.outline import named

_ASKING = frozenset({"len", "isinstance", "print", "type", "id", "hasattr", "getattr"})
"""Functions that go over nothing that they are given."""
_DEEPEST = 4
"""Calls are followed so far."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Key = str | int | None


class _Round(NamedTuple):
    """What goes over a loader, and the file where it stands."""

    module: Module
    node: ast.stmt | ast.expr


def require_trains_alone(module: Module, made: ast.Call) -> None:
    """A loader must not be gone over to evaluate, as far as its file shows, and those that it is given to.

    Raises:
        Refused: it may be.
    """
    for around in module.around(made):
        if isinstance(around, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            raise Refused(f"line {made.lineno} makes several loaders, perhaps also some to evaluate")
        if isinstance(around, ast.stmt):
            break
    rounds = _Uses(module).of(made)
    training = [each for each in rounds if _trains(*each)]
    for other, each in training:
        test = _mode(other, each)
        if test is not None:
            where = _where(module, other, test)
            raise Refused(f"its loop trains only where `{other.source(test)}` on {where} says so")
    for found in rounds:
        if training and found not in training:
            raise Refused(f"{_where(module, *found)} goes over it, too, and does not train")


def _where(module: Module, other: Module, node: ast.stmt | ast.expr) -> str:
    return f"line {node.lineno}" + ("" if other is module else f" of {other.file.path.name}")


class _Uses:
    """Where a value is gone over, by whatever name, in whatever function that calls lead to.

    Of what holds several values, each is known by its key.

    Args:
        module: A file.
        others: What is known of the files of the project, by their paths, where calls have led to some.
    """

    def __init__(self, module: Module, others: dict[str, _Uses] | None = None) -> None:
        self._module = module
        self._seen: set[ast.AST] = set()
        self._others = {} if others is None else others
        self._others[str(module.file.path)] = self
        self._found: list[_Round] = []

    def of(self, value: ast.expr) -> list[_Round]:
        self._follow(value, None)
        return [each for uses in self._others.values() for each in uses._found]

    def _follow(self, value: ast.AST, key: _Key) -> None:
        if value in self._seen:
            return
        self._seen.add(value)
        parent = self._module.parents[value]
        match parent:
            case ast.For(iter=over) | ast.AsyncFor(iter=over) if over is value:
                self._found.append(_Round(self._module, parent))
            case ast.comprehension(iter=over) if over is value:
                self._found.append(_Round(self._module, self._module.parents[parent]))  # type: ignore[arg-type]
            case ast.Assign(targets=targets):
                for target in targets:
                    self._follow_target(target, key)
            case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
                self._follow_target(target, key)
            case ast.Tuple(elts=values) | ast.List(elts=values):
                self._follow(parent, values.index(value))  # type: ignore[arg-type]
            case ast.Dict(keys=keys, values=values):
                own = keys[values.index(value)]  # type: ignore[arg-type]
                self._follow(parent, str(own.value) if isinstance(own, ast.Constant) else None)
            case ast.Subscript(slice=ast.Constant(value=asked)) if key not in (None, asked):
                pass
            case ast.Subscript() | ast.IfExp() | ast.Starred():
                self._follow(parent, None)
            case ast.Attribute(attr="per_device_loader" | "items" | "values"):
                self._follow(self._module.parents[parent], None)
            case ast.Return():
                self._follow_result(parent, key)
            case ast.keyword():
                self._follow_argument(self._module.parents[parent], parent.arg, key)
            case ast.Call() if value in parent.args:
                self._follow_argument(parent, parent.args.index(value), key)

    def _follow_target(self, target: ast.expr, key: _Key) -> None:
        match target:
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if isinstance(key, int) and key < len(targets):
                    self._follow_target(targets[key], None)
            case ast.Name(id=name):
                scopes = self._module.scopes
                around = scopes.around(target, self._module.parents)
                for use, where in [*scopes.uses[name]]:
                    if scopes.binding(name, where) is scopes.binding(name, around):
                        self._follow(use, key)
            case ast.Attribute(attr=name):
                for node in walk(self._module.tree):
                    if isinstance(node, ast.Attribute) and node.attr == name and node is not target:
                        self._follow(node, key)

    def _follow_result(self, statement: ast.Return, key: _Key) -> None:
        function = next(each for each in self._module.around(statement) if isinstance(each, Function))
        for node in walk(self._module.tree):
            if called(node) == function.name:
                self._follow(node, key)

    def _follow_argument(self, call: ast.AST, place: str | int | None, key: _Key) -> None:
        """What a function of the project does with it; of another, that it may hand it on."""
        name = called(call)
        if name in _ASKING:
            return
        own = _functions(self._module).get(name, [])
        if len(own) != 1:
            self._follow(call, key)
        for function in own:
            self._follow_parameter(function, place, key)
        for uses in () if own else self._defining(name):
            for function in _functions(uses._module).get(name, ()):
                uses._follow_parameter(function, place, key)

    def _defining(self, name: str) -> Iterator[_Uses]:
        """The other files of the project that have a function or class of a name."""
        callees = self._module.callees
        if callees is None:
            return
        for path in callees.defining(name):
            if path not in self._others and (module := callees.look(path)) is not None:
                _Uses(module, self._others)
            if path in self._others:
                yield self._others[path]

    def _follow_parameter(self, function: _Function, place: str | int | None, key: _Key) -> None:
        parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        if isinstance(place, int):
            if parameters[:1] in (["self"], ["cls"]):
                del parameters[0]
            place = parameters[place] if place < len(parameters) else None
        for node in walk(function):
            if isinstance(node, ast.Name) and node.id == place and isinstance(node.ctx, ast.Load):
                self._follow(node, key)


def _defined(module: Module, name: str) -> _Function | None:
    """The only function of a file that has a name; of a class, its constructor."""
    found = _functions(module).get(name, [])
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=16)
def _functions(module: Module) -> dict[str, list[_Function]]:
    found: dict[str, list[_Function]] = defaultdict(list)
    for node in walk(module.tree):
        if isinstance(node, Function):
            found[node.name].append(node)
        elif isinstance(node, ast.ClassDef):
            found[node.name] += (
                each for each in node.body if isinstance(each, Function) and each.name == "__init__"
            )
    return found


# What a loop does -------------------------------------------------------------------------------


def _trains(module: Module, node: ast.AST) -> bool:
    return any(True for _ in _training(module, node, _DEEPEST))


def _training(module: Module, node: ast.AST, depth: int) -> Iterator[ast.Call]:
    """The calls in a loop or function by which it trains, if only by a function of the file."""
    for each in walk(node):
        if isinstance(each, ast.Call):
            function = _defined(module, called(each)) if depth else None
            if called(each) == "backward" or (
                function is not None and any(True for _ in _training(module, function, depth - 1))
            ):
                yield each


def _mode(module: Module, node: ast.AST, depth: int = _DEEPEST) -> ast.expr | None:
    """A test, of nothing that the rounds of a loop bring, without which none of them trains."""
    modes: list[ast.expr | None] = []
    for call in _training(module, node, depth):
        mode = _test_around(module, node, call)
        function = _defined(module, called(call)) if depth else None
        if mode is None and function is not None:
            mode = _mode(module, function, depth - 1)
        modes.append(mode)
    return modes[0] if all(modes) and modes else None


def _test_around(module: Module, loop: ast.AST, call: ast.Call) -> ast.expr | None:
    bound = named(loop, ast.Store)
    inner: ast.AST = call
    for around in module.around(call):
        if around is loop:
            break
        if isinstance(around, ast.If):
            other = around.orelse if inner in around.body else around.body
            asked = named(around.test) | named(around.test, ast.Store)
            if asked.isdisjoint(bound) and not any(_trains(module, each) for each in other):
                return around.test
        inner = around
    return None
