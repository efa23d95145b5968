"""Rewrites that open, close and move scopes: a loop's body becomes a step, a profiler's scope ends early."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from xlalint.cure import Cure, EndBefore, MoveInto, Swap, Unwrap, Where, WrapBody
from xlalint.fixing.below import CLOSURE, Below
from xlalint.fixing.into import into_function
from xlalint.fixing.module import MARKERS, Block, Module, called, is_marker, statements, waits
from xlalint.fixing.nodes import walk
from xlalint.fixing.operations import Delete, Insert, Move, Operation, Undecorate, Wrap
from xlalint.fixing.operations import Unwrap as Unwrapped
from xlalint.fixing.order import Known, require_order, suspends, why_not
from xlalint.fixing.places import (
    Function,
    Loop,
    body_around,
    function_around,
    is_own,
    loop_at,
    marker_name,
    opened,
    opens_profiler,
    opens_step,
    statement_at,
    with_at,
)
from xlalint.fixing.rewrite import Confined, Need, Refused, Rewrite, Rewriter
from xlalint.fixing.spelling import spelling
from xlalint.fixing.work import Work, draws_batch
from xlalint.lazy.site import Site

STEP = "torch_xla.step"
_CONDITIONS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match)


def together(module: Module, cures: Iterable[WrapBody]) -> list[WrapBody]:
    """The cures of each loop as one."""
    by_loop: dict[Loop, WrapBody] = {}
    for cure in cures:
        loop = loop_at(module, cure.loop)
        known = by_loop.get(loop, replace(cure, markers=(), below=()))
        by_loop[loop] = replace(
            known,
            markers=tuple(sorted({*known.markers, *cure.markers})),
            reads=tuple(sorted({*known.reads, *cure.reads})),
            leaves_work=tuple(sorted({*known.leaves_work, *cure.leaves_work})),
            recorded=tuple(sorted({*known.recorded, *cure.recorded})),
            below=tuple(sorted({*known.below, *cure.below})),
            meets=tuple(sorted({*known.meets, *cure.meets})),
        )
    return [*by_loop.values()]


# A loop's body ----------------------------------------------------------------------------------


def wrap_body(module: Module, cure: WrapBody) -> Rewrite:
    """Put the work of a loop's body into step scopes, with what reads below them."""
    loop = loop_at(module, cure.loop)
    _require_allowed(module, loop)
    markers: list[_Marker] = []
    refused: Refused | None = None
    ending = [each for each in cure.markers if not _leaves_step(module, statement_at(module, each), loop)]
    if ending:  # Where there are others, those that leave the step end none: they go, or stay below it.
        cure = replace(cure, markers=tuple(ending))
    for site in cure.markers:
        try:
            markers.append(_Marker(module, site, loop.body))
        except Refused as why:
            refused = why
            break
    if refused is not None and not markers:
        raise refused
    # Where the last markers end what cannot be a step, they stay, with what stands above them.
    for count in range(len(markers), min(len(markers), 1) - 1, -1):
        # What only may record work stays below, if it has to, where what it reads is.
        for sure in (False, True):
            try:
                partly = count < len(cure.markers)
                if partly:
                    _require_ended(module, loop, markers[count - 1].member, cure.markers[count:])
                return _wrapped(module, loop, cure, markers[:count], partly=partly, sure=sure)
            except Refused as why:
                refused = refused or why
    assert refused is not None
    raise refused


def _require_ended(module: Module, loop: Loop, last: ast.stmt, kept: Iterable[Site]) -> None:
    """What records work below the last step must end it itself, and not leave it beside the step."""
    ended = {module.member(statement_at(module, site), loop.body) for site in kept}
    work = Work(function_around(module, loop), loop)
    for statement in loop.body[loop.body.index(last) + 1 :]:
        if work.records(statement) and (statement not in ended or is_marker(statement)):
            raise Refused(
                f"line {statement.lineno} records work below the step, which it does not end itself"
            )


