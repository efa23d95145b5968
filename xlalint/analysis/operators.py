"""Operators, comparisons and tests of truth: what they record, what they read, what they decide."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

from xlalint.analysis.binding import element, is_on_cpu, one_after_other, with_entries
from xlalint.analysis.conditions import arms, chosen
from xlalint.analysis.frame import Frame
from xlalint.analysis.library.modules import as_tensor
from xlalint.analysis.machine import Evaluate, Machine
from xlalint.analysis.payloads import (
    Chance,
    Clock,
    Constant,
    Container,
    Counter,
    Device,
    Fallback,
    Method,
    Namespace,
    Parameters,
    RankTest,
    Switch,
    Targets,
    computed_of,
    constant,
    container_of,
    counter_of,
    counts,
    drawn_of,
    elements,
    identifier,
    is_drawn,
    literal,
)
from xlalint.analysis.separate_reads import note_numbers, shows_numbers
from xlalint.analysis.store import Store, merge_into
from xlalint.analysis.switches import before, option_of, rest_on_switches
from xlalint.analysis.work import read, read_into_host, record, set_apart, vary, watch_numbers
from xlalint.knowledge import functions
from xlalint.lazy.assumptions import MANY, PART, SEPARATES, assume, is_of_ways
from xlalint.lazy.events import Reading
from xlalint.lazy.state import Raised
from xlalint.lazy.values import (
    HOST,
    PERHAPS,
    UNKNOWN,
    Kind,
    Role,
    Value,
    Weight,
    as_long,
    is_xla_device,
    kinds_that,
    of_role,
    worked_on,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.hashing import finds_by_hash
from xlalint.program.outline import named
from xlalint.spelling import IN_PLACE, spelling
from xlalint.writing import written


def ask(value: Value, keyword: str, shown: ast.expr, place: ast.expr, frame: Frame, store: Store) -> None:
    """The truth of a value is asked for, which reads a tensor."""
    if value.kind is Kind.TENSOR:
        text = f"{keyword} {spelling(shown)}".strip()
        read(value, Reading.BOOL, text, frame.site(place), frame, store)


def truth(value: Value) -> bool | None:
    """Whether a value counts as true, if that is known."""
    if isinstance(value.payload, Constant):
        return bool(value.payload.value)
    if isinstance(value.payload, Container):
        items = value.payload.items
        return bool(items) if items is not None else None
    if value.kind is Kind.NONE:
        return False
    if isinstance(name := value.payload, Namespace):
        return True if is_there(name) else None
    return True if value.kind in _TRUE else None


def is_there(namespace: Namespace) -> bool:
    """Whether a qualified name is known to mean a module, function or class, which are true and not None.

    What else is imported may be anything, such as settings.
    """
    if namespace.outline is not None or "." not in namespace.name:
        return True
    return namespace.name.partition(".")[0] in functions.LIBRARIES


def _binary(machine: Machine, node: ast.BinOp, frame: Frame, store: Store) -> Value:
    left = machine.evaluate(node.left, frame, store)
    right = machine.evaluate(node.right, frame, store)
    return operate(machine, node, node.op, left, right, frame, store)


def operate(
    machine: Machine,
    node: ast.expr | ast.stmt,
    op: ast.operator,
    left: Value,
    right: Value,
    frame: Frame,
    store: Store,
) -> Value:
    """The result of an operator, which records when a tensor takes part."""
    if Kind.CALLABLE in (left.kind, right.kind):
        _refuse_method(op, left, right, node, frame, store)
    if Kind.PARAMETERS in (left.kind, right.kind):
        left, right = _alone(left, store), _alone(right, store)
    if Kind.TENSOR in (left.kind, right.kind):
        if isinstance(op, ast.Mod) and left.kind is Kind.CONSTANT:
            shown = "%-formatting"
            read(right, Reading.TEXT, shown, frame.site(node), frame, store)
            note_numbers((right,), shown, frame.site(node), frame)
            return Value(Kind.HOST, differs=right.differs)
        in_place = isinstance(node, ast.AugAssign) and type(op) in IN_PLACE
        if in_place and is_on_cpu(machine, left, frame):
            read_into_host(node, right, frame, store)
            return left._replace(differs=left.differs or right.differs)
        left, right = worked_on(left), worked_on(right)
        weight = Weight.HEAVY if isinstance(op, ast.MatMult) else Weight.LIGHT
        if weight is Weight.HEAVY:
            frame.model.multiply(store.state, frame.site(node))
        if isinstance(op, ast.Pow) and isinstance(node, ast.expr):
            for tensor, number in ((left, right), (right, left)):
                if tensor.known:
                    watch_numbers(
                        "__pow__", tensor, (number,), spelling(node), frame.site(node), frame, store, (node,)
                    )
        if isinstance(node, ast.AugAssign) and left.known:
            frame.model.change_alone(store.state, left, spelling(node.target), frame.site(node))
        result = record((left, right), weight, frame.site(node), frame, store)
        of_masks = isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor) and Role.MASK in (
            left.role,
            right.role,
        )
        result = of_role(result, Role.MASK) if of_masks else result
        return result if weight is Weight.HEAVY else as_long(result, left, right)
    if isinstance(op, ast.Mod) and left.kind is Kind.CONSTANT and right.kind is Kind.CONTAINER:
        read(right, Reading.TEXT, "%-formatting", frame.site(node), frame, store)
        if shows_numbers(literal(left), numbers := elements(right)):
            note_numbers(numbers, "%-formatting", frame.site(node), frame)
        return HOST
    if left.kind is Kind.CONTAINER and right.kind is Kind.CONTAINER and isinstance(op, ast.Add):
        return one_after_other(element(left), element(right))
    if isinstance(op, ast.BitOr) and isinstance(a := left.payload, Container):
        return _merged(left, right, a)
    if left.kind is Kind.CONTAINER and isinstance(op, ast.Mult):
        return container_of(element(left))
    if isinstance(text := literal(left), str) and (made := _text(op, text, literal(right))) is not None:
        return made
    differs = left.differs or right.differs
    if isinstance(op, ast.Mod) and isinstance(left.payload, Counter) and right.kind is Kind.UNKNOWN:
        right = HOST  # what a count is divided by is a number
    if Kind.UNKNOWN in (left.kind, right.kind):
        if not isinstance(op, ast.Mod | ast.FloorDiv):
            computed = node.target if isinstance(node, ast.AugAssign) else node
            assert isinstance(computed, ast.expr)
            frame.model.work_unseen(store.state, lambda: spelling(computed))
        return UNKNOWN._replace(differs=differs)
    if isinstance(op, ast.Mod) and right.payload == _ONE.payload and not isinstance(left.payload, Clock):
        return constant(0)  # a step counter: nobody asks for the fraction of another number so
    if isinstance(op, ast.Sub):
        _take_time(left, right, node, frame, store)
        differs = differs or isinstance(left.payload, Clock)  # no two replicas are equally fast
    if (counter := _counted(op, left, right, node, frame, store)) is not None:
        # Each replica counts as many; what it has read of its own batches is its own.
        own = any(value.differs for value in (left, right) if counts(value))
        return Value(Kind.HOST, differs=own, payload=counter)
    return Value(Kind.HOST, differs=differs, payload=computed_of(left, right))


def _refuse_method(
    op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt, frame: Frame, store: Store
) -> None:
    """`total += loss.item`: no operator takes a method that nobody calls."""
    if store.state.trust.raised is not None or isinstance(op, ast.Mod):
        return  # a text is put together by `%`, of whatever
    for value in (left, right):
        match value.payload:
            case Targets((Method(Value(kind=Kind.TENSOR) as tensor, name),)):
                if not tensor.sure or tensor.role is not Role.PLAIN:
                    continue
                why = f"`{name}` of a tensor is a method, and is not called"
                store.state.raises(Raised(frame.site(node), why))
                return


def _alone(value: Value, store: Store) -> Value:
    """What an operator finds: a single parameter is a tensor, several are a list."""
    held = value.payload
    return as_tensor(value, store) if isinstance(held, Parameters) and held.is_one else value


def _text(op: ast.operator, text: str, other: object) -> Value | None:
    """What `"on_" + event` or `"on_%s" % event` names."""
    if isinstance(op, ast.Add):
        return identifier((text, other))
    begin, placeholder, end = text.partition("%s")
    return identifier((begin, other, end)) if isinstance(op, ast.Mod) and placeholder else None


_ZERO: Final = constant(0)
_ONE: Final = constant(1)


def _merged(left: Value, right: Value, one: Container) -> Value:
    """Two mappings, or sets, in one."""
    if one.keys is not None:
        return with_entries(one, right)
    other = right.payload
    if not isinstance(other, Container):
        return UNKNOWN._replace(differs=left.differs or right.differs)
    return container_of(join_values(one.element, other.element))


def _take_time(left: Value, right: Value, node: ast.expr | ast.stmt, frame: Frame, store: Store) -> None:
    """What a clock has shown less what it has shown before says how long something took."""
    now, before = left.payload, right.payload
    if isinstance(now, Clock) and isinstance(before, Clock) and now.after == before.read:
        if any(map(_OF_THE_HOST.search, named(node))):
            return  # nobody takes that for the time of the device
        frame.model.time_work(store.state, before.read, now.read, frame.site(node), launched=now.launched)


_OF_THE_HOST: Final = re.compile(r"(?:^|_)(?:trac(?:e|ing)|dispatch|enqueue|host)(?:_|$)")
"""In the name of a clock: it is to show how long Python takes to record a step."""


def _counted(
    op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt, frame: Frame, store: Store
) -> Counter | Chance | None:
    """What is known of a number that is counted up, or computed of one that is another one in each step."""
    if isinstance(op, ast.Mod):
        held, size = left.payload, literal(right)
        if not isinstance(held, Counter) or (right.kind is Kind.CONSTANT and not isinstance(size, int)):
            return None
        if not isinstance(size, int):
            return held._replace(comes_again=True)
        return held._replace(comes_again=held.comes_again or size < _MANY) if size >= _SOME else None
    if not isinstance(op, ast.Add | ast.Sub | ast.Mult):
        return None
    if counts(left) or counts(right):
        drawn = drawn_of(left, right)
        return drawn if drawn is not None and drawn.whole else counter_of(left, right)
    if not isinstance(node, ast.AugAssign) or isinstance(op, ast.Mult):
        return None
    held, by = left.payload, right.payload
    if by is not None if right.kind is Kind.HOST else type(literal(right)) is not int or by == _ZERO.payload:
        return None
    site = frame.site(node)
    if isinstance(held, Counter):
        return held.counted(site, in_loop=store.state.scopes.in_loop)
    return Counter(begun=site) if type(literal(left)) is int else None


_SOME: Final = 64
"""What wraps after fewer numbers is soon compiled for all of them."""
_MANY: Final = 4096
"""What wraps after so many, mostly by a batch at a time, is compiled anew for long."""


def _unary(machine: Machine, node: ast.UnaryOp, frame: Frame, store: Store) -> Value:
    if isinstance(node.op, ast.Not):
        value = evaluate_test(machine, node.operand, frame, store)
        if isinstance(value.payload, RankTest):
            return value._replace(payload=value.payload.negated())
        if value.kind is Kind.ORDINAL:
            return Value(
                Kind.RANK_TEST,
                value.assumes,
                differs=True,
                payload=RankTest(True, value.assumes, value.assumes),
            )
        ask(value, "not", node.operand, node, frame, store)
        known = truth(value)
        if known is None:
            return Value(Kind.HOST, differs=value.differs, payload=Chance() if is_drawn(value) else None)
        return constant(not known)
    value = _alone(machine.evaluate(node.operand, frame, store), store)
    if value.kind is Kind.TENSOR:
        result = record((worked_on(value),), Weight.LIGHT, frame.site(node), frame, store)
        # What is turned round bit by bit is a mask: nobody does that with numbers on the device.
        is_mask = value.role is Role.MASK or isinstance(node.op, ast.Invert)
        return of_role(result, Role.MASK) if is_mask else result
    if isinstance(value.payload, Constant) and isinstance(node.op, ast.USub):
        try:
            return constant(-value.payload.value)
        except TypeError:
            return HOST
    return value


def evaluate_test(machine: Machine, node: ast.expr, frame: Frame, store: Store) -> Value:
    """The value of an expression of which only the truth matters, to whoever asks for that."""
    if isinstance(node, ast.BoolOp):
        return _bool_operator(machine, node, frame, store, tested=True)
    value = machine.evaluate(node, frame, store)
    if isinstance(value.present, Switch):
        return Value(Kind.HOST, payload=value.present)
    return where_present(value) if isinstance(value.present, RankTest) else value


def where_present(value: Value) -> Value:
    """The test of the replicas that asking for the truth of a value, or whether it is None, amounts to."""
    assert isinstance(value.present, RankTest)
    return Value(Kind.RANK_TEST, value.present.assumes, differs=True, payload=value.present)


def present_where(yes: Value, no: Value, test: RankTest) -> Value | None:
    """What some replicas have where the others have nothing: it tells them apart later on."""
    if is_unset(yes) is is_unset(no):
        return None
    held, where = (no, test.negated()) if is_unset(yes) else (yes, test)
    if truth(held) is False or held.kind is Kind.RANK_TEST:
        return None
    return held._replace(present=where, differs=True)


def number_of_each(yes: Value | None, no: Value | None, either: Value) -> Value | None:
    """What is a number where a test has parted the replicas, if it is another one in each arm: another one on
    each of them.

    Args:
        yes: What it is for those for which the test holds; None if only the others have it.
        no: What it is for the others.
        either: What it is for any of them.
    """
    if yes == no:
        return None
    for one, other in ((yes, no), (no, yes)):
        if one is not None and one.kind is Kind.UNKNOWN and one.payload is None and _is_number(other):
            return Value(Kind.HOST, differs=True)
    if any(each is not None and each.kind not in _NUMBERS for each in (yes, no)) or _count_alike(yes, no):
        return None
    payload = either.payload if either.kind is Kind.HOST else None
    return Value(Kind.HOST, either.assumes, differs=True, payload=payload)


_NUMBERS: Final = frozenset({Kind.HOST, Kind.CONSTANT})


def _is_number(value: Value | None) -> bool:
    number = literal(value)
    return isinstance(number, int | float) and not isinstance(number, bool)


def _count_alike(one: Value | None, other: Value | None) -> bool:
    """Whether two numbers differ by nothing but that a cut has been since one of them was counted up."""
    match one, other:
        case Value(payload=Counter() as here), Value(payload=Counter() as there):
            return one == other._replace(payload=there._replace(cut=here.cut))
    return False


def is_unset(value: Value) -> bool:
    """Whether a value stands for there being none: `None` or `False`."""
    return value.kind is Kind.NONE or literal(value) is False


def _bool_operator(
    machine: Machine, node: ast.BoolOp, frame: Frame, store: Store, *, tested: bool = False
) -> Value:
    """`and` or `or`: all operands but the last are asked for their truth; with `tested` that, too."""
    stops = isinstance(node.op, ast.Or)
    result: Value | None = None
    for number, operand in enumerate(node.values):
        if not stops and _makes_sure_of_text(operand, node.values[number + 1 :]):
            continue  # what follows is known of the text that it is taken for
        known = None if result is None else truth(result)
        if result is not None and known is stops:
            return result
        surely = result is None or known is not None
        aside = store if surely else store.copy()
        began = before(frame, aside)
        if tested:
            value = evaluate_test(machine, operand, frame, aside)
        else:
            value = machine.evaluate(operand, frame, aside)
        if tested or operand is not node.values[-1]:
            ask(value, "", operand, operand, frame, aside)
        rest_on_switches(machine, islice(node.values, number), began, frame, aside, holds=not stops)
        if tested and value.kind is Kind.TENSOR:
            value = Value(Kind.HOST, differs=value.surely_differs)
        if result is None or surely:
            result = value
            continue
        # `a or True` is true whatever `a` is; but `a or b` is not `True` where `b` is an object.
        decided = truth(value) is stops and (tested or _is_flag(value))
        result = constant(stops) if decided else _either(machine, result, value, node, frame)
        merge_into(store, aside)
    assert result is not None
    return result


def _makes_sure_of_text(operand: ast.expr, further: list[ast.expr]) -> bool:
    """Whether an operand of `and` only asks if something is a text, so that the next one may read it."""
    match operand, further:
        case ast.Call(func=ast.Name(id="isinstance"), args=[asked, ast.Name(id="str")]), [first, *_]:
            shown = written(asked)
            return written(first).startswith((f"{shown}.", f"{shown} == "))
    return False


def _compare(machine: Machine, node: ast.Compare, frame: Frame, store: Store) -> Value:
    left = machine.evaluate(node.left, frame, store)
    result = HOST
    for number, (op, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if number:  # `a < b < c` asks whether `a < b`
            ask(result, "", node, node, frame, store)
        right = machine.evaluate(operand, frame, store)
        result = compare(machine, op, left, right, node, frame, store)
        left = right
    return result if len(node.ops) == 1 else Value(Kind.HOST, differs=result.differs)


def _is_found_by_hash(machine: Machine, node: ast.Compare, frame: Frame) -> bool:
    """Whether a tensor is looked for in a dictionary or set, which compares no numbers: measured."""
    machine.rest_on("whole", frame.outline.file)
    return finds_by_hash(node.comparators[-1], frame.function, frame.outline)


def compare(
    machine: Machine, op: ast.cmpop, left: Value, right: Value, node: ast.Compare, frame: Frame, store: Store
) -> Value:
    """One comparison; on tensors it records and gives a tensor."""
    if Kind.NONE in (left.kind, right.kind) and isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        other = right if left.kind is Kind.NONE else left
        return _compare_none(other, isinstance(op, ast.Is | ast.Eq), node)
    if isinstance(op, ast.Is | ast.IsNot):
        if _is_flag(left) and _is_flag(right):
            return constant((left == right) is isinstance(op, ast.Is))
        if (asked := _asks_for_xla(left, right, node)) is not None:
            return constant(asked is isinstance(op, ast.Is))
        if frame.outline.is_framework and _is_flag(right):
            # What a framework does where a flag is set, it does where somebody has set it, for all we know.
            return constant(isinstance(op, ast.IsNot))
        return HOST
    if isinstance(op, ast.In | ast.NotIn):
        if left.kind is Kind.ORDINAL and _is_the_first(right):
            return _compare_ordinal(ast.Eq() if isinstance(op, ast.In) else ast.NotEq(), left, constant(0))
        if left.kind is Kind.ORDINAL and _are_numbers(right):
            return Value(Kind.HOST, differs=True)
        if right.kind is Kind.TENSOR and _is_text(left):
            # A batch that is asked for a key is a dictionary; what is asked for, it has.
            return constant(isinstance(op, ast.In))
        known = _is_in(left, right)
        if known is None and _is_environment(right):
            known = _ON_XLA.get(literal(left))
        if known is None:
            known = _asks_for_xla_by_part(left, right, node)
        if known is None and frame.outline.is_framework:
            known = False  # of what users hand over, what nobody knows is none of those that a program lists
        if known is not None:
            return constant(known is isinstance(op, ast.In))
        if left.kind is Kind.TENSOR and not _is_found_by_hash(machine, node, frame):
            read(left, Reading.BOOL, spelling(node), frame.site(node), frame, store)
        return HOST
    if Kind.PARAMETERS in (left.kind, right.kind):
        left, right = _alone(left, store), _alone(right, store)
    if Kind.TENSOR in (left.kind, right.kind):
        if _is_text(left) or _is_text(right):
            return HOST  # no tensor: what is compared with a string is one
        if Kind.NONE not in (left.kind, right.kind):
            left, right = worked_on(left), worked_on(right)
        compared = record((left, right), Weight.LIGHT, frame.site(node), frame, store)
        return of_role(compared, Role.MASK)._replace(history=None)
    for one, other in ((left, right), (right, left)):
        if one.kind is Kind.ORDINAL:
            return _compare_ordinal(op, one, other)
    if isinstance(left.payload, Constant) and isinstance(right.payload, Constant):
        a, b = left.payload.value, right.payload.value
        if {type(a), type(b)} == {bool, str}:
            return HOST  # `use_tpu == "tpu"`: what its name alone says of it is not what it is
        if isinstance(op, ast.Eq):
            return constant(a == b)
        if isinstance(op, ast.NotEq):
            return constant(a != b)
        if (order := _ORDER.get(type(op))) is not None and isinstance(a, int | float):
            return constant(order(a, b)) if isinstance(b, int | float) else HOST
    if isinstance(op, ast.Eq | ast.NotEq):
        for one, other in ((left, right), (right, left)):
            if isinstance(one.payload, Device):
                return _compare_device(op, one, one.payload, other)
        asked = False if _asks_for_half(left, right, node) else _asks_for_xla(left, right, node)
        if asked is not None:
            return constant(asked is isinstance(op, ast.Eq))
    if literal(right) == 0 and isinstance(op, ast.Gt | ast.NotEq | ast.Eq) and _counts_for_xla(left, node):
        return constant(not isinstance(op, ast.Eq))
    if (always := _comes_out(op, left, right)) is not None:
        return constant(always)
    drawn = Chance() if is_drawn(left, right) else None
    # What is not known may be a part of what differs, such as a count beside a flag of the master's.
    differs = any(value.differs and value.kind is not Kind.UNKNOWN for value in (left, right))
    return Value(Kind.HOST, differs=differs, payload=drawn)


def _comes_out(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """How `random() < 1` comes out, whatever is drawn; None where it hangs on that."""
    if type(op) not in _TURNED:
        return None
    match left.payload, right.payload:
        case Constant(), Chance(below_one=True):
            return _comes_out(_TURNED[type(op)](), right, left)
        case Chance(below_one=True), Constant(value=int() | float() as bound):
            if bound >= 1:
                return isinstance(op, ast.Lt | ast.LtE)
            if bound < 0 or (bound == 0 and isinstance(op, ast.Lt | ast.GtE)):
                return isinstance(op, ast.Gt | ast.GtE)
    return None


_ON_XLA: Final[Mapping[object, bool]] = {
    **dict.fromkeys(functions.SET_ON_XLA, True), **dict.fromkeys(functions.SET_ON_CUDA, False)
}  # fmt: skip
"""Whether a variable is in the environment of a program on XLA."""
_TURNED: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
}  # fmt: skip
"""How a comparison is written from its other side."""


def _compare_none(other: Value, is_none: bool, node: ast.Compare) -> Value:
    """Whether something is None; `==` asks no more than `is` does, of tensors neither."""
    if other.kind is Kind.NONE:
        return constant(is_none)
    if isinstance(other.present, RankTest):
        test = where_present(other)
        assert isinstance(test.payload, RankTest)
        return test._replace(payload=test.payload.negated()) if is_none else test
    if isinstance(other.present, Switch):
        return HOST if is_none else Value(Kind.HOST, payload=other.present)
    if other.present == PERHAPS and other.kind is Kind.CONTAINER:
        return HOST
    if isinstance(name := other.payload, Namespace):
        return constant(not is_none) if is_there(name) else HOST
    if other.kind in (Kind.CALLABLE, Kind.CLASS) or (
        other.kind not in (Kind.UNKNOWN, Kind.TENSOR, Kind.HOST)
        # What is taken for a device of XLA is taken to be there.
        and (other.sure or is_xla_device(other))
    ):
        return constant(not is_none)
    if other.kind is Kind.TENSOR and other.present is None and is_of_ways(other.assumes - PART):
        return constant(not is_none)
    if _counts_for_xla(other, node):
        return constant(not is_none)
    return HOST


_ORDER: Final = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


def _asks_for_half(left: Value, right: Value, node: ast.Compare) -> bool:
    """Whether `x.dtype == torch.float16` is asked of what nothing says that of: mostly not so on XLA."""
    if not (isinstance(right.payload, Namespace) and right.payload.name in functions.HALF):
        return False
    if left.kind is Kind.CONSTANT or isinstance(left.payload, Namespace):
        return False
    return isinstance(node.left, ast.Attribute) and node.left.attr == "dtype"


def _asks_for_xla(left: Value, right: Value, node: ast.Compare) -> bool | None:
    """Whether something unknown, compared with the word for a device, is one of XLA's; None for other words.

    Code that runs on XLA is what is checked. So the arm for another device is not entered, and the one for
    XLA is where what is asked is called a device: the same word may mean something else elsewhere.
    """
    first, second = node.left, node.comparators[0]
    for value, other, asked, by in ((left, right, first, second), (right, left, second, first)):
        word = _word(other, by)
        if not (isinstance(word, str) and _may_be_word(value)):
            continue
        word = word.lower()
        if word.partition(":")[0] in functions.OTHER_DEVICES:
            return False
        if word in functions.XLA_DEVICES and functions.NAMES_DEVICE.search(written(node)):
            return True
        if word in _ON and _names_variable_for_xla(asked):
            return True
    return None


_ON: Final = frozenset({"1", "true", "yes", "on"})


def _names_variable_for_xla(node: ast.expr) -> bool:
    """Whether an expression asks for a variable that chooses XLA, such as `os.getenv("USE_TPU", "0")`."""
    match node:
        case (
            ast.Call(func=ast.Attribute(attr="get" | "getenv"), args=[ast.Constant(str(name)), *_])
            | ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(str(name)))
        ):
            return name in functions.AVAILABILITY
        case ast.Call(func=ast.Attribute(value=inner, attr="lower" | "strip"), args=[]):
            return _names_variable_for_xla(inner)
    return False


def _is_environment(value: Value) -> bool:
    return isinstance(held := value.payload, Namespace) and held.name == functions.ENVIRONMENT


def _counts_for_xla(value: Value, node: ast.Compare) -> bool:
    """Whether something unknown is called by what it counts of XLA's devices: there are some."""
    match node.left:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(str(name))):
            return _may_be_word(value) and _COUNTS_FOR_XLA.fullmatch(name.lower()) is not None
    return False


