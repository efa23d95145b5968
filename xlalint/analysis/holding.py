"""Who holds recorded work: what nobody holds is gone, and no later cut runs it."""

from __future__ import annotations

import ast
from collections import Counter as Counted
from collections.abc import Iterator
from typing import Final, TypeAlias

from xlalint.analysis.arguments import arguments_of
from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.moments import moment_of
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Container,
    Iterated,
    Known,
    Namespace,
    classes_of,
    targets,
)
from xlalint.analysis.store import Store
from xlalint.analysis.work import settled
from xlalint.lazy.assumptions import Assumptions, both, least
from xlalint.lazy.obligations import Obligation, Owed
from xlalint.lazy.state import Activity, Fetch, State
from xlalint.lazy.transitions import exchange
from xlalint.lazy.values import NOTHING, Kind, Value, Weight
from xlalint.program.inner import statements_run
from xlalint.program.outline import Class, Function, named, within
from xlalint.remembering import remembered


def let_go(
    machine: Machine, frame: Frame, store: Store, statement: ast.stmt, before: frozenset[Obligation], *,
    pending: bool,
) -> None:  # fmt: skip
    """A statement has ended: work that was read, and that no name, object or parameter holds now, is gone.

    What it has read itself, in no callee, parameters and gradients must hold on all ways, if no name does.
    Where nothing surely pended before it, a name must surely hold what it has recorded. The statements of a
    block have looked at their own reads.

    Args:
        before: What was owed when the statement began.
        pending: Whether heavy work was surely recorded then.
    """
    _let_go_of_chance(frame, store, statement, before)
    _let_go_of_reads(machine, frame, store, statement, before, pending=pending)
    _let_go_of_names(store.state, statement)


def _let_go_of_reads(
    machine: Machine, frame: Frame, store: Store, statement: ast.stmt, before: frozenset[Obligation], *,
    pending: bool,
) -> None:  # fmt: skip
    state = store.state
    reads = {owed for owed in state.obligations if owed.owed is Owed.READ and not owed.inherited}
    if state.engine.recorded.may is not Weight.HEAVY or not reads:
        return
    if not may_hold_work(machine, frame, store):
        frame.model.let_die(state, NOTHING)
        return
    own = {owed for owed in reads - before if len(owed.path) == 1}
    if own and not _is_block(statement):
        held = _is_held_by_parameters(store) or _is_named(machine, frame, store, surely=not pending)
        if not held or _starts_from_nothing(machine, frame, store, statement):
            state.obligations -= own
    if state.scopes.no_grad is False:
        _let_go_of_copied(machine, frame, store, reads - before)


def _let_go_of_copied(machine: Machine, frame: Frame, store: Store, own: set[Obligation]) -> None:
    """What only names hold that were copied to the host waits for nobody but backward."""
    held = ((name, value, settled(value)) for name, value in store.names.items())
    copied = {name: after for name, before, after in held if after is not before}
    if copied and own:
        without = store.copy()
        without.names.update(copied)
        if not may_hold_work(machine, frame, without):
            frame.model.rest_on_autograd(store.state, own & store.state.obligations)


def _starts_from_nothing(machine: Machine, frame: Frame, store: Store, statement: ast.stmt) -> bool:
    """Whether nothing that a statement names holds heavy work, or could bring some: what others hold is none
    of what it has computed, and read."""
    if not isinstance(statement, ast.Expr) or _copies(statement):
        return False  # what it binds holds that, and what is copied whole has been run by now
    for name in named(statement):
        value = store.names.get(name) or frame.captured.get(name)
        if value is None:
            value = machine.names.global_name(name, frame.outline, frame.function, moment_of(frame))
            if not isinstance(value.payload, Namespace) and not _is_of_library(value):
                return False
        elif value.kind not in _PLAIN or _is_heavy(value, surely=False):
            return False
    return True


def _copies(statement: ast.stmt) -> bool:
    """Whether a statement may copy a tensor to the host as a whole."""
    return any(isinstance(each, ast.Attribute) and each.attr in _COPYING for each in within(statement))