def _wrapped(
    module: Module, loop: Loop, cure: WrapBody, markers: Sequence[_Marker], *, partly: bool, sure: bool
) -> Rewrite:
    """The body with its work in steps.

    Args:
        module: The file.
        loop: The loop.
        cure: What is known of the loop.
        markers: Those that go.
        partly: Whether what stands below the last of these stays as it is, with markers of its own.
        sure: Whether only what surely records work is taken into a step.
    """
    work = Work(function_around(module, loop), loop)
    body = loop.body
    if partly:
        body = body[: body.index(markers[-1].member) + 1]
    below = Below(module, body, work)
    gone = {each.statement for each in markers if each.is_here}
    whole: dict[ast.stmt, Refused] = {}
    named: set[ast.stmt] = set()
    staying: dict[ast.Call, ast.stmt] = {}
    for site in cure.below:
        node = _node(module, site)
        member = module.member(node, body)
        if member is None and partly and module.member(node, loop.body) is not None:
            continue
        if member is not None and _is_done_elsewhere(module, node, member):
            continue
        try:
            below.take(node)
            named = {*below.moving}
        except Refused as refused:
            if member is None or (called(node) == CLOSURE and not isinstance(refused, Confined)):
                raise
            if isinstance(node, ast.Call) and called(node) == CLOSURE:
                staying[node] = member
            else:
                whole[member] = refused  # which is well if it stands below the step as it is
    _take_reads(module, cure, body, below, whole)
    recorded = {member for _, member, _ in _in_body(module, cure.recorded, body)}
    shown = _shown_first(body, work, {*below.moving, *recorded})
    for statement in body[len(shown) :]:
        read = None if statement in whole else _own_read(statement, work, below)
        if read is not None:
            below.take(read)
        for inner in () if statement in whole else _inner_reads(module, statement, work, below):
            try:
                below.take(inner)
            except Refused as refused:
                whole[statement] = refused

    def records(statement: ast.stmt) -> bool:
        if statement in gone or statement in whole:
            return False
        if statement in below.moving:
            return statement in below.staying
        if statement in shown:
            return False
        seen = work.surely_records(statement) if sure else work.records(statement)
        return seen or statement in recorded

    operations: list[Operation] = []
    leaving: list[ast.stmt] = []
    for first, last in _stretches(body, records, markers):
        inside = body[first : last + 1]
        drawing = next((each for each in inside if draws_batch(each)), None)
        if drawing is not None and first != last:
            raise Refused(f"line {drawing.lineno} draws a batch in the middle of the step")
        leaving += _leaving(module, loop, inside, markers)
        for each in inside:
            if each in whole:
                raise whole[each]
        operations.append(Wrap(body[first], body[last], f"{spelling(module, STEP, body[first])[0]}()"))
    if not operations:
        nothing = Refused("no statement of the loop's body is seen to record work")
        raise next(iter(whole.values()), nothing)
    wraps = [each for each in operations if isinstance(each, Wrap)]
    begin = body.index(wraps[0].first)
    for each in body[len(shown) : begin] if sure else ():
        if each not in gone and work.records(each):
            raise Refused(f"line {each.lineno} may record work above the step")
    for each in whole:
        if body.index(each) < begin or work.surely_records(each):
            raise whole[each]
    for statement in named:
        if body.index(below.moving[statement]) < begin:
            raise Refused(f"line {statement.lineno} reads above the work of the step")
    steps = [body[body.index(wrap.first) : body.index(wrap.last) + 1] for wrap in wraps]
    for inside in steps:
        _require_quiet(module, inside, work, below, {*leaving, *(each.statement for each in markers)})
    taken = {each for inside in steps for each in inside}
    for closure, member in staying.items():
        if member not in taken:
            raise Refused(f"the closure on line {closure.lineno} is not in the step")
        below.stay(closure)
    _require_recorded_inside(module, cure, loop.body, taken, below)
    _require_no_meeting(module, cure, body, taken)
    for inside in steps:
        below.move(inside[-1], inside)
    operations += (Delete(each) for each in (*leaving, *(each.deleted for each in markers)))
    operations += below.operations
    require_order(module, operations)
    leaves = [*below.leaves, *(name for each in markers if (name := each.name))]
    leaves += (name for each in leaving if (name := marker_name(module, each)))
    return Rewrite(
        operations=tuple(operations),
        needs=tuple(Need(STEP, wrap.first) for wrap in wraps),
        leaves=tuple(dict.fromkeys(leaves)),
    )