_COUNTS_FOR_XLA: Final = re.compile(
    r"_?(?:(?:n|num|number_of)_)?(?:tpu|xla)(?:_(?:num_)?(?:core|device|id)s?)?s?"
)


def _asks_for_xla_by_part(left: Value, right: Value, node: ast.Compare) -> bool | None:
    """The same for `device.type in ("cuda", "cpu")` and `"cuda" in str(device)`."""
    held, word = right.payload, literal(left)
    if _may_be_word(left) and isinstance(held, Container):
        words = [literal(item) for item in held.items or ()]
        among = {word.lower() for word in words if isinstance(word, str)}
        if not words or len(words) != len(among):
            return None
        # Such a word among them says by itself what the others are.
        if not (among & functions.OTHER_DEVICES or functions.NAMES_DEVICE.search(written(node.left))):
            return None
        if among & functions.XLA_DEVICES:
            return True
        return False if among <= functions.OTHER_DEVICES | {"cpu"} else None
    asked = node.comparators[0]
    if not (isinstance(word, str) and _may_be_word(right)):
        return None
    if functions.NAMES_DEVICE.search(written(asked)) is None:
        return None
    if word.lower() in functions.OTHER_DEVICES:
        return False
    return True if word.lower() in functions.XLA_DEVICES else None