_COPYING: Final = frozenset({"cpu", "numpy", "to", "tolist"})


def _is_of_library(value: Value) -> bool:
    return all(isinstance(target, Known) for target in targets(value)) and bool(targets(value))


_PLAIN: Final = frozenset({Kind.TENSOR, Kind.HOST, Kind.CONSTANT, Kind.NONE, Kind.DEVICE, Kind.CONTAINER})
"""What does nothing by itself."""


def _let_go_of_chance(frame: Frame, store: Store, statement: ast.stmt, before: frozenset[Obligation]) -> None:
    """What a callee recorded as chance had it is in no graph if nobody holds work when it has returned.

    A network that is asked for an action, in every so many steps, is one: the number is read, and its work
    is gone.
    """
    varying = set(store.state.owes(Owed.VARYING)) - before
    here = frame.site(statement).section if varying else ""
    varying = {owed for owed in varying if owed.path[-1].section != here}
    if not varying:
        return
    held = (*store.names.values(), *frame.captured.values(), *store.attributes.values())
    if all(value.recorded.may < Weight.LIGHT for value in held):
        store.state.obligations -= varying


def _let_go_of_names(state: State, statement: ast.stmt) -> None:
    """Names that alone hold work have been bound anew, or a statement may have made others hold it, too."""
    held = [owed for owed in state.obligations if owed.held_by]
    if not held:
        return
    parts = _own_parts(statement)
    asked = frozenset[str]().union(*map(named, parts))
    bound = named(statement, ast.Store) | named(statement, ast.Del) if parts == [statement] else frozenset()
    if isinstance(statement, ast.AugAssign):
        asked |= bound
    for owed in held:
        if not owed.held_by.isdisjoint(asked):
            exchange(state, owed, owed._replace(held_by=frozenset()))
        elif owed.held_by <= bound:
            state.obligations -= {owed}
        elif not owed.held_by.isdisjoint(bound):
            exchange(state, owed, owed._replace(held_by=owed.held_by - bound))


def _own_parts(statement: ast.stmt) -> list[ast.AST]:
    """What a statement evaluates itself: its blocks have looked at their own statements."""
    if not _is_block(statement) or isinstance(statement, ast.ClassDef):
        return [statement]
    return [part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)]


def _is_block(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Match) or hasattr(statement, "body")


def may_hold_work(machine: Machine, frame: Frame, store: Store) -> bool:
    """Whether a name, object, parameter or gradient may hold heavy work, or a caller does."""
    engine = store.state.engine
    heavy = Weight.HEAVY
    if engine.parameters.may is heavy or engine.gradients.may is heavy:
        return True
    return _is_named(machine, frame, store, surely=False)


def held_by_rounds(
    node: ast.For | ast.AsyncFor | ast.While, frame: Frame, back: Store
) -> frozenset[str] | None:
    """The names that hold the heavy work of a loop's last round, where each round lets go of that of the
    round before, and nothing cuts the graph; None where that is not so.

    It trains nothing, and no round asks for what a name or an object has kept from another.

    Args:
        node: The loop.
        back: What a round leaves.
    """
    done, engine, heavy = back.state.loop.all, back.state.engine, Weight.HEAVY
    if not back.state.owes(Owed.READ) or done.trains or done.cuts or done.may_cut:
        return None
    held = (*back.attributes.values(), *frame.captured.values())
    kept = any(_is_heavy(value, surely=False) for value in held)
    if kept or heavy in (engine.parameters.may, engine.gradients.may):
        return None
    own = frozenset(name for name, value in back.names.items() if _is_heavy(value, surely=False))
    run = statements_run(node.body, frame.function)
    return None if any(_asks_first(run, name) for name in own) else own


