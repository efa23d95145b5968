"""What follows from the way a test comes out: for what is set or done under it, or under another like it."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple, TypeVar

from xlalint.analysis.arguments import arguments_of
from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Classes,
    Container,
    Instance,
    Loader,
    Module,
    OnHost,
    Opening,
    Opens,
    Optimizer,
    container,
)
from xlalint.analysis.store import AttributeKey, Move, Store
from xlalint.knowledge.functions import TENSOR
from xlalint.lazy.assumptions import ON_FOR_XLA, Assumptions, assume, both, option_in, shown_by_test
from xlalint.lazy.obligations import Fact, Obligation, Owed
from xlalint.lazy.site import Path
from xlalint.lazy.values import NONE, UNKNOWN, Kind, Place, Role, Value, kinds_that, prevails_as_device
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Function, Outline, dotted, last_name, within
from xlalint.remembering import remembered
from xlalint.spelling import spelling
from xlalint.writing import written

_Key = TypeVar("_Key")


@remembered(4096)
def clauses(test: ast.expr) -> tuple[Assumptions, Assumptions]:
    """What is assumed where the arm for which a test holds is taken, and where the other is."""
    test, holds = _positive(test)
    shown = spelling(test)
    yes, no = assume(f"`{shown}`"), assume(f"not `{shown}`")
    return (yes, no) if holds else (no, yes)


class Arms(NamedTuple):
    """Two ways that a program comes from, of which it takes one.

    Args:
        yes: What is assumed where it takes the one.
        no: What is assumed where it takes the other.
        test: What decides, if that is a test.
    """

    yes: Assumptions
    no: Assumptions
    test: ast.expr | None = None


def is_instance(node: ast.expr, name: str) -> str:
    """That what an expression gives is of a class, as the program would ask for it."""
    return f"isinstance({spelling(node)}, {name})"


def arms(test: ast.expr) -> Arms:
    """The two arms of a test."""
    return Arms(*clauses(test), test)


@remembered(4096)
def concluded(test: ast.expr, holds: bool) -> tuple[tuple[Assumptions, Assumptions], ...]:
    """What is so, and what is not, where a test comes out so: of the whole of it, and of each of its parts
    that then come out so, too."""
    yes, no = clauses(test)
    whole = ((yes, no) if holds else (no, yes),)
    asked, positive = _positive(test)
    match asked:
        case ast.BoolOp(op=op, values=operands) if isinstance(op, ast.And) is (holds is positive):
            parts = [each for operand in operands for each in concluded(operand, holds is positive)]
            return (*whole, *parts)
    return whole


@remembered(4096)
def facts(test: ast.expr, holds: bool) -> frozenset[Fact]:
    """What is known of names and their attributes where a test comes out so."""
    test, positive = _positive(test)
    holds = holds is positive
    value: object = True
    known: frozenset[Fact] = frozenset()
    match test:
        case ast.BoolOp(op=op, values=operands):
            # Where `a and b` holds, both do; where `a or b` does not, neither does.
            if isinstance(op, ast.And) is holds:
                known = known.union(*(facts(each, holds) for each in operands))
            subject, agrees = None, True
        case ast.Compare(left=subject, ops=[ast.Eq() | ast.Is()], comparators=[ast.Constant(value=value)]):
            agrees = True
        case ast.Compare(
            left=subject, ops=[ast.NotEq() | ast.IsNot()], comparators=[ast.Constant(value=value)]
        ):
            agrees = False
        case _:
            subject, agrees = _question(test)
    shown = _plainly(subject) if subject is not None else ""
    if shown:
        return frozenset({Fact(shown, repr(value), holds is agrees)})
    # What is only known as a whole is still known where the same is asked again.
    asked, agrees = _question(test)
    shown = written(asked) if all(map(_comes_out_again, within(asked))) else ""
    return known | {Fact(shown, repr(True), holds is agrees)} if shown and "%" not in shown else known


def is_ruled_out(subject: str, number: int, known: frozenset[Fact]) -> bool:
    """Whether what is known of something, by its text, says that it is not a certain number."""
    for fact in known:
        if fact.subject == subject:
            same = bool(number) if fact.value == "True" else fact.value == repr(number)
            if same is not fact.holds:
                return True
        elif fact.value == "True":
            asked, _, bound = fact.subject.rpartition(" ")
            compare = _ORDERS.get(asked.removeprefix(subject + " "))
            if compare is not None and bound.isdigit() and compare(number, int(bound)) is not fact.holds:
                return True
    return False


def _plainly(subject: ast.expr) -> str:
    """What a test asks about, as text, if it is made of names and the like."""
    counts = isinstance(subject, ast.BinOp) and isinstance(subject.op, ast.Mod)
    plain = (*_PLAIN, ast.Subscript) if counts else _PLAIN
    asked = _measured(subject) or subject
    return written(subject) if all(isinstance(node, plain) for node in within(asked)) else ""


def _question(test: ast.expr) -> tuple[ast.expr, bool]:
    """What a comparison asks for, the same for `a != b` and `a == b`, and whether it holds if that does."""
    match test:
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.IsNot() | ast.NotIn() as op], comparators=others):
            same = ast.Compare(left, [_OPPOSITES[type(op)]()], others)
            return ast.copy_location(same, test), False
    return test, True


def _comes_out_again(node: ast.AST) -> bool:
    """Whether a part of a test is the same when that is asked again, as what a call returns that is given
    nothing is taken to be."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance" | "hasattr")):
            return True
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant()], keywords=[]):
            return True
        case ast.Call(func=called, args=[], keywords=[]):
            return bool(dotted(called))
    return isinstance(node, _SAME)