def _require_allowed(module: Module, loop: Loop) -> None:
    if isinstance(loop, ast.AsyncFor) or any(map(suspends, loop.body)):
        raise Refused(f"other code may run in the middle of the loop on line {loop.lineno}")
    for node in module.around(loop):
        if isinstance(node, Function):
            break
        if opens_profiler(node) or opens_step(node):
            assert isinstance(node, ast.stmt)
            raise Refused(f"a scope is open around the loop, from line {node.lineno}")
    for statement in loop.body:
        for node in walk(statement):
            if opens_step(node):
                raise Refused(f"a step is opened in the loop already, on line {node.lineno}")  # type: ignore[attr-defined]
    for node in walk(function_around(module, loop)):
        if isinstance(node, ast.keyword) and node.arg == "batches_per_execution":
            raise Refused(f"the loader on line {node.lineno} runs several batches as one graph")


def _leaving(
    module: Module, loop: Loop, inside: Sequence[ast.stmt], markers: Sequence[_Marker]
) -> Iterator[ast.stmt]:
    """The markers in a step right above what leaves it: that cuts the graph as well.

    Raises:
        Refused: another one cuts the graph in the middle of the step.
    """
    gone = {each.statement for each in markers}
    for statement in inside:
        for node in walk(statement):
            if isinstance(node, ast.stmt) and node not in gone and is_marker(node):
                if not _leaves_step(module, node, loop):
                    raise Refused(f"line {node.lineno} cuts the graph in the middle of the step")
                yield node


def _leaves_step(module: Module, marker: ast.stmt, loop: Loop) -> bool:
    """Whether a plain marker stands right above a `break` or `continue` of a loop, in a branch of it."""
    match marker:
        case ast.Expr(ast.Call(args=[], keywords=[])) if is_marker(marker) and not is_own(module, marker):
            block = module.block(marker)
            after = block[block.index(marker) + 1 :]
            return (
                isinstance(module.parents[marker], ast.If)
                and body_around(module, marker) is loop
                and len(after) == 1
                and isinstance(after[0], ast.Break | ast.Continue)
            )
    return False


def _require_quiet(
    module: Module, inside: Sequence[ast.stmt], work: Work, below: Below, gone: set[ast.stmt]
) -> None:
    """Nothing that the step does, or a function that it calls, may read or cut the graph."""
    for statement in inside:
        for each in (statement, *statements(statement)):
            if each in gone or _moves(module, each, below):
                continue
            if isinstance(each, ast.If | ast.While | ast.Assert) and work.is_value(each.test):
                raise Refused(
                    f"line {each.lineno} asks for the truth of a device value in the middle of the step"
                )
            if hasattr(each, "body"):
                continue
            found = None if module.callees is None else module.callees.harm(module, each)
            if found is not None:
                raise Refused(f"`{module.source(found.call.func)}` on line {each.lineno} {found.what}")


def _moves(module: Module, statement: ast.stmt, below: Below) -> bool:
    return any(each in below.moving for each in (statement, *module.around(statement)))


class _Marker:
    """A marker that goes, and the statement of the body that holds it."""

    def __init__(self, module: Module, site: Site, body: Block) -> None:
        statement = statement_at(module, site)
        member = module.member(statement, body)
        if member is None:
            is_here = function_around(module, statement) is function_around(module, body[0])
            where = f"outside the loop around line {body[0].lineno}" if is_here else "in another function"
            raise Refused(f"the marker on line {site.line} is {where}")
        self.statement, self.member = statement, member
        marker = self.deleted = statement
        if not is_marker(statement) or is_own(module, statement):
            marker, self.deleted = _in_helper(module, statement, site)
        if waits(marker):
            raise Refused(f"the marker on line {marker.lineno} waits for its graph, and a step does not")
        self.name = marker_name(module, marker) if marker is self.deleted else ""
        node: ast.stmt = statement
        while node is not member:
            parent = module.parents[node]
            if not isinstance(parent, ast.With) or parent.body[-1] is not node:
                raise Refused(f"the marker on line {site.line} is conditional")
            node = parent

    @property
    def is_here(self) -> bool:
        """Whether it stands in the loop, and not in a helper."""
        return self.deleted is self.statement


