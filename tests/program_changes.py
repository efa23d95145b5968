"""Changes of a program that leave every hazard in it as it was, for the metamorphic tests.

Each takes the modules of a program, as file name → tree, and changes them; it returns False where
the program holds nothing that it could change.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from bindings import (
    Block,
    Function,
    Loop,
    assigned,
    blocks,
    bound_by,
    declared,
    defined,
    flow,
    loaded,
    own_scope,
    parameters,
    read_in,
    targets,
)

Modules: TypeAlias = dict[str, ast.Module]
Change: TypeAlias = Callable[[Modules], bool]
HELPER = "moved_elsewhere"
EXTRACTED = "extracted_"
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


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
    wanted = read_in([*stays, *started]) & bound_by(moved)
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


def extract_loops(modules: Modules) -> bool:
    """Make each loop that stands in no other a function of its own."""

    def runs(block: Block) -> Iterator[Run]:
        if block.loop is None:
            yield from _runs_of(block, (ast.For, ast.While), most=1)

    return _extract(modules, runs)


def extract_loop_bodies(modules: Modules) -> bool:
    """Make what an innermost loop does, or as much of it as can be, functions of their own."""
    return _extract(modules, _runs_of_innermost_loops)


def extract_loop_bodies_into_closures(modules: Modules) -> bool:
    """Make the same a function within, which sees and binds the names around it."""
    return _extract(modules, _runs_of_innermost_loops, within=True)


def extract_statements(modules: Modules) -> bool:
    """Make rows of simple statements functions of their own."""
    return _extract(modules, lambda block: _runs_of(block, SIMPLE, least=2, most=len(block.body) - 1))


def inline_helpers(modules: Modules) -> bool:
    """Put the body of each function that is called at one place only in the place of the call."""
    count = 0
    while any(_inline_one(modules, tree, f"inlined_{count}_") for tree in modules.values()):
        count += 1
    return count > 0


CHANGES: tuple[Change, ...] = (
    rename_locals,
    move_into_helper,
    wrap_loaders_in_enumerate,
    wrap_loaders_in_zip,
    swap_import_style,
    import_inside_functions,
    extract_loops,
    extract_loop_bodies,
    extract_loop_bodies_into_closures,
    extract_statements,
    inline_helpers,
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
        self._scopes.append({name: name for name in parameters(node.args)})
        node.body = self.visit(node.body)
        self._scopes.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        # What a class body binds are attributes; functions in it do not see them as names.
        self._scopes.append({name: name for name in assigned(node.body)})
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
        kept = set(parameters(node.args)) | declared(node.body, ast.Global)
        outer = declared(node.body, ast.Nonlocal)
        scope: dict[str, str] = {name: name for name in kept}
        for name in sorted(assigned(node.body) - kept - outer - defined(node.body)):
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
    outside = read_in(_outside_functions(tree))
    changed = False
    for statement in imports:
        names = bound_by([statement])
        users = [function for function in _outermost_functions(tree) if names & read_in(function.body)]
        if names & outside or not users:
            continue  # An import that nothing names is there for what it does.
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
    read = read_in(body)
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


class Run(NamedTuple):
    """Some statements of a block that stand below one another."""

    block: Block
    start: int
    end: int

    @property
    def body(self) -> list[ast.stmt]:
        """The statements."""
        return self.block.body[self.start : self.end]


class _Activation(NamedTuple):
    """A function, with what the names in it mean.

    Attributes:
        function: The function.
        outer: Names that are local to the functions around it.
        around: The statement of the module that it stands in.
    """

    function: ast.FunctionDef
    outer: frozenset[str]
    around: ast.stmt

    @property
    def locals(self) -> frozenset[str]:
        """Names that are local to it."""
        body = self.function.body
        foreign = declared(body, ast.Global) | declared(body, ast.Nonlocal)
        return frozenset(({*parameters(self.function.args)} | targets(*body) | defined(body)) - foreign)

    def blocks(self) -> list[Block]:
        """Its body and all blocks within."""
        return [*blocks(self.function.body, frozenset(parameters(self.function.args)))]


_UNMOVED = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.Nonlocal, ast.Delete,
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Match,
    ast.NamedExpr,
)  # fmt: skip
"""What means something else in another function, or may do so."""

_OF_A_FRAME = frozenset({"super", "__class__", "locals", "vars", "exec", "eval"})
"""Names that mean something else in another function."""


def _runs_of(block: Block, kinds: tuple[type[ast.stmt], ...], *, most: int, least: int = 1) -> Iterator[Run]:
    """The runs of such statements in `block`, the longest first."""
    for length in range(most, least - 1, -1):
        for start in range(len(block.body) - length + 1):
            run = Run(block, start, start + length)
            documents = (
                start == 0
                and isinstance(run.body[0], ast.Expr)
                and isinstance(run.body[0].value, ast.Constant)
            )
            if not documents and all(isinstance(statement, kinds) for statement in run.body):
                yield run


def _runs_of_innermost_loops(block: Block) -> Iterator[Run]:
    whole = block.loop is not None and block.body is block.loop.body
    if whole and not any(isinstance(node, Loop) for node in own_scope(block.body)):
        yield from _runs_of(block, (ast.stmt,), most=len(block.body))


def _extract(
    modules: Modules,
    runs: Callable[[Block], Iterator[Run]],
    *,
    within: bool = False,
) -> bool:
    """Make functions of as many `runs` as can be, none of which overlap; functions within the one around."""
    count = 0
    for tree in modules.values():
        for activation in [*_activations(tree)]:
            for block in activation.blocks():
                calls: dict[tuple[int, int], ast.stmt] = {}
                for run in runs(block):
                    if any(run.start < end and start < run.end for start, end in calls):
                        continue
                    name = f"{EXTRACTED}{count}"
                    call = (_closure if within else _extracted)(run, activation, name, tree)
                    if call is not None:
                        calls[run.start, run.end] = call
                        count += 1
                for start, end in sorted(calls, reverse=True):
                    block.body[start:end] = [calls[start, end]]
    return count > 0


def _activations(tree: ast.Module) -> Iterator[_Activation]:
    """All functions whose surroundings are plain functions and classes."""
    waiting: list[tuple[ast.AST, frozenset[str], ast.stmt]] = [(one, frozenset(), one) for one in tree.body]
    while waiting:
        node, outer, around = waiting.pop(0)
        if isinstance(node, ast.FunctionDef):
            activation = _Activation(node, outer, around)
            yield activation
            outer |= activation.locals
        if not isinstance(node, ast.AsyncFunctionDef | ast.Lambda):
            waiting += [(child, outer, around) for child in ast.iter_child_nodes(node)]


def _closure(run: Run, activation: _Activation, name: str, tree: ast.Module) -> ast.stmt | None:
    """The call of a new function that does to the names around it what `run` does; None as below."""
    body, function = run.body, activation.function
    binds = targets(*body)
    if not _may_move(body) or binds - activation.locals:
        return None
    helper = _function(name, (), [*([ast.Nonlocal(sorted(binds))] if binds else []), *body])
    with _without(run):
        own = binds - targets(*function.body) - {*parameters(function.args)}
    # What is nonlocal must be bound by the function around, too.
    bound = ast.parse(" = ".join((*sorted(own), "None"))).body if own else []
    start = int(ast.get_docstring(function) is not None)
    function.body[start:start] = [*bound, helper]
    return ast.Expr(ast.Call(_name(name), [], []))


def _extracted(run: Run, activation: _Activation, name: str, tree: ast.Module) -> ast.stmt | None:
    """The call of a new function that does what `run` does; None where that would not be the same."""
    body, local = run.body, activation.locals
    inner, binds = flow(body), targets(*body)
    if not _may_move(body) or binds - local:
        return None
    needed = inner.needed & (local | activation.outer)
    # What a name holds is freed when the name is: so all that is surely bound goes back, read or not.
    with _without(run):
        given = binds & (loaded(activation.function) | inner.sure)
    held: frozenset[str] = frozenset()
    if run.block.loop is not None:
        given |= needed & binds
    else:
        held = binds - given - needed  # the last round of a loop, or an arm of a test, has bound it, if any
    needed |= given - inner.sure
    given |= held
    sure = flow(run.block.body[: run.start], run.block.sure).sure
    if (needed & local) - sure or _is_shared(needed, binds, activation.function):
        return None
    if needed & defined(activation.function.body):
        return None  # nobody passes modules as arguments, and a nested function may be any
    first = ast.parse(" = ".join((*sorted(held), "None"))).body if held else []
    back = ast.parse(f"return {', '.join(sorted(given))}").body if given else []
    helper = _function(name, needed, [*first, *body, *back])
    tree.body.insert(tree.body.index(activation.around), helper)
    call = f"{name}({', '.join(sorted(needed))})"
    return ast.parse(f"{', '.join(sorted(given))} = {call}" if given else call).body[0]


def _function(name: str, takes: Iterable[str], body: list[ast.stmt]) -> ast.stmt:
    (function,) = ast.parse(f"def {name}({', '.join(sorted(takes))}): pass").body
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    return function


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _may_move(body: Sequence[ast.stmt]) -> bool:
    """Whether the statements mean the same in another function, as far as they stand for themselves."""
    return not any(
        isinstance(node, (*_UNMOVED, ast.Return))
        or (isinstance(node, ast.Name) and node.id in _OF_A_FRAME)
        or (isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"))
        for statement in body
        for node in ast.walk(statement)
    ) and not any(map(_leaves_a_loop, body))


def _leaves_a_loop(node: ast.AST) -> bool:
    """Whether there is a `break` or `continue` in `node` whose loop is not."""
    if isinstance(node, Loop):
        return any(map(_leaves_a_loop, node.orelse))
    return isinstance(node, ast.Break | ast.Continue) or any(map(_leaves_a_loop, ast.iter_child_nodes(node)))


@contextmanager
def _without(run: Run) -> Iterator[None]:
    """The function around `run`, for a look at what is left."""
    body = run.body
    run.block.body[run.start : run.end] = [ast.Pass()]
    yield
    run.block.body[run.start : run.start + 1] = body


def _is_shared(needed: frozenset[str], binds: frozenset[str], function: ast.FunctionDef) -> bool:
    """Whether a function in `function` sees a name while it is bound, or binds one while it is needed."""
    within = [node for node in ast.walk(function) if isinstance(node, Function | ast.Lambda)]
    within.remove(function)
    written = {name for node in ast.walk(function) if isinstance(node, ast.Nonlocal) for name in node.names}
    return bool(binds & loaded(*within) or written & (needed | binds))


def _inline_one(modules: Modules, tree: ast.Module, prefix: str) -> bool:
    """Put one helper in the place of its only call; its names begin with `prefix` there."""
    for helper in tree.body:
        if not isinstance(helper, ast.FunctionDef) or not _is_inlined(helper, modules):
            continue
        for activation in _activations(tree):
            for block in activation.blocks():
                for index, statement in enumerate(block.body):
                    call = getattr(statement, "value", None)
                    if (
                        isinstance(statement, ast.Expr | ast.Assign | ast.Return)
                        and isinstance(call, ast.Call)
                        and isinstance(call.func, ast.Name)
                        and call.func.id == helper.name
                    ):
                        body = _inlined(helper, call, statement, activation, prefix)
                        if body is not None:
                            block.body[index : index + 1] = body
                            tree.body.remove(helper)
                            return True
    return False


def _is_inlined(helper: ast.FunctionDef, modules: Modules) -> bool:
    """Whether `helper` is named at one place only, and its body runs from its top to its end."""
    named = [
        node
        for tree in modules.values()
        for node in ast.walk(tree)
        if helper.name
        in (getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "value", None))
        or (isinstance(node, ast.alias) and node.name in (helper.name, "*"))
    ]
    left = [node for statement in helper.body for node in ast.walk(statement) if isinstance(node, ast.Return)]
    return (
        len(named) == 1
        and not helper.decorator_list
        and helper.args.vararg is None
        and helper.args.kwarg is None
        and left in ([], helper.body[-1:])
        and not any(
            isinstance(node, _UNMOVED) or (isinstance(node, ast.Name) and node.id in _OF_A_FRAME)
            for statement in helper.body
            for node in ast.walk(statement)
        )
    )


def _inlined(
    helper: ast.FunctionDef,
    call: ast.Call,
    statement: ast.Expr | ast.Assign | ast.Return,
    activation: _Activation,
    prefix: str,
) -> list[ast.stmt] | None:
    """What `helper` does in place of `statement`; None where that would not be the same."""
    given = _arguments(helper.args, call)
    names = {*parameters(helper.args), *targets(*helper.body)}
    foreign = loaded(*helper.body) - names
    if given is None or foreign & (activation.locals | activation.outer) or activation.function is helper:
        return None
    renamed = {name: prefix + name for name in names}
    docstring = ast.get_docstring(helper) is not None
    body = [_Rename(renamed).visit(copy.deepcopy(one)) for one in helper.body[docstring:]]
    bound = [ast.Assign([ast.Name(renamed[name], ast.Store())], value) for name, value in given]
    result: ast.expr = ast.Constant(None)
    if isinstance(helper.body[-1], ast.Return):
        result = body.pop().value or result
    last = copy.copy(statement)
    last.value = result
    if isinstance(statement, ast.Return) or not names:
        return [*bound, *body, last]
    # A function's names end with it, and so does their hold on tensors.
    freed = ast.Assign([ast.Name(renamed[name], ast.Store()) for name in sorted(names)], ast.Constant(None))
    return [*bound, *body, last, freed]


def _arguments(formal: ast.arguments, call: ast.Call) -> list[tuple[str, ast.expr]] | None:
    """Every parameter with its argument, in the order in which a call evaluates them."""
    positional = [one.arg for one in (*formal.posonlyargs, *formal.args)]
    keywords = [(one.arg, one.value) for one in call.keywords]
    if len(call.args) > len(positional) or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    given = [*zip(positional, call.args, strict=False), *((name, value) for name, value in keywords if name)]
    defaults: list[tuple[str, ast.expr | None]] = [
        *zip(positional[len(positional) - len(formal.defaults) :], formal.defaults, strict=True),
        *((one.arg, value) for one, value in zip(formal.kwonlyargs, formal.kw_defaults, strict=True)),
    ]
    named = {name for name, _ in given}
    given += [
        (name, value) for name, value in defaults if name not in named and isinstance(value, ast.Constant)
    ]
    return given if {name for name, _ in given} == {*parameters(formal)} else None


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name is not None:
            node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)