def _measured(node: ast.expr) -> ast.expr | None:
    """That of which a test asks for the length."""
    match node:
        case ast.Call(ast.Name("len"), [measured], []):
            return measured
    return None


def _positive(test: ast.expr) -> tuple[ast.expr, bool]:
    """What a test asks for, without `not` and `!= True`, and whether it holds where that does."""
    holds = True
    while True:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=asked):
                agrees = False
            case ast.Compare(left=asked, ops=[ast.Eq() | ast.Is()], comparators=[ast.Constant(bool(agrees))]):
                pass
            case ast.Compare(
                left=asked, ops=[ast.NotEq() | ast.IsNot()], comparators=[ast.Constant(bool(value))]
            ):
                agrees = not value
            case _:
                return test, holds
        test, holds = asked, holds is agrees


def enter_arm(store: Store, test: ast.expr, holds: bool) -> None:
    """An arm of a test is entered: what was assumed of it is known now, or is not so."""
    known = facts(test, holds)
    store.state.facts |= known
    if known and store.state.obligations:
        store.state.obligations = frozenset(
            owed
            for owed in store.state.obligations
            if not any(one.excludes(other) for one in known for other in owed.when)
        )
    # Few values assume anything, and this is asked of all of them at every test.
    assuming = [
        (held, key, value)
        for held in (store.names, store.attributes)
        for key, value in held.items()
        if value.assumes or (isinstance(value.payload, Container) and _assumes_within(value.payload))
    ]
    if not assuming and not store.state.trust.bounded:
        return
    told = concluded(test, holds)
    for held, key, value in assuming:
        for assumed, excluded in told:
            value = _known(value, assumed, excluded)
        held[key] = value  # type: ignore[index]
    if holds:
        for name in _tensors(test):
            if name in store.names and (value := store.names[name]).kind is Kind.TENSOR:
                store.names[name] = value._replace(assumes=shown_by_test(value.assumes))
    for assumed, _ in told:
        if assumed <= store.state.trust.bounded:
            trust = store.state.trust
            store.state.trust = trust._replace(bounded=trust.bounded - assumed)


def parted(told: Sequence[str], number: int) -> Arms:
    """The ways before one of several, and that one; `told` is what is so on each, as text."""
    this = f"`{told[number]}`"
    before = f"`{told[0]}`" if number == 1 else f"not {this}"
    return Arms(assume(before), assume(this))


def narrow(machine: Machine, test: ast.expr, frame: Frame, store: Store, *, holds: bool) -> None:
    """An arm of a test is entered: what may be of several classes is of those that the test leaves."""
    asked, positive = _positive(test)
    match asked:
        case ast.BoolOp(op=op, values=operands) if isinstance(op, ast.And) is (holds is positive):
            for operand in operands:
                narrow(machine, operand, frame, store, holds=holds is positive)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), wanted]):
            held = store.names.get(name)
            if held is None or not isinstance(of := held.payload, Instance) or len(of.of) < 2:
                return
            among = machine.evaluate(wanted, frame, store).payload
            if not isinstance(among, Classes):
                return
            left = tuple(
                cls
                for cls in of.of
                if (not isinstance(cls, str) and not set(machine.classes.bases(cls)).isdisjoint(among.of))
                is (holds is positive)
            )
            if left:
                store.names[name] = held._replace(payload=of._replace(of=left))