def rounds_go_on(node: ast.For | ast.AsyncFor | ast.While, frame: Frame, back: Store) -> Assumptions | None:
    """Whether each round of a loop goes on with heavy work that the round before it has recorded, and reads
    what comes of it: what must be so for that, None if it is not so.

    Args:
        node: The loop.
        back: What a round leaves.
    """
    done = back.state.loop.all
    fetches = back.state.loop.own.fetches
    if not fetches or done.trains or done.cuts or done.may_cut:
        return None
    held, going, seen = _handed_on(node, frame, back)
    if not going:
        return None
    reached = going.union(*(names for _, names in seen))
    reads = {fetch.site for fetch in fetches if not fetch.of}
    if any(not reached.isdisjoint(fetch.of) for fetch in fetches) or any(
        isinstance(each, ast.expr) and frame.site(each) in reads and not names.isdisjoint(named(each))
        for part, names in (seen if reads else ())
        for each in within(part)
    ):
        return least([assumes for name, assumes in held.items() if name in going])
    return None


def rounds_refine(
    machine: Machine,
    node: ast.For | ast.AsyncFor | ast.While,
    frame: Frame,
    back: Store,
    many: Assumptions | None,
) -> Assumptions | None:
    """Whether each round of a loop in which nothing trains, reads or cuts makes a token out of what a model
    says of those before, as of a text, or each of many hands a model what the one before has made of its
    answer, as to take noise from a picture: what must be so for that, None if it is not so.

    Args:
        node: The loop.
        back: What a round leaves.
        many: What must be so for the loop to have many rounds; None: that is not known.
    """
    chooses = any(map(_chooses, statements_run(node.body, frame.function)))
    if not chooses and many is None:
        return None
    held, going, seen = _handed_on(node, frame, back)
    if not going:
        return None
    assumes = least([assumes for name, assumes in held.items() if name in going])
    if chooses and any(_chooses(part) and not names.isdisjoint(_asked(part)) for part, names in seen):
        return assumes
    if many is not None and any(_answers(machine, part, names, frame, back) for part, names in seen):
        return both(assumes, many)
    return None


def _answers(machine: Machine, part: ast.AST, names: frozenset[str], frame: Frame, back: Store) -> bool:
    """Whether a model answers there what is handed to it by one of some names, be it by a method of its or by
    a function that is given both."""

    def is_model(node: ast.expr) -> bool:
        return machine.evaluate(node, frame, back.copy()).kind is Kind.MODULE

    for each in within(part):
        if isinstance(each, ast.Call) and any(not names.isdisjoint(named(given)) for given in each.args):
            asked = each.func.value if isinstance(each.func, ast.Attribute) else each.func
            given = (one for one in each.args if isinstance(one, ast.Name | ast.Attribute))
            if any(map(is_model, (each.func, asked, *given))):
                return True
    return False


def _chooses(node: ast.AST) -> bool:
    """Whether a token is chosen there, by what a model says of each."""
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in _CHOOSING
        for each in within(node)
    )


_CHOOSING: Final = frozenset({"argmax", "multinomial"})


def _handed_on(
    node: ast.For | ast.AsyncFor | ast.While, frame: Frame, back: Store
) -> tuple[dict[str, Assumptions], frozenset[str], _Seen]:
    """The names that hold heavy work when a round begins that the one before has bound, with what is assumed
    of them, those through which each goes on with it, and where they are asked for what is made of it."""
    run = statements_run(node.body, frame.function)
    # What a round binds for the next one: what it goes over is bound anew.
    written = frozenset[str]().union(*map(_written, run))
    asked = frozenset[str]().union(*map(_asked, run)) if written else written
    bound = (written & asked).union(*(named(each, ast.Store) | _changed_in_place(each) for each in run))
    if isinstance(node, ast.While):
        run = [ast.Expr(node.test), *run]
    else:
        bound -= named(node.target, ast.Store)
    held = {
        name: value.assumes
        for name, value in back.names.items()
        if name in bound and _is_heavy(value, surely=True) and _asks_first(run, name)
    }
    going, seen = _handed_round(frozenset(held), run)
    return held, going, seen


_Seen: TypeAlias = list[tuple[ast.AST, frozenset[str]]]
"""Statements and tests, with the names that hold, where they are run, what is followed."""


