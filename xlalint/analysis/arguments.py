"""What a call gives to the parameters of a function of the project, and what that captured."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.frame import Frame
from xlalint.analysis.library.loaders import BATCH
from xlalint.analysis.machine import Machine
from xlalint.analysis.moments import MOMENT, frame_at
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Device,
    Fallback,
    Instance,
    Loader,
    Module,
    Namespace,
    Targets,
    classes_of,
    container,
    container_of,
    has_effect,
    run,
    targets,
)
from xlalint.analysis.store import Store
from xlalint.knowledge import classes as library_classes
from xlalint.knowledge import functions
from xlalint.lazy.assumptions import IS_XLA, assume
from xlalint.lazy.state import State
from xlalint.lazy.values import (
    NOTHING,
    UNKNOWN,
    XLA,
    Kind,
    Place,
    Value,
    join_all,
)
from xlalint.program.outline import Function, within
from xlalint.remembering import remembered
from xlalint.writing import written


def capture(function: Function, frame: Frame, store: Store) -> tuple[tuple[str, Value], ...]:
    """What a nested function sees of the functions around it, at this moment.

    What those see that stand beside it, and that it may call, is there, too: their captures are left out.
    """
    return _seen(function, frame, store, frozenset())


def capture_beside(bound: Bound, frame: Frame, store: Store) -> tuple[tuple[str, Value], ...]:
    """What a function sees of those around it, where one that stands in the same names it.

    That may hand it on to somebody who sees nothing of them.
    """
    parent = bound.function.parent
    hidden: frozenset[str] = frozenset()
    within = frame.function
    while within is not parent:
        if within is None:
            return bound.captured
        hidden |= within.locals()
        within = within.parent
    seen = _seen(bound.function, frame, store, hidden)
    known = {name for name, _ in seen}
    return seen + tuple(held for held in bound.captured if held[0] not in known)


def _seen(
    function: Function, frame: Frame, store: Store, hidden: frozenset[str]
) -> tuple[tuple[str, Value], ...]:
    """Names that a function sees around it, but for what is hidden where it is named."""
    seen = []
    names = [*function.free_names()]
    for name in names:
        value = None if name in hidden else store.names.get(name) or frame.captured.get(name)
        if value is not None:
            seen.append((name, _without_captures(value, function.parent)))
            names += _seen_beside(value, function, names)
    return tuple(seen)


def _seen_beside(value: Value, function: Function, names: list[str]) -> list[str]:
    """What a value that a nested function sees, if it is a function beside it, sees besides these names."""
    if value.kind is not Kind.CALLABLE:
        return []
    beside = [t.function for t in targets(value) if isinstance(t, Bound)]
    seen = (each.free_names() for each in beside if each.parent is function.parent)
    return sorted({name for each in seen for name in each}.difference(names, function.locals()))


def defaults(
    machine: Machine, function: Function, frame: Frame, store: Store
) -> tuple[tuple[str, Value], ...]:
    """What the parameters of a nested function are by default: evaluated where it is defined."""
    if frame.function is None:
        return ()
    arguments = function.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    given = [
        *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return tuple(
        (parameter.arg, machine.evaluate(default, frame, store))
        for parameter, default in given
        if default is not None
    )


def captured(bound: Bound, call: Call) -> dict[str, Value]:
    """What a called function captured of the functions around it."""
    own = bound.function.locals()
    held = {name: value for name, value in bound.captured if name not in own}
    if bound.function.outline is call.frame.outline and MOMENT in call.frame.captured:
        held[MOMENT] = call.frame.captured[MOMENT]
    parent = bound.function.parent
    if parent is not None:
        names = [*bound.function.free_names()]
        for name in names:
            if name not in held:
                around = parent is call.frame.function or name in call.frame.captured
                if not around or name not in call.store.names:
                    continue
                held[name] = call.store.names[name]
            names += _seen_beside(held[name], bound.function, names)
    return held


def bind_arguments(machine: Machine, bound: Bound, call: Call) -> dict[str, Value]:
    """The values of a function's parameters in a call: given, by default, or by annotation."""
    function = bound.function
    positional, annotations, by_default = function.parameters
    arguments = function.node.args
    given = list(call.arguments)
    if bound.receiver is not None and not function.is_static:
        given.insert(0, bound.receiver)
    names = dict(zip(positional, given, strict=False))
    extra = given[len(positional) :]
    others: dict[str, Value] = {}
    for name, value in call.keywords.items():
        (names if name in annotations else others)[name] = value
    held = dict(bound.captured)
    spread = join_all(call.spread, UNKNOWN) if call.spread else UNKNOWN
    for name, annotation in annotations.items():
        if name in names:
            given_for = names[name]
            if annotation is not None and given_for.kind is Kind.UNKNOWN and given_for.payload is None:
                names[name] = _annotated_value(machine, annotation, function)
            continue
        if name in held and not call.open_ended:
            # A default of long ago has run by now, when nothing at all is recorded any more.
            names[name] = run(held[name]) if call.store.state.engine.recorded == NOTHING else held[name]
        elif name in by_default and not call.open_ended:
            default = by_default[name]
            if isinstance(default, ast.Constant):  # the same everywhere
                names[name] = machine.evaluate(default, call.frame, call.store)
            else:
                frame = frame_at(function.outline, function.node)  # where it is defined
                names[name] = machine.evaluate(default, frame, Store(State()))
        elif spread.kind is Kind.TENSOR and name not in by_default:
            names[name] = spread  # of `**batch`: nothing else can give what must be given
        else:
            names[name] = (
                _device_by_use(name, function)
                or _number_of_processes(by_default.get(name), function)
                or _made_by_default(machine, by_default.get(name), function)
                or _annotated_value(machine, annotation, function)
            )
    if arguments.vararg is not None:
        if not call.open_ended:
            names[arguments.vararg.arg] = container(extra)
        else:
            held_by_it = [*extra, *call.spread]
            names[arguments.vararg.arg] = container_of(join_all(held_by_it, UNKNOWN)) if extra else UNKNOWN
    if arguments.kwarg is not None:
        each = join_all([*others.values(), *call.spread], UNKNOWN)
        if not call.open_ended:
            names[arguments.kwarg.arg] = container([*others.values()], tuple(others))
        else:
            names[arguments.kwarg.arg] = UNKNOWN if each == UNKNOWN else container_of(each, keyed=True)
    return names


