"""Switches: settings from outside the program, of a YAML file for one, on which alone it hangs what runs.

Nothing in the program says whether such a switch is on, or it says that it is off: an option of the command
line that is False by default. What happens behind it is told, and rests on that.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from xlalint.analysis.frame import Frame
from xlalint.analysis.library.options import number_by_default
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import DEVICE_XLA, Namespace, Switch, literal
from xlalint.analysis.store import Store
from xlalint.knowledge import outside
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import OFF_BY_DEFAULT, OFF_IN, Assumptions, assume, both, weight
from xlalint.lazy.events import Event
from xlalint.lazy.obligations import Obligation
from xlalint.lazy.state import State
from xlalint.lazy.values import Kind, Value
from xlalint.program.assignments import assignments
from xlalint.program.outline import Function, dotted, last_name
from xlalint.remembering import remembered
from xlalint.sources.settings_files import NOWHERE
from xlalint.spelling import spelling
from xlalint.writing import written


class Before(NamedTuple):
    """What had happened in an activation, and what was owed, before something that a switch decides on."""

    occurrences: int
    carried: int
    owed: frozenset[Obligation]


def before(frame: Frame, store: Store) -> Before:
    """What there is now, to be held against what there is later."""
    return Before(len(frame.occurrences), len(frame.carried), store.state.obligations)


def rest_on_switches(
    machine: Machine, tests: Iterable[ast.expr], began: Before, frame: Frame, store: Store, *, holds: bool
) -> None:
    """What has happened since some moment, and what has come to be owed, rests on switches.

    Args:
        tests: All that came out so, or else nothing of it would have happened.
        store: What there is now.
    """
    state = store.state
    told, carried = frame.occurrences[began.occurrences :], frame.carried[began.carried :]
    if not told and not carried and state.obligations <= began.owed:
        return  # as mostly
    rests = assumptions.NONE
    for test in tests:
        rests = _resting(rests, switched_by(machine, test, frame, store, holds=holds))
    if not rests:
        return
    frame.occurrences[began.occurrences :] = [
        one._replace(event=_event_resting(one.event, rests)) for one in told
    ]
    frame.carried[began.carried :] = [one._replace(event=_event_resting(one.event, rests)) for one in carried]
    state.obligations = frozenset(
        one if one in began.owed or one.inherited else one._replace(assumes=_resting(one.assumes, rests))
        for one in state.obligations
    )


def switched_by(
    machine: Machine, test: ast.expr, frame: Frame, store: Store, *, holds: bool
) -> Assumptions:  # fmt: skip
    """What must be so, of what nothing in the program says, for a test to come out so."""
    option = option_of(machine, test, frame, store, holds=holds)
    rests = both(option, assumptions.NOT_FINITE) if finds_failure(test, holds=holds) else option
    for switch in () if option else _switches(test, holds):
        rests = _resting(rests, _is_on(machine, switch, frame, store))
    return rests


def option_of(
    machine: Machine, test: ast.expr, frame: Frame, store: Store, *, holds: bool
) -> Assumptions:  # fmt: skip
    """That somebody asks for an option that is off by default, or else a test would not come out so."""
    rests = assumptions.NONE
    test = _left_open(machine, test, frame, store, holds)
    for asked in _asked(test, holds):
        aside = _aside(frame)
        value = machine.evaluate(asked, aside, store.copy())
        for held in (value.payload, value.present):
            if isinstance(held, Switch):
                rests = _resting(rests, assume(held.clause))
    for asked, option, compare, other in _compared(test, holds):
        aside = _aside(frame)
        number = number_by_default(machine, machine.evaluate(option.value, aside, store.copy()), option.attr)
        if number is not None and number <= 0 and not compare(number, other):
            rests = _resting(rests, assume(f"`{spelling(asked)}`{OFF_BY_DEFAULT}"))
    return rests


def _left_open(machine: Machine, test: ast.expr, frame: Frame, store: Store, holds: bool) -> ast.expr:
    """The one part of a test on which it hangs whether it comes out so, as the others are known; else all of
    it: `args.cpu`, of `args.cpu or not on_xla(device)`."""
    match test:
        case ast.BoolOp(op=op, values=parts) if isinstance(op, ast.Or) is holds:
            left = [
                part
                for part in parts
                if literal(machine.evaluate(part, _aside(frame), store.copy())) is not (not holds)
            ]
            return left[0] if len(left) == 1 else test
    return test


def _aside(frame: Frame) -> Frame:
    """Where an expression of the present function is evaluated, and nothing is told."""
    aside = Frame(frame.outline, frame.function, frame.depth)
    aside.captured = frame.captured
    return aside


class _Compared(NamedTuple):
    """A number that is part of something, and how a part of a test asks whether it means anything."""

    asked: ast.expr
    option: ast.Attribute
    compare: Callable[[Any, Any], bool]
    other: float


def _compared(test: ast.expr, holds: bool) -> Iterator[_Compared]:
    """Where a number that is part of something must be above or beside 0 or -1 for a test to come out so."""
    match test:
        case ast.BoolOp(op=op, values=operands) if isinstance(op, ast.And) is holds:
            for operand in operands:
                yield from _compared(operand, holds)
        case ast.Compare(left=ast.Attribute() as option, ops=[op], comparators=[other]) if holds:
            number = _number(other)
            if type(op) in _ABOVE and (number == 0 or number == -1):
                yield _Compared(test, option, _ABOVE[type(op)], number)
        case ast.Attribute() if holds:
            yield _Compared(test, test, operator.ne, 0)


def _number(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    return None


_ABOVE: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.NotEq: operator.ne,
}  # fmt: skip
"""The comparisons by which a program asks whether a number is one that means nothing."""


@remembered(1024)
def finds_failure(test: ast.expr, *, holds: bool) -> bool:
    """Whether a test comes out so only where a number is NaN or infinite."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=asked):
            return finds_failure(asked, holds=not holds)
        case ast.BoolOp(op=op, values=operands):
            decided = any if isinstance(op, ast.And) is holds else all
            return decided([finds_failure(each, holds=holds) for each in operands])
        case ast.Call(func=ast.Attribute(value=asked, attr="any" | "item" | "all"), args=[]):
            return finds_failure(asked, holds=holds)
        case ast.Call(func=ast.Attribute(attr="any" | "all"), args=[asked]):
            return finds_failure(asked, holds=holds)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in (outside.FINDING_FAILURE if holds else outside.EXCLUDING_FAILURE)
    return False


