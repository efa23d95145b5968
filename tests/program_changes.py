"""Changes of a program that leave every hazard in it as it was, for the metamorphic tests.

Each takes the modules of a program, as file name → tree, and changes them; it returns False where
the program holds nothing that it could change.
"""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable, Iterator
from typing import TypeAlias

Modules: TypeAlias = dict[str, ast.Module]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
HELPER = "moved_elsewhere"


def rename_locals(modules: Modules) -> bool:
    """Give every local variable a name that tells nothing."""
    renamed = [_RenameLocals() for _ in modules]
    for renamer, tree in zip(renamed, modules.values(), strict=True):
        renamer.visit(tree)
    return any(renamer.count for renamer in renamed)


def move_into_helper(modules: Modules) -> bool:
    """Move all functions and classes but `main` into another module; `main` itself if it is alone."""
    if len(modules) > 1:
        return False
    ((_, tree),) = modules.items()
    docstring, imports, rest = _parts(tree)
    started = [statement for statement in rest if _is_main_guard(statement)]
    body = [statement for statement in rest if not _is_main_guard(statement)]
    stays = [statement for statement in body if isinstance(statement, Function) and statement.name == "main"]
    moved = [statement for statement in body if statement not in stays]
    if not any(isinstance(statement, Function | ast.ClassDef) for statement in moved):
        stays, moved = [], body
    if not moved:
        return False
    wanted = _read_in([*stays, *started]) & _bound_by(moved)
    back: list[ast.stmt] = []
    if wanted:
        names = [ast.alias(name=name) for name in sorted(wanted)]
        back = [ast.ImportFrom(module=HELPER, names=names, level=0)]
    # A file that does not name torch_xla is not judged, so both go on naming it.
    marked = ast.parse("import torch_xla").body
    modules[f"{HELPER}.py"] = ast.Module(body=[*marked, *_needed(imports, moved), *moved], type_ignores=[])
    tree.body = [*docstring, *marked, *_needed(imports, [*stays, *started]), *back, *stays, *started]
    return True


def wrap_loaders_in_enumerate(modules: Modules) -> bool:
    """Turn `for batch in loader` into `for _, batch in enumerate(tqdm(loader))`."""
    return _wrap_loaders(modules, "from tqdm import tqdm", "enumerate(tqdm(LOADER))")


def wrap_loaders_in_zip(modules: Modules) -> bool:
    """Turn `for batch in loader` into `for _, batch in zip(itertools.count(), loader)`."""
    return _wrap_loaders(modules, "import itertools", "zip(itertools.count(), LOADER)")


def swap_import_style(modules: Modules) -> bool:
    """Turn `import torch_xla.a.b as b` into `from torch_xla.a import b` and the reverse."""
    swapped = [_SwapImports() for _ in modules]
    for swapper, tree in zip(swapped, modules.values(), strict=True):
        swapper.visit(tree)
    return any(swapper.count for swapper in swapped)


def import_inside_functions(modules: Modules) -> bool:
    """Move the module's imports of torch_xla into the functions that use them."""
    changed = [_import_inside(tree) for tree in modules.values()]
    return any(changed)


CHANGES: tuple[Callable[[Modules], bool], ...] = (
    rename_locals,
    move_into_helper,
    wrap_loaders_in_enumerate,
    wrap_loaders_in_zip,
    swap_import_style,
    import_inside_functions,
)


class _RenameLocals(ast.NodeTransformer):
    """Renames what a function binds by assignment, loop or `with`; parameters stay, since callers
    may name them, and so do imports and definitions."""

    def __init__(self) -> None:
        self.count = 0
        self._scopes: list[dict[str, str]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self._scopes.append({name: name for name in _parameters(node.args)})
        node.body = self.visit(node.body)
        self._scopes.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        # What a class body binds are attributes; functions in it do not see them as names.
        self._scopes.append({name: name for name in _assigned(node.body)})
        for index, statement in enumerate(node.body):
            if isinstance(statement, Function):
                own = self._scopes.pop()
                node.body[index] = self.visit(statement)
                self._scopes.append(own)
            else:
                self.visit(statement)
        self._scopes.pop()
        for part in (*node.bases, *node.keywords, *node.decorator_list):
            self.visit(part)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        for scope in reversed(self._scopes):
            if node.id in scope:
                node.id = scope[node.id]
                break
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name is not None and self._scopes:
            node.name = self._scopes[-1].get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        for index, name in enumerate(node.names):
            for scope in reversed(self._scopes[:-1]):
                if name in scope:
                    node.names[index] = scope[name]
                    break
        return node

    def _function(self, node: Function) -> Function:
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)
        kept = set(_parameters(node.args)) | _declared(node.body, ast.Global)
        outer = _declared(node.body, ast.Nonlocal)
        scope: dict[str, str] = {name: name for name in kept}
        for name in sorted(_assigned(node.body) - kept - outer - _defined(node.body)):
            scope[name] = f"v{self.count}"
            self.count += 1
        self._scopes.append(scope)
        node.body = [self.visit(statement) for statement in node.body]
        self._scopes.pop()
        return node