@remembered(4096)
def _tensors(test: ast.expr) -> tuple[str, ...]:
    """Names of what is a tensor where a test holds."""
    match test:
        case ast.BoolOp(op=ast.And(), values=operands):
            return tuple([name for each in operands for name in _tensors(each)])
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), wanted]):
            return (name,) if last_name(wanted) == _TENSOR else ()
    return ()


_TENSOR: Final = TENSOR.rpartition(".")[2]


def _assumes_within(held: Container) -> bool:
    """Whether something is assumed of what a container holds."""
    return bool(held.element.assumes) or any(
        item.assumes or (isinstance(item.payload, Container) and _assumes_within(item.payload))
        for item in held.items or ()
    )


def _known(value: Value, assumed: Assumptions, excluded: Assumptions) -> Value:
    """A value where what is assumed of some is known, and of others is not so."""
    if assumed <= value.assumes:
        value = value._replace(assumes=value.assumes - assumed)
    if value.assumes and _rules_out(excluded, value.assumes):
        return UNKNOWN._replace(differs=value.differs)
    if isinstance(held := value.payload, Container):
        known = held.map(lambda item: _known(item, assumed, excluded))
        return value if known is held else value._replace(payload=known)
    return value


def is_contradicted(assumes: Assumptions, known: frozenset[Fact]) -> bool:
    """Whether something is assumed that is known not to be so, of an option."""
    return any(
        _rules_out(assume(f"not `{fact.subject}`" if fact.holds else f"`{fact.subject}`"), assumes)
        for fact in known
        if fact.value == repr(True)
    )


@remembered(4096)
def _rules_out(excluded: Assumptions, assumes: Assumptions) -> bool:
    """Whether something is assumed that is not so: an option handed on as `tpu` may be kept as `self.tpu`."""
    if excluded <= assumes:
        return True
    return all(any(_is_same_option(one, other) for other in assumes) for one in excluded)


def _is_same_option(one: str, other: str) -> bool:
    """Whether two clauses say the same of one option, which one of them has by its name alone."""
    asked, also = option_in(one), option_in(other)
    if asked is None or also is None or one.startswith("not ") != other.startswith("not "):
        return False
    return (asked.isidentifier() or also.isidentifier()) and _own_name(asked) == _own_name(also)


def leave_arm(store: Store | None, test: ast.expr, holds: bool, before: frozenset[Obligation]) -> None:
    """What was opened in an arm is owed where its test comes out so."""
    known = facts(test, holds)
    if not known or store is None or store.state.obligations <= before:
        return
    store.state.obligations = frozenset(
        owed if owed in before or owed.inherited else owed._replace(when=owed.when | known)
        for owed in store.state.obligations
    )


def leave_unsettled(store: Store, test: ast.expr, holds: bool, settled: frozenset[Obligation]) -> None:
    """A read that the other arm of a test has met a cut for is owed only where the test comes out as here."""
    left = frozenset(
        owed for owed in settled & store.state.obligations if owed.owed is Owed.READ and not owed.inherited
    )
    known = facts(test, holds) if left else frozenset()
    if known:
        here = frozenset(owed._replace(when=owed.when | known) for owed in left)
        store.state.obligations = (store.state.obligations - left) | here


def drop_excluded(store: Store, assumes: Assumptions) -> None:
    """The graph is cut where options are as `assumes` says: no read meets that which came where they are not.

    What is an option's value has its name, be that `use_xla` in one function and `args.use_xla` in another.
    """
    reads = [owed for owed in store.state.owes(Owed.READ) if owed.when] if assumes else []
    if not reads:
        return
    known = {
        Fact(_own_name(asked), repr(True), not clause.startswith("not "))
        for clause in assumes
        if (asked := option_in(clause))
    }
    store.state.obligations -= {
        owed
        for owed in reads
        if any(
            one.excludes(other._replace(subject=_own_name(other.subject)))
            for one in known
            for other in owed.when
        )
    }


def _own_name(subject: str) -> str:
    """The name of an option alone, without what has it; all of what is no option."""
    return subject.rpartition(".")[2] if subject.replace(".", "").isidentifier() else subject


def forget(name: str, store: Store) -> None:
    """A name is bound anew: what was tested of it before says nothing of it."""
    state = store.state
    if not state.facts and not any(owed.when for owed in state.obligations):
        return
    known = {fact.subject for owed in state.obligations for fact in owed.when}
    known.update(fact.subject for fact in state.facts)
    if not any(name in subject for subject in known):
        return  # as mostly, which is seen without a pattern
    mentions = _mentioning(name).search
    state.facts = frozenset(fact for fact in state.facts if not mentions(fact.subject))
    store.state.obligations = frozenset(
        owed._replace(when=frozenset(fact for fact in owed.when if not mentions(fact.subject)))
        for owed in store.state.obligations
    )