def _in_helper(module: Module, statement: ast.stmt, site: Site) -> tuple[ast.stmt, ast.stmt]:
    """The marker that ends a helper, and what goes: it, if nothing else calls the helper, or the call of a
    helper that does nothing else."""
    call = module.at(site)
    call = call.value if isinstance(call, ast.Expr) else call
    name = called(call) if call is not None else ""
    found = [each for each in walk(module.tree) if isinstance(each, Function) and each.name == name]
    if len(found) != 1 or not name:
        helper_name = module.source(call.func) if isinstance(call, ast.Call) else "a helper"
        raise Refused(f"the marker stands in `{helper_name}`, which line {statement.lineno} calls")
    (helper,) = found
    uses = [
        each
        for each in walk(module.tree)
        if (isinstance(each, ast.Name) and each.id == name)
        or (isinstance(each, ast.Attribute) and each.attr == name)
    ]
    marker = next((each for each in reversed(helper.body) if not isinstance(each, ast.Return)), None)
    if marker is None or not is_marker(marker) or is_own(module, marker):
        raise Refused(f"the marker stands in `{name}`, on line {helper.lineno} and below")
    if isinstance(statement, ast.Expr) and statement.value is call and _only_marks(helper, marker):
        return marker, statement
    if any(each in name for each in MARKERS):
        raise Refused(f"to cut the graph is what `{name}` is for, and it does more")
    if len(uses) != 1:
        raise Refused(f"the marker stands in `{name}`, on line {helper.lineno} and below")
    if helper.body[-1] is not marker and getattr(helper.body[-1], "value", None) is not None:
        value = helper.body[-1].value  # type: ignore[attr-defined]
        if not isinstance(value, ast.Name | ast.Constant | ast.Tuple):
            raise Refused(f"the marker stands in `{name}`, above the work of its `return`")
    return marker, marker


def _only_marks(helper: Function, marker: ast.stmt) -> bool:
    told = [each for each in helper.body if each is not marker]
    return not helper.decorator_list and all(
        isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in told
    )


def _node(module: Module, where: object) -> ast.AST:
    """What stands at a place: an expression or statement, or the statement that holds it."""
    assert isinstance(where, Site)
    statement = statement_at(module, where)
    found = module.at(where)
    if isinstance(found, ast.Expr):
        return found.value
    return found if found is not None else statement


def _own_read(statement: ast.stmt, work: Work, below: Below) -> ast.AST | None:
    """A read in a statement of the body itself, which nobody has named: it would stay in the step."""
    if statement in below.moving or hasattr(statement, "body") or isinstance(statement, ast.Return):
        return None
    for node in walk(statement):
        if isinstance(node, ast.Lambda):
            return None
        if isinstance(node, ast.Call) and (work.reads(node) or called(node) == CLOSURE):
            return node
    return None


def _shown_first(body: Block, work: Work, others: Collection[ast.stmt]) -> Block:
    """The statements at the start of a body that only show what the last step has left: they stay above the
    step, where all of that has run."""
    for place, statement in enumerate(body):
        match statement:
            case ast.Expr(value=ast.Call() as call) if statement not in others and work.reads(call):
                continue
        return body[:place]
    return body


def _inner_reads(module: Module, statement: ast.stmt, work: Work, below: Below) -> Iterator[ast.Call]:
    """The reads in the blocks of a statement of the body that nobody has named."""
    if statement in below.moving or not hasattr(statement, "body") or isinstance(statement, Function):
        return
    for node in walk(statement):
        if isinstance(node, ast.Call) and work.reads(node):
            around = [*module.around(node)]
            around = around[: around.index(statement)]
            if not any(isinstance(each, Function | ast.Lambda) or each in below.moving for each in around):
                yield node


def _take_reads(
    module: Module, cure: WrapBody, body: Block, below: Below, whole: dict[ast.stmt, Refused]
) -> None:
    """Let move below what the analysis has seen to read, as far as it may.

    Args:
        module: The file.
        cure: What is known of the loop.
        body: The body of the loop.
        below: What moves below the step.
        whole: The statements of the body that read and stay as they are, each with the reason.
    """
    for node, member, site in _in_body(module, cure.reads, body):
        if member in whole:
            continue
        around = [node, *module.around(node)]
        conditional = any(isinstance(each, _CONDITIONS) for each in around[: around.index(member) + 1])
        if site in cure.leaves_work and not conditional:
            raise Refused(f"line {site.line} reads its own work, which would be a graph of its own")
        try:
            below.take(node)
        except Refused as refused:
            whole[member] = refused