def arguments_of(function: Function, call: ast.Call | None) -> dict[str, ast.expr]:
    """The expressions that a call gives to parameters of a function; nothing where `*args` hide which."""
    if call is None or isinstance(function.node, ast.Lambda):
        return {}
    given: list[ast.expr] = list(call.args)
    if function.owner is not None and not function.is_static:
        # Who calls a module, or another object, calls its `forward` or `__call__` by no name.
        match call.func:
            case ast.Attribute(value=receiver, attr=function.name):
                given.insert(0, receiver)
            case called:
                given.insert(0, called)
    if any(isinstance(argument, ast.Starred) for argument in given):
        return {}
    by_name = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    return {**dict(zip(function.parameters.positional, given, strict=False)), **by_name}


def _device_by_use(name: str, function: Function) -> Value | None:
    """What a function that cuts the graph itself moves things to: an XLA device, or nobody would cut it."""
    node, named = function.node, function.attributes()
    if isinstance(node, ast.Lambda) or "to" not in named or named.isdisjoint(_CUTTING):
        return None
    if name not in _moved_to(node):
        return None
    return Value(Kind.DEVICE, assume(f"`{name}` {IS_XLA}"), payload=Device(XLA))


@remembered(1024)  # asked for each parameter of each call: an eighth of a cold run
def _moved_to(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names that something is moved to in a function, if it cuts the graph."""
    names: set[str] = set()
    cuts = False
    for inner in within(node):
        match inner:
            case ast.Call(func=ast.Attribute(attr="to"), args=[ast.Name(id=given), *_]):
                names.add(given)
            case ast.Call(func=ast.Attribute(attr=called)):
                cuts |= called in _CUTTING
    return frozenset(names) if cuts else frozenset()


def _number_of_processes(default: ast.expr | None, function: Function) -> Value | None:
    """What a parameter with a number by default is where processes are started: that, if nobody says else."""
    match default:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            if not functions.TOLD_HOW_MANY.isdisjoint(function.attributes() | function.outer_names()):
                return Value(Kind.HOST, payload=Fallback(number))
    return None


def _made_by_default(machine: Machine, default: ast.expr | None, function: Function) -> Value | None:
    """The object of a class of the project that a parameter is by default: that, if nobody says else."""
    if not isinstance(default, ast.Call):
        return None
    made = machine.evaluate(default, frame_at(function.outline, function.node), Store(State()))
    of_project = made.kind is Kind.INSTANCE and not any(isinstance(cls, str) for cls in classes_of(made))
    return made if of_project else None


_CUTTING: Final = functions.names_of("marker", "xla optimizer step") - {"sync"}


def _annotated_value(machine: Machine, annotation: ast.expr | None, function: Function) -> Value:
    if annotation is None:
        return UNKNOWN
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return UNKNOWN
    if not isinstance(annotation, ast.Name | ast.Attribute):
        return UNKNOWN
    meant = machine.evaluate(annotation, Frame(function.outline, None, 0), Store(State()))
    if isinstance(name := meant.payload, Namespace) and name.name in library_classes.MODULE:
        return Value(Kind.MODULE, payload=Module((), Place.UNKNOWN))
    if isinstance(meant.payload, Classes) and not isinstance(cls := meant.payload.of[0], str):
        if machine.classes.kind_of(cls) is Kind.MODULE:
            return UNKNOWN
        return Value(
            Kind.INSTANCE,
            assume(f"`{written(annotation)}` is what is passed"),
            payload=Instance(meant.payload.of),
        )
    if has_effect(meant, "device loader"):
        return Value(Kind.LOADER, payload=Loader(BATCH, True, True))
    return UNKNOWN


def _without_captures(value: Value, around: Function | None) -> Value:
    """The value with captures of nested functions left out, so that captures do not nest.

    One that comes from elsewhere, such as the function that a decorator is given, keeps its own: nobody here
    could say what they are. Those of `around` are captured beside it.
    """
    if value.kind is not Kind.CALLABLE:
        return value
    stripped = tuple(
        t._replace(captured=_captured_elsewhere(t, around)) if isinstance(t, Bound) and t.captured else t
        for t in targets(value)
    )
    return value._replace(payload=Targets(stripped)) if stripped else value


def _captured_elsewhere(bound: Bound, around: Function | None) -> tuple[tuple[str, Value], ...]:
    if bound.function.parent is around:
        return ()
    return tuple((name, _without_any_captures(value)) for name, value in bound.captured)


def _without_any_captures(value: Value) -> Value:
    if value.kind is not Kind.CALLABLE or not targets(value):
        return value
    bare = tuple(t._replace(captured=()) if isinstance(t, Bound) else t for t in targets(value))
    return value._replace(payload=Targets(bare))