def _handed_round(names: frozenset[str], block: list[ast.stmt]) -> tuple[frozenset[str], _Seen]:
    """Those of the names that still hold, when a block has run, what is made of what they held before."""
    while True:
        seen: _Seen = []
        left = names & _follow(names, block, seen)
        if left == names:
            return names, seen
        names = left


def _follow(names: frozenset[str], block: list[ast.stmt], seen: _Seen) -> frozenset[str]:
    """The names that hold, when a block has run, what `names` do before, or what is made of it."""
    for statement in block:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                seen.append((test, names))
                names = _follow(names, body, seen) | _follow(names, orelse, seen)
            case ast.With(items=items, body=body):
                names = _follow(names, [*map(_entered, items), *body], seen)
            case _:
                before, names = names, _made_of(names, statement)
                seen.append((statement, names))
                if isinstance(statement, ast.Assign) and before.isdisjoint(named(statement.value)):
                    names -= named(statement, ast.Store)
    return names


def _made_of(names: frozenset[str], statement: ast.stmt) -> frozenset[str]:
    """The names that hold what `names` do, or what a statement makes of it, however often it does."""
    before: frozenset[str] = frozenset()
    while names != before:
        before = names
        for target, value in _bindings([statement]):
            if not names.isdisjoint(named(value)):
                names |= named(target, ast.Store)
    return names


def _bindings(block: list[ast.stmt]) -> Iterator[tuple[ast.AST, ast.expr]]:
    """What binds names, and the value that it gives them."""
    for statement in block:
        for each in within(statement):
            match each:
                case (
                    ast.Assign(value=value)
                    | ast.AugAssign(value=value)
                    | ast.AnnAssign(value=ast.expr() as value)
                    | ast.NamedExpr(value=value)
                ):
                    yield each, value


def read_from(function: Function, call: ast.Call | None, done: Activity) -> tuple[str, ...]:
    """The names of a caller from which comes what a called function reads, if nothing in it ends a step."""
    if not done.fetches or done.trains or done.cuts or done.may_cut or isinstance(function.node, ast.Lambda):
        return ()
    given = arguments_of(function, call)
    names: set[str] = set()
    for name in _asked_for_reads(function, done.fetches):
        if name in given:
            names |= named(given[name])
        elif name in function.free_names():
            names.add(name)
    return tuple(sorted(names))


@remembered(1024)  # asked in each context that the function is called from
def _asked_for_reads(function: Function, fetches: frozenset[Fetch]) -> tuple[str, ...]:
    """The names that a function has from elsewhere, and asks for what they hold for its reads."""
    node, names = function.node, set[str]()
    assert not isinstance(node, ast.Lambda)
    asked = {fetch.site for fetch in fetches if not fetch.of}
    for each in within(node) if asked else ():
        if isinstance(each, ast.expr) and function.outline.site(each) in asked:
            names |= named(each)
    names.update(name for fetch in fetches for name in fetch.of)
    before: set[str] = set()
    while names != before:
        before = names.copy()
        for target, value in _bindings(node.body):
            if not names.isdisjoint(named(target, ast.Store)):
                names |= named(value)
    return tuple(sorted(name for name in names if _asks_first(node.body, name)))


def _written(node: ast.AST) -> list[str]:
    """The names of what a part is given to, each as often as it is: `tokens[:, 1] = token`."""
    return [
        target.value.id
        for each in within(node)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    ]


def _asked(node: ast.AST) -> frozenset[str]:
    """The names that are asked for what they hold, and not only for a place to put something."""
    written = _written(node)
    if not written:
        return named(node)
    asked = Counted(
        each.id for each in within(node) if isinstance(each, ast.Name) and type(each.ctx) is ast.Load
    )
    asked.subtract(written)
    return frozenset(name for name, times in asked.items() if times > 0)


def _changed_in_place(node: ast.AST) -> frozenset[str]:
    """The names of what a method changes itself, such as `total.add_(loss)`."""
    return frozenset(
        each.func.value.id
        for each in within(node)
        if isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and isinstance(each.func.value, ast.Name)
        and each.func.attr.endswith("_")
    )