def _asked(test: ast.expr, holds: bool) -> Iterator[ast.expr]:
    """What of a test is something true, or something at all, where the test comes out so."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=asked):
            yield from _asked(asked, not holds)
        case ast.BoolOp(op=op, values=operands) if isinstance(op, ast.And) is holds:
            for operand in operands:
                yield from _asked(operand, holds)
        case ast.Compare(left=asked, ops=[ast.Is()], comparators=[ast.Constant(None)]) if not holds:
            yield asked
        case ast.Compare(left=asked, ops=[ast.IsNot()], comparators=[ast.Constant(None)]) if holds:
            yield asked
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call(func=ast.Name(id="getattr")) if holds:
            yield test


def _event_resting(event: Event, rests: Assumptions) -> Event:
    return replace(event, assumes=_resting(event.assumes, rests))


def _resting(assumes: Assumptions, rests: Assumptions) -> Assumptions:
    """What is assumed where switches are on as well: many of them are no less likely than a few."""
    together = both(assumes, rests)
    return together if weight(together) <= max(weight(assumes), 1) else assumes


@remembered(1024)
def _switches(test: ast.expr, holds: bool) -> tuple[ast.expr, ...]:
    """What of a test may be a switch, and is on where the test comes out so."""
    match test:
        case (
            ast.UnaryOp(op=ast.Not(), operand=asked)
            | ast.Call(func=ast.Name(id="bool"), args=[asked], keywords=[])
        ):
            return _switches(asked, holds is not isinstance(test, ast.UnaryOp))
        case ast.BoolOp(op=op, values=operands) if isinstance(op, ast.And) is holds:
            shown = written(test)
            found = (one for operand in operands for one in _switches(operand, holds))
            # `log_every and step % log_every == 0`: a period is no switch.
            return tuple(one for one in found if shown.count(written(one)) == 1)
        case ast.Compare(left=asked, ops=[op], comparators=[ast.Constant(value=value)]):
            match op:
                case ast.Is() | ast.Eq():
                    is_on = holds is bool(value) and value is not None
                case ast.IsNot() | ast.NotEq():
                    is_on = holds and not value
                case _:
                    is_on = holds and isinstance(op, ast.Gt | ast.GtE)
            return (asked,) if is_on and _part_of(asked) is not None else ()
        case _:
            is_on = holds and (isinstance(test, ast.Name) or _part_of(test) is not None)
            return (test,) if is_on else ()


def _part_of(node: ast.expr) -> ast.expr | None:
    """What an expression takes a part of by a name that stands there; None for all others."""
    match node:
        case ast.Attribute(value=holder) | ast.Subscript(value=holder, slice=ast.Constant()):
            return holder
        case ast.Call(func=ast.Attribute(value=holder, attr=attr), args=[ast.Constant(), *_]):
            return holder if attr in outside.GETTERS else None
        case ast.Call(func=ast.Name(id="getattr"), args=[holder, ast.Constant(), *_]):
            return holder
    return None


class _Setting(NamedTuple):
    """A setting that a file may say.

    Args:
        names: The last of the keys that lead to it; none where they are not known.
    """

    names: tuple[str, ...] = ()
    is_off_by_default: bool = False


def _is_on(machine: Machine, switch: ast.expr, frame: Frame, store: Store) -> Assumptions:
    """That a switch is on, if it is a setting from outside the program that does not choose XLA itself.

    One that does is on in a program that is checked for XLA. One that no file has on is said to be off.
    """
    if outside.chooses_xla(written(switch)):
        return assumptions.NONE
    aside = _aside(frame)
    settings = _settings(machine, switch, aside, store.copy(), _MOST_NAMES)
    if not settings:
        return assumptions.NONE
    files = [
        machine.switched_off(frame.outline, each.names) if all(each.names) and each.names else ""
        for each in settings
    ]
    where = ""
    if all(
        each.is_off_by_default if file == NOWHERE else bool(file)
        for each, file in zip(settings, files, strict=True)
    ):
        named = [file for file in files if file != NOWHERE]
        where = f"{OFF_IN}`{named[0]}`" if named else OFF_BY_DEFAULT
    return assume(f"`{spelling(switch)}`{where}")


def device_set(
    machine: Machine, name: object, node: ast.expr, frame: Frame, store: Store
) -> Value | None:  # fmt: skip
    """The device that a setting from outside the program is by one of the files that it may read, if that is
    one of XLA: the program is checked for it. None where it is none, or not known.

    Args:
        name: What it is called; what does not end like a device is none.
    """
    if not (isinstance(name, str) and name.endswith(outside.DEVICE) and _may_be_a_setting(node, frame)):
        return None
    settings = _settings(machine, node, _aside(frame), store.copy(), 0)
    files = [machine.set_to_xla(frame.outline, each.names) if all(each.names) else "" for each in settings]
    if not settings or not settings[0].names or not all(files):
        return None
    return DEVICE_XLA._replace(assumes=assume(f"`{spelling(node)}` is as in `{files[0]}`"))


def _may_be_a_setting(node: ast.expr, frame: Frame) -> bool:
    """Whether what something is a part of may be what a file says, by its name or by what it is assigned."""
    holder = _part_of(node)
    while holder is not None and (inner := _part_of(holder)) is not None:
        if _is_called_so(holder):
            return True
        holder = inner
    if holder is None or _is_called_so(holder):
        return holder is not None
    function = frame.function
    if not isinstance(holder, ast.Name):
        return False
    if function is not None and function.binds(holder.id):
        given: Iterable[object] = assignments(function.node).get(holder.id, ())
    else:
        given = frame.outline.bindings.get(holder.id, ())
    return any(isinstance(one, ast.Call) and last_name(one.func) in _READING for one in given)


def _is_called_so(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.lower().rpartition("_")[2] in outside.NAMES


_READING: Final = frozenset({reader.rpartition(".")[2] for reader in outside.READERS})


def _settings(machine: Machine, node: ast.expr, frame: Frame, store: Store, names: int) -> list[_Setting]:
    """The setting that an expression is, or those that it is a name of; nothing where it is none.

    Args:
        frame: Where the expression stands; nothing is told there.
        names: So many names are looked up at most.
    """
    if isinstance(node, ast.Attribute) and machine.default_of_option(frame.outline, node.attr) is False:
        return [_Setting()]  # of the command line, which leaves it off
    keys: list[str] = []
    part, holder = node, _part_of(node)
    while holder is not None:
        if not _takes_item(part):
            keys.insert(0, _key(part))
        if _holds_settings(machine, holder, frame, store):
            return [_Setting(tuple(keys), _is_off_by_default(node))]
        part, holder = holder, _part_of(holder)
    match node:
        case (
            ast.Call(func=ast.Name(id="bool" | "int" | "float" | "str"), args=[inner])
            | ast.Call(func=ast.Attribute(value=inner, attr="lower" | "strip"), args=[])
            | ast.Compare(left=inner, ops=[ast.In()], comparators=[ast.Set() | ast.Tuple() | ast.List()])
        ):
            return _settings(machine, inner, frame, store, names)
        case ast.Call(func=asked, args=[_, instead]) if dotted(asked) in outside.OF_ENVIRONMENT:
            return _settings(machine, instead, frame, store, names)
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")) if names:
            given = [
                (one, by) for one, by in _given(machine, node, frame) if not isinstance(one, ast.Constant)
            ]
            found = [
                _settings(machine, one, _inside(by, frame), Store(State()), names - 1) for one, by in given
            ]
            return [each for one in found for each in one] if all(found) else []
    return []


def _takes_item(part: ast.expr) -> bool:
    """Whether something is one of a list, which has the names of the list."""
    match part:
        case ast.Subscript(slice=ast.Constant(value=int())):
            return True
    return False


def _key(part: ast.expr) -> str:
    """The name by which something is a part of another."""
    match part:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Call(func=ast.Name(), args=[_, ast.Constant(value=str(name)), *_]):
            return name
        case ast.Call(func=ast.Attribute(), args=[ast.Constant(value=str(name)), *_]):
            return name
    return ""


def _is_off_by_default(setting: ast.expr) -> bool:
    """Whether a setting is asked for with False for what it is where nobody sets it."""
    match setting:
        case ast.Call(args=[*_, ast.Constant(value=False)]):
            return True
    return False


def _inside(function: Function | None, frame: Frame) -> Frame:
    """An activation of a function in which expressions of it are looked at."""
    return Frame(function.outline if function is not None else frame.outline, function, frame.depth)


def _holds_settings(machine: Machine, node: ast.expr, frame: Frame, store: Store) -> bool:
    """Whether an expression is what a file says, as its name tells or the function that reads it."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if not name:
        return False
    read = [(one.func, by) for one, by in _given(machine, node, frame) if isinstance(one, ast.Call)]
    for function, by in read:
        meant = machine.evaluate(function, _inside(by, frame), Store(State())).payload
        if isinstance(meant, Namespace) and meant.name in outside.READERS:
            return True
    if name.lower().rpartition("_")[2] not in outside.NAMES or any(_is_parser(one) for one, _ in read):
        return False
    held = machine.evaluate(node, frame, store)
    return held.kind in (Kind.UNKNOWN, Kind.HOST) and held.payload is None


