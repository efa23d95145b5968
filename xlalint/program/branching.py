"""What branches or goes round otherwise, as an `if` or a `for` would have it."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.program.outline import named
from xlalint.remembering import remembered


@remembered(1024)
def as_branches(node: ast.Match) -> ast.If | None:
    """A `match` whose cases ask for constants, as a chain of tests; None where one asks for more.

    The names that its cases bind are not bound.
    """
    arms: list[ast.stmt] = []
    chain: ast.If | None = None
    for case in reversed(node.cases):
        always = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
        test = case.guard if always else _asked(node.subject, case.pattern)
        if always and test is None:
            arms = case.body
            continue
        if test is None:
            return None
        if case.guard is not None and not always:
            test = ast.copy_location(ast.BoolOp(ast.And(), [test, case.guard]), case.pattern)
        chain = ast.copy_location(ast.If(test, case.body, arms), case.pattern)
        arms = [chain]
    return chain


def _asked(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """What a case asks of its subject, as an expression; None where that is more than for a constant."""
    test: ast.expr
    match pattern:
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _asked(subject, inner)
        case ast.MatchValue(value=value):
            test = ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value=None):
            test = ast.Compare(subject, [ast.Is()], [ast.copy_location(ast.Constant(None), pattern)])
        case ast.MatchSingleton(value=flag):
            test = subject if flag else ast.UnaryOp(ast.Not(), subject)
        case ast.MatchOr(patterns=patterns):
            values = [one.value for one in patterns if isinstance(one, ast.MatchValue)]
            if len(values) < len(patterns):
                return None
            several = ast.copy_location(ast.Tuple(values, ast.Load()), pattern)
            test = ast.Compare(subject, [ast.In()], [several])
        case _:
            return None
    return test if test is subject else ast.copy_location(test, pattern)


@remembered(4096)
def as_branch(node: ast.Expr) -> ast.If | None:
    """`test and call()` or `test or call()`, where nobody asks for what comes of it; None for all else."""
    whole = node.value
    if not isinstance(whole, ast.BoolOp):
        return None
    first, rest = whole.values[0], whole.values[1:]
    test = first if isinstance(whole.op, ast.And) else ast.UnaryOp(ast.Not(), first)
    done = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(whole.op, rest), rest[0])
    body: list[ast.stmt] = [ast.copy_location(ast.Expr(done), done)]
    return ast.copy_location(ast.If(ast.copy_location(test, first), body, []), node)


@remembered(1024)
def kept_tests(node: ast.While) -> tuple[ast.If, ...]:
    """The tests of a `while` that no round changes by a name, each as an `if` around the loop."""
    bound = frozenset[str]().union(*(named(part, ast.Store) for part in node.body))
    whole = node.test
    if isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.Or):
        return ()
    tests = whole.values if isinstance(whole, ast.BoolOp) else [whole]
    return tuple(_around(node, test, tests) for test in tests if bound.isdisjoint(named(test)))


def _around(node: ast.While, test: ast.expr, tests: list[ast.expr]) -> ast.If:
    rest = [other for other in tests if other is not test] or [test]
    asked = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(ast.And(), rest), node.test)
    loop = ast.copy_location(ast.While(asked, node.body, node.orelse), node)
    return ast.copy_location(ast.If(test, [loop], []), node)


@remembered(1024)
def as_loop(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.stmt:
    """A comprehension as the loop that computes its elements."""
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    body: list[ast.stmt] = [ast.copy_location(ast.Expr(each), each) for each in elements]
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = [ast.copy_location(ast.If(test, body, []), test)]
        loop = ast.For(generator.target, generator.iter, body, [])
        body = [ast.copy_location(loop, generator.iter)]
    return body[0]


@remembered(1024)
def as_generator(node: ast.expr) -> ast.expr:
    """`map(function, over)` as the generator that computes the same; any other expression as it is."""
    match node:
        case ast.Call(func=ast.Name(id="map"), args=[function, over], keywords=[]):
            if isinstance(function, ast.Starred) or isinstance(over, ast.Starred):
                return node
            each = ast.copy_location(ast.Name(_EACH, ast.Load()), node)
            called = ast.copy_location(ast.Call(function, [each], []), node)
            target = ast.copy_location(ast.Name(_EACH, ast.Store()), node)
            made = ast.GeneratorExp(called, [ast.comprehension(target, over, [], 0)])
            return ast.copy_location(made, node)
    return node


_EACH: Final = "(each)"
"""What `map` hands on, by a name that no program has."""