def _word(value: Value, node: ast.expr) -> object:
    """What a device is called by a text, or by a member of an enumeration, which is written in capitals."""
    held = value.payload
    if isinstance(held, Namespace) and held.outline is None:
        return held.name.rpartition(".")[2]
    return node.attr if isinstance(node, ast.Attribute) and node.attr.isupper() else literal(value)


def _may_be_word(value: Value) -> bool:
    """Whether nothing is known of a value that would keep it from being the name of a device.

    Of what is imported from a module that nobody sees, such as `FLAGS.platform`, nothing is.
    """
    if isinstance(held := value.payload, Namespace):
        return held.outline is None
    return value.kind in (Kind.UNKNOWN, Kind.HOST) and held is None


def _is_in(left: Value, right: Value) -> bool | None:
    """Whether a text is in the name of a device, or a text or number one of several, where that is known."""
    asked = literal(left)
    if not isinstance(asked, str | int):
        return None
    if isinstance(right.payload, Device) and isinstance(asked, str):
        return None if not right.payload.type or ":" in asked else asked in right.payload.type
    if isinstance(held := right.payload, Container) and held.items is not None and held.keys is None:
        among = [literal(item) for item in held.items]
        return asked in among if None not in among else None
    return None


def _compare_device(op: ast.Eq | ast.NotEq, value: Value, device: Device, other: Value) -> Value:
    if device.type and isinstance(other.payload, Device) and other.payload.type:
        # Two of one type may still be two devices.
        return HOST if device == other.payload else constant(isinstance(op, ast.NotEq))
    if device.type and isinstance(other.payload, Constant):
        same = str(other.payload.value).startswith(device.type)
        return constant(same is isinstance(op, ast.Eq))
    return Value(Kind.HOST, differs=value.differs or other.differs)


