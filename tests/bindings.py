"""Which names a piece of code binds and reads, for changes of programs that move code about."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)


class Flow(NamedTuple):
    """What a block needs of its surroundings, and what it leaves to them.

    Attributes:
        needed: Names that it may read before it has bound them itself.
        sure: Names that are bound when control leaves it at its end.
    """

    needed: frozenset[str]
    sure: frozenset[str]


class Block(NamedTuple):
    """Statements that stand below one another in a function.

    Attributes:
        sure: Names that are bound when control enters it.
        loop: The innermost loop around it, if any.
    """

    body: list[ast.stmt]
    sure: frozenset[str]
    loop: Loop | None


def blocks(body: list[ast.stmt], sure: frozenset[str], loop: Loop | None = None) -> Iterator[Block]:
    """`body` and every block within it in the same scope, outermost first."""
    yield Block(body, sure, loop)
    for statement in body:
        match statement:
            case ast.For() | ast.AsyncFor():
                yield from blocks(statement.body, sure | targets(statement.target), statement)
                yield from blocks(statement.orelse, sure, loop)
            case ast.While():
                yield from blocks(statement.body, sure, statement)
                yield from blocks(statement.orelse, sure, loop)
            case ast.If():
                yield from blocks(statement.body, sure, loop)
                yield from blocks(statement.orelse, sure, loop)
            case ast.With() | ast.AsyncWith():
                yield from blocks(statement.body, sure | _managed(statement), loop)
            case ast.Try():
                yield from blocks(statement.body, sure, loop)
                for handler in statement.handlers:
                    yield from blocks(handler.body, sure, loop)
                yield from blocks(statement.orelse, sure, loop)
                yield from blocks(statement.finalbody, sure, loop)
            case _:
                pass
        sure |= flow([statement], sure).sure


def flow(body: Sequence[ast.stmt], sure: frozenset[str] = frozenset()) -> Flow:
    """What `body` needs and leaves where `sure` is bound already: too much needed, too little sure."""
    needed: frozenset[str] = frozenset()
    for statement in body:
        wants: frozenset[str]
        match statement:
            case ast.For() | ast.AsyncFor():
                inner = flow(statement.body, sure | targets(statement.target))
                wants = loaded(statement.iter) | inner.needed | flow(statement.orelse, sure).needed
                leaves = sure
            case ast.While():
                wants = loaded(statement.test) | flow([*statement.body, *statement.orelse], sure).needed
                leaves = sure
            case ast.If():
                arms = [flow(arm, sure) for arm in (statement.body, statement.orelse)]
                wants = loaded(statement.test).union(*(arm.needed for arm in arms))
                if isinstance(statement.body[-1], LEAVING):
                    leaves = arms[1].sure
                else:
                    leaves = arms[0].sure & arms[1].sure
            case ast.With() | ast.AsyncWith():
                inner = flow(statement.body, sure | _managed(statement))
                wants = loaded(*statement.items) | inner.needed
                leaves = inner.sure
            case ast.Try():
                tried = flow(statement.body, sure)
                after = flow(statement.orelse, tried.sure)
                caught = [
                    flow(one.body, sure | ({one.name} if one.name else set())) for one in statement.handlers
                ]
                last = flow(statement.finalbody, sure)
                wants = tried.needed | after.needed | last.needed
                wants = wants.union(*(one.needed for one in caught), *map(_types, statement.handlers))
                leaves = after.sure.intersection(*(one.sure for one in caught)) | last.sure
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                wants = frozenset(read_in([statement]))
                leaves = sure | {statement.name}
            case ast.Import() | ast.ImportFrom():
                wants = frozenset()
                leaves = sure | defined([statement])
            case ast.Assign() | ast.AnnAssign():
                wants = loaded(statement)
                bare = isinstance(statement, ast.AnnAssign) and statement.value is None
                leaves = sure if bare else sure | targets(statement)
            case _:
                wants = loaded(statement)
                leaves = sure
        needed |= wants - sure
        sure = leaves
    return Flow(needed, sure)


def loaded(*nodes: ast.AST) -> frozenset[str]:
    """Names whose values the nodes read, without those that a comprehension or lambda binds for itself."""
    names: frozenset[str] = frozenset()
    for node in nodes:
        match node:
            case ast.Name(ctx=ast.Load()):
                names |= {node.id}
            case ast.AugAssign():
                names |= targets(node.target) | loaded(node.target, node.value)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                first = node.generators[0]
                own = frozenset[str]().union(*(targets(one.target) for one in node.generators))
                names |= loaded(first.iter) | (loaded(*ast.iter_child_nodes(node)) - own)
            case ast.Lambda():
                names |= loaded(node.args) | (loaded(node.body) - {*parameters(node.args)})
            case _:
                names |= loaded(*ast.iter_child_nodes(node))
    return names


def targets(*nodes: ast.AST) -> frozenset[str]:
    """Names that the nodes bind in the scope they stand in."""
    names: frozenset[str] = frozenset()
    for node in nodes:
        match node:
            case ast.Name(ctx=ast.Store()):
                names |= {node.id}
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() | ast.Lambda():
                pass  # a walrus in one of these binds outside it; nobody here moves such a thing
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names |= {node.name}
            case ast.ExceptHandler(name=str(name)):
                names |= {name} | targets(*node.body)
            case _:
                names |= targets(*ast.iter_child_nodes(node))
    return names


def read_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        name.id
        for node in nodes
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and not hasattr(builtins, name.id)
    }


def bound_by(statements: Sequence[ast.stmt]) -> set[str]:
    return assigned(statements) | defined(statements)


def assigned(body: Sequence[ast.stmt]) -> set[str]:
    """Names that `body` binds in its own scope by assignment, loop, `with`, `except` or walrus."""
    names: set[str] = set()
    for node in own_scope(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            names.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            names.add(node.name)
    return names


def defined(body: Sequence[ast.stmt]) -> set[str]:
    """Names that `body` binds in its own scope by definition or import."""
    names: set[str] = set()
    for node in own_scope(body):
        if isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
            names.add(node.name)
    return names


def declared(body: Sequence[ast.stmt], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    return {name for node in own_scope(body) if isinstance(node, kind) for name in node.names}


def own_scope(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of `body` without those of the scopes in it; comprehensions count as one with it."""
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def parameters(arguments: ast.arguments) -> list[str]:
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    return [argument.arg for argument in every if argument is not None]


def _managed(statement: ast.With | ast.AsyncWith) -> frozenset[str]:
    return targets(*(item.optional_vars for item in statement.items if item.optional_vars is not None))


def _types(handler: ast.ExceptHandler) -> frozenset[str]:
    return frozenset() if handler.type is None else loaded(handler.type)