def ask_anew(store: Store, before: Store) -> None:
    """A round of a loop begins: whoever was asked in the last one, and not `before` the loop, may answer
    something else now."""
    state, known = store.state, before.state
    if state.facts:
        state.facts = frozenset(fact for fact in state.facts if not fact.is_answered or fact in known.facts)
    if any(owed.when for owed in state.obligations):
        state.obligations = frozenset(
            owed
            if not owed.when or owed in known.obligations
            else owed._replace(when=frozenset(fact for fact in owed.when if not fact.is_answered))
            for owed in state.obligations
        )


@lru_cache(maxsize=4096)
def _mentioning(name: str) -> re.Pattern[str]:
    """What finds a name in an expression, where it is no attribute."""
    return re.compile(rf"(?<![\w.]){re.escape(name)}\b")


def told_outside(known: frozenset[Fact], function: Function, call: ast.Call | None) -> frozenset[Fact]:
    """What is known in a called function, in the words of its caller; what has none there is left out.

    A name of the functions around is the same name in all of them.
    """
    if not known:
        return known
    spelled = {name: dotted(node) for name, node in arguments_of(function, call).items()}
    shared = function.free_names() if function.parent is not None else ()
    told = set()
    for one in known:
        if shared and all(name in shared for name in _NAMES.findall(one.subject)):
            told.add(one)
            continue
        root, dot, rest = one.subject.partition(".")
        if spelled.get(root) and one.subject.replace(".", "").isidentifier():
            told.add(one._replace(subject=f"{spelled[root]}{dot}{rest}"))
    return frozenset(told)


_NAMES: Final = re.compile(r"(?<![\w.])[^\W\d]\w*")
"""What finds the names in an expression that are no attributes."""


def merge(joined: Store, yes: Store, no: Store, arms: Arms) -> None:
    """Mend the join of two arms: what one arm alone sets for the device, or moves, is taken, with what that
    assumes."""
    _merge(joined.names, yes.names, no.names, arms)
    _merge(joined.attributes, yes.attributes, no.attributes, arms)
    if yes.attributes.keys() != no.attributes.keys():
        _merge_shared(joined.attributes, yes.attributes, no.attributes, arms)
    if yes.moved.keys() != no.moved.keys():
        _merge_moves(joined.moved, yes.moved, no.moved, arms)


def _merge_shared(
    joined: dict[AttributeKey, Value],
    yes: dict[AttributeKey, Value],
    no: dict[AttributeKey, Value],
    arms: Arms,
) -> None:
    """What one arm alone gives to the name of a module, that stands for it where the arm is taken."""
    for given, other, clause in ((yes, no, arms.yes), (no, yes, arms.no)):
        for key, value in given.items():
            if isinstance(key[0], Outline) and key not in other:
                joined[key] = _resting_on(clause, value)


def _resting_on(clause: Assumptions, value: Value) -> Value:
    if isinstance(held := value.payload, Container):
        return value._replace(payload=held.map(partial(_resting_on, clause)))
    return value._replace(assumes=both(value.assumes, clause)) if value.kind in _OF_ENGINE else value


_OF_ENGINE: Final = kinds_that("concerns_engine")


def _merge_moves(joined: dict[Path, Move], yes: dict[Path, Move], no: dict[Path, Move], arms: Arms) -> None:
    """What one arm alone moves has moved for callers where that is taken; where that may be in the last
    round, nobody knows where it is."""
    alone = [one for one in yes if one not in no], [one for one in no if one not in yes]
    for moved, clause in zip(alone, (arms.yes, arms.no), strict=True):
        for identity in moved:
            move = joined[identity]
            if move.left and _asks_for_the_last(arms.test):
                joined[identity] = move._replace(to=Place.UNKNOWN, left=())
            else:
                joined[identity] = move._replace(assumes=both(move.assumes, clause))


def _merge(joined: dict[_Key, Value], yes: dict[_Key, Value], no: dict[_Key, Value], arms: Arms) -> None:
    if yes == no:
        return  # as mostly, for attributes; this is much quicker than to look at each
    for key, one in yes.items():
        other = no.get(key)
        if other is not None and one is not other and one != other:
            value = chosen(one, other, arms)
            if value is not None:
                joined[key] = value