def _conditional(machine: Machine, node: ast.IfExp, frame: Frame, store: Store) -> Value:
    test = evaluate_test(machine, node.test, frame, store)
    known = truth(test)
    if known is not None:
        return machine.evaluate(node.body if known else node.orelse, frame, store)
    ask(test, "if", node.test, node.test, frame, store)
    drawn = is_drawn(test)
    since = set_apart(store) if drawn else ()
    around, aside = store.state, store.copy()
    parts = test.payload.splits(frame.site(node.test)) if isinstance(test.payload, RankTest) else None
    if parts is not None:
        store.state, aside.state = [frame.model.part(around, part) for part in parts]
    before = len(frame.reads)
    yes = machine.evaluate(node.body, frame, store)
    between = len(frame.reads)
    no = machine.evaluate(node.orelse, frame, aside)
    # Only one of the two runs: the reads of the one that reads more stand for both.
    by_yes, by_no = frame.reads[before:between], frame.reads[between:]
    frame.reads[before:] = by_yes if len(by_yes) >= len(by_no) else by_no
    here = store.state
    merge_into(store, aside)
    if drawn:
        vary([store.state], since, node.test, frame.site(node), frame)
    if parts is None and not test.surely_differs:
        return chosen(yes, no, arms(node.test)) or _asked_for(machine, node, yes, no, frame, aside)
    either = join_values(yes, no)
    number = number_of_each(yes, no, either)
    if parts is None:
        return number or chosen(yes, no, arms(node.test)) or either
    assert isinstance(test.payload, RankTest)
    store.state = frame.model.meet(around, list(zip(parts, (here, aside.state), strict=True)))
    return present_where(yes, no, test.payload) or number or either