class _SwapImports(ast.NodeTransformer):
    def __init__(self) -> None:
        self.count = 0

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        swapped: list[ast.stmt] = []
        for alias in node.names:
            package, _, name = alias.name.rpartition(".")
            if alias.name.startswith("torch_xla.") and alias.asname:
                self.count += 1
                asname = alias.asname if alias.asname != name else None
                swapped.append(
                    ast.ImportFrom(module=package, names=[ast.alias(name=name, asname=asname)], level=0)
                )
            else:
                swapped.append(ast.Import(names=[alias]))
        return swapped

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        kept, swapped = [], []
        for alias in node.names:
            if f"{node.module}.{alias.name}" in _MODULES:
                self.count += 1
                whole = ast.alias(name=f"{node.module}.{alias.name}", asname=alias.asname or alias.name)
                swapped.append(ast.Import(names=[whole]))
            else:
                kept.append(alias)
        if kept:
            node.names = kept
            return [node, *swapped]
        return [*swapped]


_MODULES = frozenset(
    f"torch_xla.{name}"
    for name in (
        "core.xla_model",
        "distributed.parallel_loader",
        "distributed.xla_multiprocessing",
        "debug.profiler",
        "debug.metrics",
        "runtime",
        "amp",
    )
)


class _WrapLoaders(ast.NodeTransformer):
    def __init__(self, wrapped: str) -> None:
        self.count = 0
        self._wrapped = wrapped

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.iter, ast.Name | ast.Attribute) and "loader" in ast.unparse(node.iter).lower():
            self.count += 1
            node.iter = _Replace(node.iter).visit(ast.parse(self._wrapped, mode="eval").body)
            number = ast.Name(id=f"number_{self.count}", ctx=ast.Store())
            node.target = ast.Tuple(elts=[number, node.target], ctx=ast.Store())
        return node


class _Replace(ast.NodeTransformer):
    def __init__(self, loader: ast.expr) -> None:
        self._loader = loader

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._loader if node.id == "LOADER" else node


def _wrap_loaders(modules: Modules, needed: str, wrapped: str) -> bool:
    changed = False
    for tree in modules.values():
        wrapper = _WrapLoaders(wrapped)
        wrapper.visit(tree)
        if wrapper.count:
            changed = True
            docstring, imports, rest = _parts(tree)
            tree.body = [*docstring, *imports, *ast.parse(needed).body, *rest]
    return changed


def _import_inside(tree: ast.Module) -> bool:
    imports = [
        statement
        for statement in tree.body
        if (isinstance(statement, ast.Import) and statement.names[0].name.startswith("torch_xla"))
        or (isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("torch_xla"))
    ]
    outside = _read_in(_outside_functions(tree))
    changed = False
    for statement in imports:
        names = _bound_by([statement])
        if names & outside:
            continue
        users = [function for function in _outermost_functions(tree) if names & _read_in(function.body)]
        for function in users:
            docstring = function.body[:1] if ast.get_docstring(function) is not None else []
            function.body = [*docstring, statement, *function.body[len(docstring) :]]
        tree.body.remove(statement)
        changed = True
    return changed


def _outermost_functions(tree: ast.Module) -> list[Function]:
    return [
        function
        for statement in tree.body
        for function in (statement.body if isinstance(statement, ast.ClassDef) else [statement])
        if isinstance(function, Function)
    ]


def _outside_functions(tree: ast.Module) -> Iterator[ast.AST]:
    functions = _outermost_functions(tree)
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            yield from (*statement.bases, *statement.decorator_list)
            yield from (part for part in statement.body if part not in functions)
        elif statement not in functions:
            yield statement
    for function in functions:
        yield from (function.args, *function.decorator_list)
        if function.returns is not None:
            yield function.returns


def _parts(tree: ast.Module) -> tuple[list[ast.stmt], list[ast.stmt], list[ast.stmt]]:
    """The module's docstring, the imports at its top, and the rest."""
    docstring = tree.body[:1] if ast.get_docstring(tree) is not None else []
    rest = tree.body[len(docstring) :]
    imports = list(itertools.takewhile(lambda one: isinstance(one, ast.Import | ast.ImportFrom), rest))
    return docstring, imports, rest[len(imports) :]


def _needed(imports: list[ast.stmt], body: list[ast.stmt]) -> list[ast.stmt]:
    """The imports, as far as `body` reads what they bind; those from the future stay as they are."""
    read = _read_in(body)
    needed: list[ast.stmt] = []
    for statement in imports:
        assert isinstance(statement, ast.Import | ast.ImportFrom)
        from_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        names = [
            alias
            for alias in statement.names
            if from_future or alias.name == "*" or (alias.asname or alias.name).split(".")[0] in read
        ]
        if isinstance(statement, ast.ImportFrom) and names:
            needed.append(ast.ImportFrom(module=statement.module, names=names, level=statement.level))
        elif names:
            needed.append(ast.Import(names=names))
    return needed


def _is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)


def _read_in(nodes: Iterator[ast.AST] | list[ast.stmt]) -> set[str]:
    return {
        name.id
        for node in nodes
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and not hasattr(builtins, name.id)
    }


def _bound_by(statements: list[ast.stmt]) -> set[str]:
    return _assigned(statements) | _defined(statements)


def _assigned(body: list[ast.stmt]) -> set[str]:
    """Names that `body` binds in its own scope by assignment, loop, `with`, `except` or walrus."""
    names: set[str] = set()
    for node in _own_scope(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            names.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            names.add(node.name)
    return names


def _defined(body: list[ast.stmt]) -> set[str]:
    """Names that `body` binds in its own scope by definition or import."""
    names: set[str] = set()
    for node in _own_scope(body):
        if isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
            names.add(node.name)
    return names


def _declared(body: list[ast.stmt], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    return {name for node in _own_scope(body) if isinstance(node, kind) for name in node.names}


def _own_scope(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of `body` without those of the scopes in it; comprehensions count as one with it."""
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _parameters(arguments: ast.arguments) -> list[str]:
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    return [argument.arg for argument in every if argument is not None]