def _require_recorded_inside(
    module: Module, cure: WrapBody, body: Block, inside: Collection[ast.stmt], below: Below
) -> None:
    """The work that the cure is about must come into a step: else it runs twice as before."""
    for node, member, site in _in_body(module, cure.recorded, body):
        if member not in inside and not any(each in below.moving for each in (node, *module.around(node))):
            raise Refused(f"the work on line {site.line} is not in the step")


def _require_no_meeting(module: Module, cure: WrapBody, body: Block, inside: Collection[ast.stmt]) -> None:
    """No call in the step may lead to where replicas meet and give what the step goes on with.

    A call by itself moves below the step with what comes after.
    """
    for node, member, site in _in_body(module, cure.meets, body):
        statement = statement_at(module, site)
        is_alone = isinstance(statement, ast.Expr) and statement.value is node
        if member in inside and not is_alone:
            raise Refused(f"replicas meet in what line {site.line} calls, which cuts the graph")


def _in_body(module: Module, sites: Iterable[Where], body: Block) -> Iterator[tuple[ast.AST, ast.stmt, Site]]:
    """What stands at those of some places that are in a body, each with the statement of it."""
    for site in sites:
        assert isinstance(site, Site)
        if module.statement(site) is None:
            continue
        node = _node(module, site)
        member = module.member(node, body)
        if member is not None and not _is_done_elsewhere(module, node, member):
            yield node, member, site


def _is_done_elsewhere(module: Module, node: ast.AST, member: ast.stmt) -> bool:
    """Whether it stands in a function that a statement only defines: it is done where that is called."""
    return function_around(module, node) is not function_around(module, member)


def _stretches(
    body: Block, records: Callable[[ast.stmt], bool], markers: Sequence[_Marker]
) -> list[tuple[int, int]]:
    """The first and the last statement of each step: what records work, up to each marker."""
    ends = sorted({body.index(each.member) for each in markers}) or [len(body) - 1]
    stretches = [
        range(start, end + 1) for start, end in zip([0, *(each + 1 for each in ends)], ends, strict=False)
    ]
    found = [places for stretch in stretches if (places := [each for each in stretch if records(body[each])])]
    if not found:  # the marker stands at the start of the body
        places = [each for each in range(ends[-1] + 1, len(body)) if records(body[each])]
        found = [places] if places else []
    return [(places[0], places[-1]) for places in found]


# Scopes that stand ------------------------------------------------------------------------------


def unwrap(module: Module, cure: Unwrap) -> Rewrite:
    """Take a scope away, and keep what it holds."""
    statement = statement_at(module, cure.site)
    if isinstance(statement, Function):
        for decorator in statement.decorator_list:
            if _is_within(module, cure.site, decorator) or called(decorator) in ("step", "compile"):
                return Rewrite(operations=(Undecorate(statement, decorator),))
        raise Refused(f"the step is the whole function `{statement.name}`")
    inner = with_at(module, cure.site)
    item = opened(inner, cure.site, module)
    assert item is not None
    if item.optional_vars is not None:
        raise Refused(f"the scope on line {inner.lineno} is given a name")
    return Rewrite(operations=(Unwrapped(inner, item if len(inner.items) > 1 else None),))


def _is_within(module: Module, site: Site, node: ast.AST) -> bool:
    found = module.at(site)
    return found is not None and (found is node or node in module.around(found))