def _is_parser(function: ast.expr) -> bool:
    """Whether a function takes options from the command line, of which the program says what they are."""
    return isinstance(function, ast.Attribute) and function.attr in outside.PARSERS


def _given(machine: Machine, node: ast.expr, frame: Frame) -> list[tuple[ast.expr, Function | None]]:
    """What is assigned to a name of the function or the module, or to an attribute of `self`, and where."""
    function = frame.function
    match node:
        case ast.Name(id=name) if function is not None and function.binds(name):
            if name in function.parameters.annotations:
                return []
            return [(value, function) for value in assignments(function.node).get(name, ())]
        case ast.Name(id=name):
            machine.rest_on("name", frame.outline.file, name)
            bound = frame.outline.bindings.get(name, ())
            return [(value, None) for value in bound if isinstance(value, ast.expr)]
        case ast.Attribute(value=ast.Name(id="self"), attr=attr) if function is not None and function.owner:
            found: list[tuple[ast.expr, Function | None]] = []
            for cls in machine.classes.bases(function.owner):
                for method in cls.methods.values():
                    machine.rest_on("text", *method.key)
                    if attr in method.stored_attributes():
                        given = assignments(method.node).get(f"self.{attr}", ())
                        found += [(value, method) for value in given]
            return found
    return []


_MOST_NAMES: Final = 2
"""A setting may be taken by way of so many names."""