def _asked_for(machine: Machine, node: ast.IfExp, yes: Value, no: Value, frame: Frame, aside: Store) -> Value:
    """What is only there where somebody asks for an option, and is None by default, tells so later on."""
    either = join_values(yes, no)
    if is_unset(yes) is is_unset(no) or either.present is not None:
        return either
    rests = option_of(machine, node.test, frame, aside, holds=is_unset(no))
    return either._replace(present=Switch(*rests)) if len(rests) == 1 else either


_TRUE: Final = kinds_that("true")


def _is_flag(value: Value) -> bool:
    return isinstance(literal(value), bool)


def _is_text(value: Value) -> bool:
    return isinstance(literal(value), str)


def _either(machine: Machine, left: Value, right: Value, node: ast.BoolOp, frame: Frame) -> Value:
    is_or = isinstance(node.op, ast.Or)
    for value, other in ((left, right), (right, left)):
        if isinstance(test := value.payload, RankTest):
            if isinstance(other.payload, RankTest) and other.payload.master != test.master:
                return Value(Kind.HOST, differs=True)
            # `a and is_master`: whoever gets in is the master; who stays out may be anyone.
            parts = assume(f"`{spelling(node)}` {SEPARATES}")
            if (test.assumes_else - test.assumes) if is_or else (test.assumes - test.assumes_else):
                parts = MANY  # `a and is_master or b`: that hangs on two things
            either_way = test._replace(assumes=parts) if is_or else test._replace(assumes_else=parts)
            return value._replace(payload=either_way)
    either = join_values(left, right)
    if is_drawn(left, right) and Kind.TENSOR not in (left.kind, right.kind):
        return Value(Kind.HOST, differs=either.differs, payload=Chance())
    number = literal(right)
    if (
        is_or
        and type(number) is int
        and either.payload is None
        and machine.mentions(frame.outline, functions.TOLD_HOW_MANY)
    ):
        return Value(Kind.HOST, either.assumes, differs=either.differs, payload=Fallback(number))
    return either