def swap(module: Module, cure: Swap) -> Rewrite:
    """Open the outer scope inside the block that is all it holds."""
    outer = with_at(module, cure.outer)
    inner = statement_at(module, cure.inner)
    if len(outer.items) > 1 or outer.items[0].optional_vars is not None:
        raise Refused(f"the `with` on line {outer.lineno} opens more than the scope")
    if outer.body != [inner] or not isinstance(inner, ast.With | ast.For | ast.While):
        raise Refused(f"the scope on line {outer.lineno} holds more than the block on line {inner.lineno}")
    if isinstance(inner, ast.For | ast.While) and inner.orelse:
        raise Refused(f"the loop on line {inner.lineno} has an `else`")
    header = module.source(outer.items[0].context_expr)
    if "\n" in header or "\r" in header:
        raise Refused(f"the header on line {outer.lineno} goes over several lines")
    return Rewrite(operations=(Unwrapped(outer), Wrap(inner.body[0], inner.body[-1], header)))


def end_before(module: Module, cure: EndBefore) -> Rewrite:
    """End a scope above a statement: that and all below it stands outside."""
    scope = with_at(module, cure.scope)
    statement = statement_at(module, cure.site)
    if module.member(statement, scope.body) is not statement:
        raise Refused(f"line {statement.lineno} stands in a block of its own within the scope")
    place = scope.body.index(statement)
    if not place:
        raise Refused(f"nothing would be left in the scope on line {scope.lineno}")
    return Rewrite(operations=tuple(Move(each, scope) for each in scope.body[place:]))


def move_into(module: Module, cure: MoveInto) -> Rewrite:
    """Move work into the step beside which it stands."""
    operations: list[Operation] = []
    moving: list[ast.stmt] = []
    step: ast.stmt | None = None
    block: Block = []
    for site in cure.what:
        statement = statement_at(module, site)
        beside = _beside_step(module, statement)
        if beside is None:
            if len({statement_at(module, each) for each in cure.what}) > 1:
                raise Refused(f"line {statement.lineno} is not all that stands beside the step")
            return into_function(module, statement)
        block, step = beside
        member = module.member(statement, block)
        if member is not None and member not in moving:
            moving.append(member)
    assert isinstance(step, ast.With)
    place = block.index(step)
    moving.sort(key=block.index)
    above = [each for each in moving if block.index(each) < place]
    below = [each for each in moving if block.index(each) > place]
    work = Work(function_around(module, step), body_around(module, step))
    reading = {each: read for each in moving if (read := _read_in(each, work)) is not None}
    operations += (Move(each, step.body[0], above=True) for each in above if each not in reading)
    operations += (Move(each, step.body[-1]) for each in below if each not in reading)
    for each in below:
        if each in reading:
            operations += _without_read(module, block, each, reading[each], step, work)
    if not operations:
        raise Refused(f"line {min(each.lineno for each in reading)} reads, which is not done in a step")
    require_order(module, operations)
    return Rewrite(operations=tuple(operations))


def _read_in(statement: ast.stmt, work: Work) -> ast.Call | None:
    return next((each for each in walk(statement) if isinstance(each, ast.Call) and work.reads(each)), None)


def _without_read(
    module: Module, block: Block, statement: ast.stmt, read: ast.Call, step: ast.With, work: Work
) -> Iterator[Operation]:
    """What a statement computes for a read of its own is computed in the step, and read where it was.

    Raises:
        Refused: what stands between them may change what is computed.
    """
    below = Below(module, block, work)
    below.take(read)
    known = Known.of(module, statement)
    between = block[block.index(step) + 1 : block.index(statement)]
    for each in below.operations:
        if not isinstance(each, Insert):
            yield each
            continue
        (computing,) = ast.parse(each.text).body
        for other in between:
            if reason := why_not(computing, other, known):
                raise Refused(
                    f"the work on line {statement.lineno} cannot move past line {other.lineno}: {reason}"
                )
        yield Insert(each.text, step.body[-1])


def _beside_step(module: Module, statement: ast.stmt) -> tuple[Block, ast.With] | None:
    """The nearest block around a statement in which a step stands beside it, with that step."""
    for node in (statement, *module.around(statement)):
        if isinstance(node, Function):
            break
        if isinstance(node, ast.stmt):
            block = module.block(node)
            steps = [each for each in block if opens_step(each) and each is not node]
            if len(steps) == 1 and isinstance(steps[0], ast.With):
                return block, steps[0]
    return None


REWRITERS: dict[type[Cure], Rewriter[Any]] = {
    WrapBody: wrap_body,
    Unwrap: unwrap,
    Swap: swap,
    EndBefore: end_before,
    MoveInto: move_into,
}
