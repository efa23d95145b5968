"""What one round of a loop leaves to the next: work that nothing has cut, and who holds it."""

from __future__ import annotations

import ast
from collections import Counter as Counted
from collections.abc import Iterator
from typing import Final, TypeAlias

from xlalint.analysis.arguments import arguments_of
from xlalint.analysis.frame import Frame
from xlalint.analysis.holding import COPYING, classes_held, globals_used, is_heavy
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import Container, Opening, Opens
from xlalint.analysis.store import Store
from xlalint.analysis.work import settled
from xlalint.lazy.assumptions import Assumptions, both, least
from xlalint.lazy.obligations import Owed
from xlalint.lazy.state import Activity, Fetch
from xlalint.lazy.values import Kind, Value, Weight
from xlalint.program.inner import statements_run
from xlalint.program.outline import Class, Function, named, within
from xlalint.remembering import remembered


def held_by_rounds(
    machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, back: Store
) -> frozenset[str] | None:
    """The names that hold the heavy work of a loop's last round, where each round lets go of that of the
    round before, and nothing cuts the graph; None where that is not so.

    It trains nothing, and no round asks for what a name or an object has kept from another.

    Args:
        node: The loop.
        back: What a round leaves.
    """
    done, engine, heavy = back.state.loop.all, back.state.engine, Weight.HEAVY
    if not back.state.owes(Owed.READ) or done.trains_or_cuts:
        return None
    if heavy in (engine.parameters.may, engine.gradients.may):
        return None
    holders = {cls for (cls, _), value in back.attributes.items() if is_heavy(value, surely=False)}

    def holds(value: Value) -> bool:
        held = is_heavy(value, surely=False)
        return held or (bool(holders) and not holders.isdisjoint(classes_held(machine, [value], back)))

    if any(map(holds, (*frame.captured.values(), *globals_used(machine, frame)))):
        return None
    own = frozenset(name for name, value in back.names.items() if holds(value))
    run = statements_run(node.body, frame.function)
    return None if any(_asks_first(run, name) for name in own) else own


