"""Which names are bound where in one file, and what a name at some place is bound by."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xlalint.fixing.nodes import children

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Imported(NamedTuple):
    """A name that an import binds.

    Args:
        alias: Its part of the import.
        statement: The import.
        name: What it is called in the file.
        target: What it means, as a qualified name; a relative one begins with its dots.
    """

    alias: ast.alias
    statement: ast.Import | ast.ImportFrom
    name: str
    target: str

    @property
    def brings(self) -> str:
        """What is imported: more than the name means in `import torch_xla.core.xla_model`."""
        return self.alias.name if isinstance(self.statement, ast.Import) else self.target

    @property
    def package(self) -> str:
        """The outermost package of what is imported."""
        return self.brings.partition(".")[0]

    @property
    def is_plain(self) -> bool:
        """Whether it binds the outermost package of what it imports."""
        return isinstance(self.statement, ast.Import) and self.alias.asname is None


class Scope:
    """A module, class, function, lambda or comprehension."""

    def __init__(self, node: ast.AST, parent: Scope | None) -> None:
        self.node = node
        self.parent = parent
        self.imports: dict[str, list[Imported]] = defaultdict(list)
        self.others: dict[str, list[ast.AST]] = defaultdict(list)  # what else binds a name
        self.absent: set[str] = set()  # names that are set to None
        self.elsewhere: set[str] = set()  # declared global or nonlocal

    def binds(self, name: str) -> bool:
        """Whether the name is bound in this scope itself."""
        return name not in self.elsewhere and (
            name in self.imports or name in self.others or name in self.absent
        )

    def outwards(self) -> Iterator[Scope]:
        """This scope and those around it, as far as names in it are looked up there."""
        yield self
        scope = self.parent
        while scope is not None:
            if not isinstance(scope.node, ast.ClassDef):
                yield scope
            scope = scope.parent


class Scopes:
    """The scopes of a file."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self.uses: dict[str, list[tuple[ast.Name, Scope]]] = defaultdict(list)
        """By name, where it is read, or deleted."""
        self.imports: list[tuple[Imported, Scope]] = []
        """All imports, each with the scope whose names it binds."""
        self.stars: list[ast.ImportFrom] = []
        self.shared: set[str] = set()
        """Names that are declared global or nonlocal somewhere."""
        self._of: dict[ast.AST, Scope] = {}
        self._walk(tree.body, self.module)

    def around(self, node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Scope:
        """The scope in which a name at a node is looked up."""
        around: ast.AST | None = node
        while around is not None:
            if around in self._of:
                return self._of[around]
            around = parents.get(around)
        return self.module

    def binding(self, name: str, scope: Scope) -> Scope | None:
        """The scope that binds a name which is read in `scope`."""
        return next((each for each in scope.outwards() if each.binds(name)), None)

    def uses_of(self, imported: Imported, scope: Scope) -> Iterator[ast.Name]:
        """Where a name that is bound in `scope` is read."""
        for node, where in self.uses.get(imported.name, ()):
            if self.binding(imported.name, where) is scope:
                yield node

    # Walking ------------------------------------------------------------------------------------

    def _walk(self, nodes: Iterable[ast.AST | None], scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self._visit(node, scope)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        if node.__class__ not in _BINDING:
            for child in children(node):
                self._visit(child, scope)
            return
        match node:
            case ast.Name():
                self._name(node, scope)
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
                scope.absent.add(name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._of[node] = scope
                self._bind(node.name, node, scope)
                self._walk(node.decorator_list, scope)
                self._function(node, node.body, scope)
                self._walk([node.returns], scope)
            case ast.Lambda():
                self._function(node, [node.body], scope)
            case ast.ClassDef():
                self._of[node] = scope
                self._bind(node.name, node, scope)
                self._walk((*node.decorator_list, *node.bases, *node.keywords), scope)
                self._inside(node, node.body, scope)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self._comprehension(node, [node.elt], scope)
            case ast.DictComp():
                self._comprehension(node, [node.key, node.value], scope)
            case ast.NamedExpr():
                outside = scope
                while isinstance(outside.node, _COMPREHENSIONS) and outside.parent is not None:
                    outside = outside.parent
                self._bind(node.target.id, node, outside)
                self._visit(node.value, scope)
            case ast.Global() | ast.Nonlocal():
                scope.elsewhere.update(node.names)
                self.shared.update(node.names)
            case _:
                if (bound := _bound_by(node)) is not None:
                    self._bind(bound, node, scope)
                self._walk(children(node), scope)

    def _name(self, node: ast.Name, scope: Scope) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, node, scope)
        if not isinstance(node.ctx, ast.Store):
            self.uses[node.id].append((node, scope))

    def _bind(self, name: str, node: ast.AST, scope: Scope) -> None:
        scope.others[name].append(node)
        if name in scope.elsewhere:
            self.module.others[name].append(node)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias in node.names:
            if alias.name == "*":
                assert isinstance(node, ast.ImportFrom)
                self.stars.append(node)
                continue
            first = alias.name.partition(".")[0]
            if isinstance(node, ast.Import):
                target = alias.name if alias.asname else first
            else:
                target = f"{'.' * node.level}{node.module + '.' if node.module else ''}{alias.name}"
            imported = Imported(alias, node, alias.asname or first, target)
            owner = self.module if imported.name in scope.elsewhere else scope
            owner.imports[imported.name].append(imported)
            self.imports.append((imported, owner))

    def _function(self, node: Function, body: Iterable[ast.AST], scope: Scope) -> None:
        given = node.args
        self._walk((*given.defaults, *given.kw_defaults), scope)
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        arguments += [each for each in (given.vararg, given.kwarg) if each is not None]
        self._walk((each.annotation for each in arguments), scope)
        inner = self._inside(node, (), scope)
        for argument in arguments:
            self._bind(argument.arg, argument, inner)
        self._walk(body, inner)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, results: list[ast.expr],
        scope: Scope,
    ) -> None:  # fmt: skip
        first, *rest = node.generators
        self._visit(first.iter, scope)
        inner = self._inside(node, (first.target, *first.ifs), scope)
        self._walk((*rest, *results), inner)

    def _inside(self, node: ast.AST, body: Iterable[ast.AST], scope: Scope) -> Scope:
        inner = Scope(node, scope)
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                self._of.update(dict.fromkeys(node.body, inner))
            case ast.Lambda():
                self._of[node.body] = inner
            case _:
                self._of[node] = inner  # but for a comprehension's first iterable, which hardly matters
        self._walk(body, inner)
        return inner


_BINDING = frozenset({
    ast.Name, ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda,
    ast.ClassDef, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp, ast.NamedExpr, ast.Global,
    ast.Nonlocal, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping,
})  # fmt: skip
"""What may bind or read a name; of all else only the parts do."""
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _bound_by(node: ast.AST) -> str | None:
    """The name that a handler or pattern binds."""
    match node:
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return name
        case ast.MatchMapping(rest=str(name)):
            return name
        case _:
            return None