def _asks_first(block: list[ast.stmt], name: str) -> bool | None:
    """Whether a block asks for what a name holds before it surely binds it; None: it does neither."""
    for statement in block:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                parts = _asks(test, name), _asks_first(body, name), _asks_first(orelse, name)
                asked = True if True in parts else False if parts[1:] == (False, False) else None
            case ast.With(items=items, body=body):
                asked = _asks_first([*map(_entered, items), *body], name)
            case _:
                asked = _asks(statement, name)
        if asked is not None:
            return asked
    return None


def _entered(item: ast.withitem) -> ast.stmt:
    """A context manager that is entered, as a statement."""
    given = item.context_expr
    return ast.Expr(given) if item.optional_vars is None else ast.Assign([item.optional_vars], given)


def _asks(node: ast.AST, name: str) -> bool | None:
    """Whether a statement or an expression asks for what a name holds, or else binds it; None: neither."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
        return True
    if name in named(node):
        return True
    return False if name in named(node, ast.Store) and not hasattr(node, "body") else None


def _is_held_by_parameters(store: Store) -> bool:
    """Whether parameters or gradients surely hold heavy work."""
    return Weight.HEAVY in (store.state.engine.parameters.must, store.state.engine.gradients.must)


def _is_named(machine: Machine, frame: Frame, store: Store, *, surely: bool) -> bool:
    """Whether a name or an object may hold heavy work, or surely does, or a caller does."""
    if frame.found.must is Weight.HEAVY:
        return True
    named = [*store.names.values(), *frame.captured.values()]
    if any(_weighs(value, surely=surely) for value in named):
        return True
    holders = {cls for (cls, _), value in store.attributes.items() if _is_heavy(value, surely=surely)}
    if not holders:
        return False
    used = frame.function.outer_names() if frame.function is not None else frozenset()
    moment = moment_of(frame)
    named += (machine.names.global_name(name, frame.outline, frame.function, moment) for name in sorted(used))
    return not holders.isdisjoint(_held(machine, named, store))


def _weighs(value: Value, *, surely: bool) -> bool:
    """Whether a value holds heavy work, or a function does that it is."""
    return _is_heavy(value, surely=surely) or any(
        _is_heavy(held, surely=surely)
        for target in targets(value)
        if isinstance(target, Bound)
        for _, held in target.captured
    )


def _is_heavy(value: Value, *, surely: bool) -> bool:
    return (value.recorded.must if surely else value.recorded.may) is Weight.HEAVY


def _held(machine: Machine, named: list[Value], store: Store) -> Iterator[Class]:
    """The classes of which an object is held: by a name that is known, or by such an object.

    What a called function made and did not return is not among them, and neither is what an expression lets
    go. An object of a global name that only a called function uses is not seen.
    """
    seen: set[Class] = set()
    waiting = [cls for value in named for cls in _classes_within(value)]
    while waiting:
        cls = waiting.pop()
        if cls in seen:
            continue
        seen.add(cls)
        yield cls
        own = [each for (owner, _), each in store.attributes.items() if owner is cls]
        for each in (*own, *machine.classes.attributes(cls).values()):
            waiting += _classes_within(each)


def _classes_within(value: Value) -> Iterator[Class]:
    """The classes of the project of which a value is an object, or holds one."""
    yield from (cls for cls in classes_of(value) if not isinstance(cls, str))
    match value.payload:
        case Container(element=element, items=items):
            for each in (element, *(items or ())):
                yield from _classes_within(each)
        case Iterated(element=element, over=over):
            yield from _classes_within(element)
            yield from _classes_within(over)
        case Classes(of=classes):
            yield from (cls for cls in classes if not isinstance(cls, str))
    for target in targets(value):
        if isinstance(target, Bound):
            for held in (target.receiver, *(value for _, value in target.captured)):
                if held is not None:
                    yield from _classes_within(held)