def chosen(one: Value, other: Value, arms: Arms) -> Value | None:
    """Of what two arms set, what concerns the engine, if just one of them does; else None."""
    for device, instead in ((one, other), (other, one)):
        if device.assumes and prevails_as_device(device, instead):
            return device  # that this is the device is assumed once, however many tests there are
    yes, no, test = arms
    if test is not None and Kind.SCOPE in (one.kind, other.kind):
        yes, no = _of_flag(test, yes), _of_flag(test, no)
    if test is None and Kind.CONTAINER in (one.kind, other.kind):
        return _chosen_of_each(one, other, arms)
    if _prevails(one, other) and not _is_left_at_last(one, test):
        return one._replace(assumes=_also(one, yes))
    if _prevails(other, one) and not _is_left_at_last(other, test):
        return other._replace(assumes=_also(other, no))
    return None


def _chosen_of_each(one: Value, other: Value, arms: Arms) -> Value | None:
    """The same of what containers hold, one by one, such as what a function returns, or another may."""
    mine = _items(one, other)
    theirs = _items(other, one)
    if mine is None or theirs is None or len(mine) != len(theirs):
        return None
    picked = [None if a == b else chosen(a, b, arms) for a, b in zip(mine, theirs, strict=True)]
    if not any(picked):
        return None
    return container([pick or join_values(a, b) for pick, a, b in zip(picked, mine, theirs, strict=True)])


def _items(value: Value, beside: Value) -> tuple[Value, ...] | None:
    """What a list or tuple holds; of something unknown, as much as what stands beside it."""
    if value.kind is Kind.UNKNOWN and value.payload is None:
        return (UNKNOWN,) * len(_items(beside, NONE) or ())
    held = value.payload
    return held.items if isinstance(held, Container) and held.keys is None else None


def _of_flag(test: ast.expr, clause: Assumptions) -> Assumptions:
    """What is assumed of a scope where a test comes out so: a flag for it may be one for other devices."""
    asked, _ = _positive(test)
    if isinstance(asked, ast.Name | ast.Attribute):
        return frozenset(each if each.startswith("not ") else f"{each} {ON_FOR_XLA}" for each in clause)
    return clause


def _is_left_at_last(value: Value, test: ast.expr | None) -> bool:
    """Whether an optimizer lost its model to the host in what may be the last round of a loop."""
    held = value.payload
    return isinstance(held, Optimizer) and held.place is Place.XLA and _asks_for_the_last(test)


def _asks_for_the_last(test: ast.expr | None) -> bool:
    """Whether a test may be for the last round of a loop: one for one number says so, unless it is one of the
    first, or a rank."""
    return test is not None and any(
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Eq | ast.GtE)
        and not (isinstance(last := node.comparators[0], ast.Constant) and last.value in _FIRST)
        for node in within(test)
    )


_FIRST: Final = (0, 1, True, False, None)
"""What a test may compare with that is no test for the last round of a loop."""


def _also(value: Value, clause: Assumptions) -> Assumptions:
    """What a value rests on that is set where a test comes out so. What is moved there shows what it is."""
    return clause if value.role is Role.PERHAPS_MODULE else both(value.assumes, clause)


def _prevails(one: Value, other: Value) -> bool:
    match one.payload, other.payload:
        case Loader(cuts=True), Loader(cuts=False):
            return True
        case Module(place=Place.XLA), Module(place=Place.HOST | Place.UNKNOWN):
            return True
        case Optimizer(stale=moved), Optimizer(stale=()) if moved:
            return True
        case Opening(effect=Opens.OTHER_AUTOCAST | Opens.BFLOAT16_OF_CUDA), Opening(None, _, Opens.NOTHING):
            return True
    if prevails_as_device(one, other):
        return True
    unknown = other.kind is Kind.UNKNOWN and (other.payload is None or isinstance(other.payload, OnHost))
    return one.kind in _KEPT and unknown


_KEPT: Final = kinds_that("outlasts_unknown") | {Kind.TENSOR}
_PLAIN: Final = (
    ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BinOp, ast.operator, ast.cmpop, ast.expr_context,
)  # fmt: skip
"""What a test may be made of that comes out the same each time, as long as its names are not bound anew."""
_SAME: Final = (
    *_PLAIN, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set,
    ast.UnaryOp, ast.unaryop, ast.BoolOp, ast.boolop,
)  # fmt: skip
"""The same of what is looked up in what may be filled anew, and of what is put together."""
_ORDERS: Final[dict[str, Callable[[int, int], bool]]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip
_OPPOSITES: Final[dict[type, type[ast.cmpop]]] = {
    ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In,
}  # fmt: skip