def rounds_go_on(
    machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, back: Store
) -> Assumptions | None:
    """Whether each round of a loop goes on with heavy work that the round before it has recorded, and reads
    what comes of it: what must be so for that, None if it is not so.

    Args:
        node: The loop.
        back: What a round leaves.
    """
    done = back.state.loop.all
    fetches = back.state.loop.own.fetches
    if not fetches or not done.reads or done.trains_or_cuts:
        return None  # what is perhaps a read is none
    held, going, seen = _handed_on(machine, node, frame, back)
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

    The model answers with autograd off: in the whole loop, or in a `with` of its body.

    Args:
        node: The loop.
        back: What a round leaves.
        many: What must be so for the loop to have many rounds; None: that is not known.
    """
    block = statements_run(node.body, frame.function)
    chooses = any(map(_chooses, block))
    off = back.state.scopes.no_grad is True
    if not (chooses or many is not None) or not (off or any(isinstance(each, ast.With) for each in block)):
        return None
    held, going, seen = _handed_on(machine, node, frame, back)
    if not going:
        return None
    assumes = least([assumes for name, assumes in held.items() if name in going])
    if off and chooses and any(_chooses(part) and not names.isdisjoint(_asked(part)) for part, names in seen):
        return assumes
    if not off:
        inside = _with_autograd_off(machine, block, frame, back)
        seen = [(part, names) for part, names in seen if part in inside]
    if many is not None and any(_answers(machine, part, names, frame, back) for part, names in seen):
        return both(assumes, many)
    return None


def _with_autograd_off(
    machine: Machine, block: list[ast.stmt], frame: Frame, store: Store
) -> frozenset[ast.AST]:
    """The statements of a block that it runs in a `with torch.no_grad()` of its own."""
    return frozenset(
        each
        for statement in block
        if isinstance(statement, ast.With)
        and any(_turns_off(machine, item.context_expr, frame, store) for item in statement.items)
        for each in within(statement)
        if isinstance(each, ast.stmt)
    )


def _turns_off(machine: Machine, node: ast.expr, frame: Frame, store: Store) -> bool:
    opened = machine.evaluate(node, frame, store.copy()).payload
    return isinstance(opened, Opening) and opened.effect is Opens.NO_GRAD


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
    machine: Machine, node: ast.For | ast.AsyncFor | ast.While, frame: Frame, back: Store
) -> tuple[dict[str, Assumptions], frozenset[str], _Seen]:
    """The names that hold heavy work when a round begins that the one before has bound, be it by an object
    whose attribute grows, with what is assumed of them, those through which each goes on with it, and where
    they are asked for what is made of it."""
    block = statements_run(node.body, frame.function)
    each_time = frozenset[str]() if isinstance(node, ast.While) else named(node.target, ast.Store)
    tested: list[ast.stmt] = [ast.Expr(node.test)] if isinstance(node, ast.While) else []
    run = [*tested, *block]
    asked = frozenset[str]().union(*map(_asked, block))
    # What a round binds for the next one: what it goes over is bound anew.
    written = frozenset[str]().union(*map(_written, block))
    bound = (written & asked).union(*(named(each, ast.Store) | _changed_in_place(each) for each in block))
    bound -= each_time
    held = {
        name: value.assumes
        for name, value in back.names.items()
        if name in bound and is_heavy(settled(value), surely=True) and _asks_first(run, name)
    }
    gathering = _gathering(run)
    for name in asked.union(*map(_asked, tested)) - bound - each_time:
        if (grown := _grown(machine, name, gathering, back)) is not None:
            held[name] = grown
    going, seen = _handed_round(frozenset(held), run)
    return held, going, seen


def _grown(machine: Machine, name: str, gathering: frozenset[str], store: Store) -> Assumptions | None:
    """What must be so for the object of a name to hold heavy work of all rounds, such as the keys and values
    of a text; None: it does not."""
    value = store.names.get(name)
    if value is None:
        return None
    if name in gathering and isinstance(held := value.payload, Container) and held.items is None:
        return value.assumes if is_heavy(value, surely=False) else None
    return next(
        (
            both(value.assumes, work.assumes)
            for cls in classes_held(machine, [value], store)
            for (owner, attribute), work in store.attributes.items()
            if owner is cls and attribute in _growing(cls) and is_heavy(work, surely=True)
        ),
        None,
    )


def _gathering(block: list[ast.stmt]) -> frozenset[str]:
    """The names of lists to which a block appends what it copies nowhere to the host, and asks for them."""
    calls = [each for part in block for each in within(part) if isinstance(each, ast.Call)]
    appended: dict[str, set[str]] = {}
    copied: set[str] = set()
    for each in calls:
        match each:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[given]):
                appended.setdefault(name, set()).update(named(given))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in COPYING:
                copied.add(name)
    used = {given.id for each in calls for given in each.args if isinstance(given, ast.Name)}
    return frozenset(name for name, given in appended.items() if name in used and given.isdisjoint(copied))


@remembered(1024)
def _growing(cls: Class) -> frozenset[str]:
    """The attributes that a method of a class makes out of what they held, and copies nowhere to the host."""
    found: set[str] = set()
    copied: set[str] = set()
    for function in cls.methods.values():
        for each in within(function.node):
            match each:
                case ast.Assign(targets=targets, value=value):
                    given = {name for target in targets for name in _attributes(target)}
                    found |= given & _attributes(value)
                case ast.AugAssign(target=target):
                    found |= _attributes(target)
                case ast.Attribute(value=ast.Attribute(attr=name), attr=method) if method in COPYING:
                    copied.add(name)
    return frozenset(found - copied)


def _attributes(node: ast.AST) -> set[str]:
    return {each.attr for each in within(node) if isinstance(each, ast.Attribute)}


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
    if not done.fetches or done.trains_or_cuts or isinstance(function.node, ast.Lambda):
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
