"""Rewrites that move one statement past others."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from xlalint.cure import Cure, Hoist, InEveryStep, MoveAbove, MoveBelow
from xlalint.fixing.below import Below
from xlalint.fixing.edits import Edit
from xlalint.fixing.functions import read_by_callers
from xlalint.fixing.module import Block, Module, called
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Move
from xlalint.fixing.order import require_order
from xlalint.fixing.places import Function, function_around, opened, statement_at
from xlalint.fixing.results import ending_with_read, result_read_below
from xlalint.fixing.rewrite import Refused, Rewrite, Rewriter
from xlalint.fixing.tails import tail_below
from xlalint.fixing.work import Work


def move_below(module: Module, cure: MoveBelow) -> Rewrite:
    """Move a read, a save or a closure below a scope or statement."""
    return all_moved_below(module, [cure])


def all_moved_below(module: Module, cures: Sequence[MoveBelow]) -> Rewrite:
    """Move several statements of one block below the same one; they keep their order.

    Raises:
        Refused: one of them cannot move, or they stand in different blocks.
    """
    cure, *others = cures
    to = statement_at(module, cure.below)
    if not others and isinstance(to, ast.If) and (branch := _branch(module, _node(module, cure), to)):
        return _out_of_branch(module, _node(module, cure), to, branch)
    if isinstance(to, Function) and opened(to, cure.below, module) is None:
        return read_by_callers(module, to, [_node(module, each) for each in cures])
    read = _node(module, cure)
    if opened(to, cure.below, module) is not None:
        assert isinstance(to, ast.With | ast.AsyncWith)
        manager = _manager(module, to, read)
        try:
            return _out_of_scope(module, manager, [_node(module, each) for each in cures])
        except Refused as refused:
            if others or cure.inner is None or not isinstance(manager, ast.With):
                raise
            try:
                return tail_below(module, read, cure.inner, manager)
            except Refused as again:
                raise Refused(f"{refused}; {again}") from None
    block, to = _common(module, read, to)
    below = Below(module, block, Work(function_around(module, to), _around(module, to)))
    for each in cures:
        below.take(_node(module, each))
    for statement, member in below.moving.items():
        if block.index(member) > block.index(to):
            raise Refused(f"line {statement.lineno} stands below line {to.lineno} already")
    below.move(to, block)
    # What is built of a model below its move to the device is built of the moved one: so it is meant.
    require_order(module, below.operations, [to] if _moves_to_device(to) else [])
    return Rewrite(operations=tuple(below.operations), leaves=tuple(below.leaves))


def _out_of_scope(module: Module, to: ast.With | ast.AsyncWith, reads: Sequence[ast.AST]) -> Rewrite:
    """Move reads below the scope in which they stand."""
    try:
        below = Below(module, to.body, Work(function_around(module, to), to))
        for each in reads:
            below.take(each)
        if all(each in below.moving for each in to.body) and not below.staying:
            raise Refused(f"nothing would be left in the step on line {to.lineno}")
        below.move(to, to.body)
        require_order(module, below.operations)
        return Rewrite(operations=tuple(below.operations), leaves=tuple(below.leaves))
    except Refused:
        read = reads[0]
        if len(reads) > 1 or not isinstance(read, ast.Call) or not isinstance(to, ast.With):
            raise
        function = ending_with_read(module, read)
        if function is None:
            raise
    return result_read_below(module, read, function, to)


def _manager(module: Module, scope: ast.With | ast.AsyncWith, node: ast.AST) -> ast.With | ast.AsyncWith:
    """The `with` whose block is that of a scope: of a function of the file that opens it for its callers."""
    opener = function_around(module, scope)
    if isinstance(opener, ast.FunctionDef) and any(isinstance(each, ast.Yield) for each in walk(scope)):
        for around in module.around(node):
            if isinstance(around, ast.With) and any(
                called(item.context_expr) == opener.name for item in around.items
            ):
                return around
    return scope


def _branch(module: Module, node: ast.AST, test: ast.If) -> Block | None:
    """The block of an `if` in which a node stands."""
    return next((block for block in (test.body, test.orelse) if module.member(node, block)), None)


def _out_of_branch(module: Module, node: ast.AST, test: ast.If, branch: Block) -> Rewrite:
    """Let a statement of a branch run whatever the test, with what binds the names that it needs.

    Raises:
        Refused: it stands below another test, or what it needs is done in the branch alone.
    """
    if module.source(test).startswith("elif"):
        raise Refused(f"line {test.lineno} is asked only where the tests above it fail")
    if any(isinstance(each, ast.BoolOp | ast.NamedExpr) for each in walk(test.test)):
        raise Refused(f"line {test.lineno} asks for more than which replica this is")
    member = module.member(node, branch)
    assert member is not None
    if hasattr(member, "body"):
        raise Refused(f"it stands in the statement on line {member.lineno}, below a test of its own")
    moving = [member]
    for above, bound in _binding(member, branch[: branch.index(member)]):
        if hasattr(above, "body"):
            raise Refused(f"line {above.lineno} binds `{min(bound)}` in a block of its own")
        moving.insert(0, above)
    below = tuple(Move(each, test) for each in moving)
    try:
        require_order(module, below)
    except Refused as refused:
        above_test = tuple(Move(each, test, above=True) for each in moving)
        try:
            require_order(module, above_test)
        except Refused:
            raise refused from None
        return Rewrite(operations=above_test)
    return Rewrite(operations=below)


def _binding(statement: ast.stmt, above: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, set[str]]]:
    """Of the statements above one, from the last up: those that bind its names, or names of such a one.

    Yields: The statement, and which of these names it binds.
    """
    needed = _names(statement, ast.Load)
    for each in reversed(above):
        if bound := needed & _names(each, ast.Store):
            yield each, bound
            needed |= _names(each, ast.Load)


def in_every_step(module: Module, cure: InEveryStep) -> Rewrite:
    """Let a statement run in every round of its loop, and not in each n-th alone."""
    statement = statement_at(module, cure.site)
    test = module.parents[statement]
    if not isinstance(test, ast.If) or test.orelse or module.member(test, module.block(test)) is None:
        raise Refused(f"line {statement.lineno} stands under no test of a counter in this function")
    if _counts_steps(test.test):
        return _out_of_branch(module, statement, test, test.body)
    match test.test:
        case ast.BoolOp(op=ast.And(), values=values) if len(test.body) == 1:
            left = [each for each in values if not _counts_steps(each)]
            if len(left) < len(values):
                text = " and ".join(module.source(each) for each in left)
                return Rewrite(edits=(Edit(*module.span(test.test), text),))
    raise Refused(f"line {test.lineno} asks for more than a counter")


def _counts_steps(test: ast.expr) -> bool:
    """Whether it is `step % n == 0`."""
    match test:
        case ast.Compare(left=ast.BinOp(op=ast.Mod()), ops=[ast.Eq()], comparators=[ast.Constant()]):
            return True
    return False


def _names(statement: ast.stmt, context: type[ast.expr_context]) -> set[str]:
    """The names that a statement loads, or those that it stores."""
    return {
        each.id for each in walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, context)
    }


def _moves_to_device(statement: ast.stmt) -> bool:
    """Whether it is `model = model.to(device)`."""
    match statement:
        case ast.Assign(
            targets=[target], value=ast.Call(func=ast.Attribute(value=moved, attr="to" | "cuda"))
        ):
            return ast.unparse(target) == ast.unparse(moved)
    return False


def _around(module: Module, statement: ast.stmt) -> ast.AST:
    return next(
        (
            node
            for node in module.around(statement)
            if isinstance(node, ast.For | ast.While | ast.Module | Function)
        ),
        module.tree,
    )


def _node(module: Module, cure: MoveBelow) -> ast.AST:
    from xlalint.lazy.site import Site

    statement = statement_at(module, cure.what)
    assert isinstance(cure.what, Site)
    return module.at(cure.what) or statement


def _common(module: Module, one: ast.AST, other: ast.stmt) -> tuple[Block, ast.stmt]:
    """The innermost block that holds both, and its member that holds the other.

    Raises:
        Refused: they are in different functions.
    """
    for node in (other, *module.around(other)):
        if isinstance(node, Function) and node is not other:
            break
        if isinstance(node, ast.stmt):
            block = module.block(node)
            if module.member(one, block) not in (None, node):
                return block, node
    raise Refused(f"line {other.lineno} is in another function or branch")


def move_above(module: Module, cure: MoveAbove) -> Rewrite:
    """Move a statement above another, with what binds its names between them: the rest must not mind."""
    moved, above = statement_at(module, cure.what), statement_at(module, cure.above)
    block, target = _common(module, moved, above)
    member = module.member(moved, block)
    if member is not moved:
        raise Refused(f"line {moved.lineno} stands in a branch of its own")
    first, last = block.index(target), block.index(moved)
    if first > last:
        raise Refused(f"line {moved.lineno} stands above line {target.lineno} already")
    moving = [moved]
    for between, _ in _binding(moved, block[first + 1 : last]):
        moving.insert(0, between)
    # That it comes to see something else than before is what it moves above that one for.
    for each in moving:
        _require_names(each, target)
    operations = tuple(Move(each, target, above=True) for each in moving)
    require_order(module, operations)
    return Rewrite(operations=operations)


def hoist(module: Module, cure: Hoist) -> Rewrite:
    """Move an assignment out of the loop in whose body it stands, as it makes the same in each round."""
    statement = statement_at(module, cure.site)
    loop = module.parents[statement]
    match statement:
        case ast.Assign([ast.Name(name)], ast.Call() as made):
            pass
        case _:
            raise Refused(f"what line {statement.lineno} makes has no name of its own")
    if not isinstance(loop, ast.For | ast.While) or statement not in loop.body:
        raise Refused(f"line {statement.lineno} does not stand directly in a loop")
    bound = _names(loop, ast.Store)
    if sum(isinstance(each, ast.Call | ast.Await) for each in walk(made)) > 1:
        raise Refused(f"line {statement.lineno} calls more than what it is about")
    if used := sorted(_names(statement, ast.Load) & bound):
        raise Refused(f"`{used[0]}` is bound in the loop")
    stored = [each for each in walk(loop) if isinstance(each, ast.Name) and each.id == name]
    if sum(isinstance(each.ctx, ast.Store | ast.Del) for each in stored) > 1:
        raise Refused(f"`{name}` is bound elsewhere in the loop, too")
    return Rewrite(operations=(Move(statement, loop, above=True),))


def _require_names(moved: ast.stmt, target: ast.stmt) -> None:
    """What the target binds does not exist above it."""
    read = {each.id for each in walk(moved) if isinstance(each, ast.Name)}
    if both := sorted(_names(target, ast.Store) & read):
        raise Refused(f"line {moved.lineno} uses `{both[0]}`, which line {target.lineno} binds")


REWRITERS: dict[type[Cure], Rewriter[Any]] = {
    MoveBelow: move_below,
    MoveAbove: move_above,
    Hoist: hoist,
    InEveryStep: in_every_step,
}