def _is_the_first(among: Value) -> bool:
    """Whether of some numbers only 0 is that of a replica, as in `rank in (-1, 0)`."""
    numbers = [literal(item) for item in elements(among)]
    return 0 in numbers and all(isinstance(number, int) and number <= 0 for number in numbers)


def _are_numbers(value: Value) -> bool:
    """Whether it is made of numbers that are known, and of which some are those of replicas."""
    numbers = [literal(item) for item in elements(value)]
    return all(isinstance(number, int) for number in numbers) and any(number != -1 for number in numbers)


def _compare_ordinal(op: ast.cmpop, ordinal: Value, other: Value) -> Value:
    number = literal(other)
    if isinstance(number, int) and number < 0:
        return HOST  # no replica has such a number: it is asked whether there are several
    zero = number == 0
    master: bool | None = None
    if isinstance(op, ast.Eq):
        master = zero
    elif isinstance(op, ast.NotEq):
        master = not zero
    elif zero and isinstance(op, ast.Gt | ast.Lt):
        master = False
    if master is None:
        return Value(Kind.HOST, differs=True)
    return Value(
        Kind.RANK_TEST,
        ordinal.assumes,
        differs=True,
        payload=RankTest(master, ordinal.assumes, ordinal.assumes),
    )


EVALUATORS: Final[dict[type, Evaluate]] = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _bool_operator,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
}
