"""Calls: who is called, with what, and the way of calling for every kind of callee."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from xlalint.analysis import attributes
from xlalint.analysis.attributes import attribute
from xlalint.analysis.binding import begins_sum, element, mapped, rebind
from xlalint.analysis.call import Call
from xlalint.analysis.conditions import chosen, is_instance, merge, parted
from xlalint.analysis.decorators import is_context_manager
from xlalint.analysis.frame import Frame
from xlalint.analysis.library.compiling import call_compiled, call_compiled_module
from xlalint.analysis.library.functions import apply, call_library
from xlalint.analysis.library.methods import call_method
from xlalint.analysis.library.modules import call_module, tie_by_method
from xlalint.analysis.library.optimizers import made_by_unknown, make_optimizer
from xlalint.analysis.library.options import parsed, parsed_into_fields
from xlalint.analysis.machine import Evaluate, Machine
from xlalint.analysis.payloads import (
    ANY_KEY,
    NO_GRAD,
    Bound,
    Classes,
    Compiled,
    Constant,
    Container,
    Dynamo,
    Instance,
    Known,
    Managed,
    Method,
    Module,
    Namespace,
    Opening,
    Opens,
    Partial,
    RankTest,
    Scaler,
    Scoped,
    Shared,
    Target,
    Targets,
    callable_value,
    classes_of,
    has_effect,
    literal,
    met_at,
    run,
    targets,
)
from xlalint.analysis.refusals import refusal
from xlalint.analysis.scopes import enter_scope, leave_scope, set_autograd
from xlalint.analysis.store import Store, join
from xlalint.analysis.switches import device_set
from xlalint.analysis.ties import SAYS_IT_TIES
from xlalint.analysis.unknown import call_unknown
from xlalint.knowledge import outside
from xlalint.knowledge.functions import ASK_FOR_ALL, MAPPING, OF_OTHER_DEVICES
from xlalint.lazy.assumptions import COMES_HERE, assume, shown_by_use
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Fault
from xlalint.lazy.scopes import Between, Scope, ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.values import (
    UNKNOWN,
    Kind,
    Place,
    Role,
    Tensor,
    Value,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.branching import as_generator
from xlalint.program.outline import Class, Function, dotted, last_name
from xlalint.spelling import spelling


def _call(machine: Machine, node: ast.Call, frame: Frame, store: Store) -> Value:
    """Evaluate the callee, then the arguments, then the call itself."""
    callee = _super_method(machine, node, frame, store)
    if callee is None and isinstance(node.func, ast.Attribute):
        callee = attributes.callee(machine, node.func, frame, store)
    elif callee is None:
        callee = machine.evaluate(node.func, frame, store)
    made = Call(frame, store, frame.site(node), node)
    collects = has_effect(callee, "add closure")
    outer, frame.closure_argument = frame.closure_argument, frame.closure_argument or collects
    if (
        node.args
        and isinstance(node.args[0], ast.GeneratorExp | ast.Call)
        and dotted(node.func) in ASK_FOR_ALL
    ):
        frame.at_once, frame.between = as_generator(node.args[0]), Between.KEEPS
    for argument in node.args:
        value = machine.evaluate(argument, frame, store)
        if isinstance(argument, ast.Starred):
            items = value.payload.items if isinstance(value.payload, Container) else None
            if items is None:
                made.open_ended = True
                made.spread.append(element(value))
            else:
                made.arguments.extend(items)
        else:
            made.arguments.append(value)
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value, frame, store)
        if keyword.arg is not None:
            made.keywords[keyword.arg] = value
        elif (
            isinstance(held := value.payload, Container)
            and held.keys is not None
            and held.items is not None
            and held.keys != ANY_KEY
        ):
            for name, item in zip(held.keys, held.items, strict=True):
                if name is None:
                    made.open_ended = True
                    made.spread.append(item)
                else:
                    made.keywords.setdefault(str(name), item)
        else:
            made.open_ended = True
            made.spread.append(mapped(value))
    frame.closure_argument = outer
    if store.state.trust.raised is None and (raised := refusal(machine, callee, made)) is not None:
        store.state.raises(raised)
    if not _is_parameter(node.func, frame):
        result = machine.invoke(callee, made)
        if result.kind in (Kind.UNKNOWN, Kind.HOST):
            name = last_name(node.func)
            followed = result.kind is Kind.HOST
            options = parsed(frame.outline, (name,), followed=followed) if result.payload is None else None
            options = options or parsed_into_fields(frame.outline, name)
            if options is not None:
                return options
            guess, of = machine.names.flag(name, frame.outline), targets(callee)
            if guess is not None and (guess.assumes or any(isinstance(target, Bound) for target in of)):
                return guess
            gets = name in outside.GETTERS and not any(isinstance(target, Known) for target in of)
            setting = literal(made.argument(0)) if gets else None
            chosen = machine.names.flag(str(setting), frame.outline) if setting is not None else None
            if chosen is not None:
                return chosen
            device = device_set(machine, setting, node, frame, store)
            if device is not None:
                return device
            return (made_by_unknown(made) or result) if result.kind is Kind.UNKNOWN else result
        return result
    before = store.state.loop.own.cut_by
    result = machine.invoke(callee, made)
    # Where a marker stands is for those to say who pass it as a callback.
    loop = made.store.state.loop
    cuts = frozenset(cut for cut in loop.own.cut_by if cut in before or cut[0] is not Cause.MARKER)
    made.store.state.loop = loop._replace(own=loop.own._replace(cut_by=cuts))
    return result


def invoke(machine: Machine, callee: Value, call: Call) -> Value:
    """Call a value."""
    match callee.payload:
        case Targets(of):
            return _each_target(machine, of, call)
        case Classes() as classes:
            return _construct(machine, classes, call)
        case Module(by=Dynamo()):
            return call_compiled_module(machine, callee, call)
        case Module():
            return call_module(machine, callee, call)
        case Namespace() as namespace:
            return call_library(machine, namespace, call)
        case Instance():
            method = attribute(machine, callee, "__call__", None, call.frame, call.store)
            if any(isinstance(t, Bound | Known) for t in targets(method)):
                return machine.invoke(method, call)
        case Tensor(Role.PERHAPS_MODULE):
            # A tensor cannot be called: what was moved to the device is a module.
            module = Value(Kind.MODULE, shown_by_use(callee.assumes), payload=met_at(call.site, Place.XLA))
            if call.node is not None:
                rebind(machine, call.node.func, module, call.frame, call.store)
            return call_module(machine, module, call)
        case Constant(bool()) | RankTest():
            return callee  # a test for a backend, whether a function or a flag
        # A scope used as a decorator: `@torch_xla.compile(full_graph=True)`, `@xp.trace_me("step")`.
        case Opening(ScopeKind() as kind) if call.arguments:
            return callable_value(Scoped(call.arguments[0], kind))
        case Opening(effect=effect) if call.arguments and effect in NO_GRAD:
            return callable_value(Scoped(call.arguments[0], effect))
        case Opening() | Managed() if call.arguments:
            return call.arguments[0]
    return call_unknown(machine, call)


def _each_target(machine: Machine, of: tuple[Target, ...], call: Call) -> Value:
    if not of:
        return call_unknown(machine, call)
    names = {target.name for target in of if isinstance(target, Known)}
    left_out = {name for name in names if OF_OTHER_DEVICES.get(name) in names}
    of = tuple(target for target in of if not (isinstance(target, Known) and target.name in left_out))
    if len(of) == 1:
        return _target(machine, of[0], call)
    bounded = call.store.state.trust.bounded
    told = [_is_this(target, call) for target in of]
    ways = [partial(_way, machine, *each) for each in zip(of, told, strict=True)]
    result, after = _on_any_way(ways, call, call.store, told)
    after.state.trust = after.state.trust._replace(bounded=bounded)
    call.store.take(after)
    return result


def _way(machine: Machine, target: Target, told: str, call: Call) -> Value:
    """What one of several functions gives. That it is this one is a guess, unless what it is given rests on
    that."""
    trust = call.store.state.trust
    if not trust.bounded:
        rests = any(f"`{told}`" in value.assumes for value in call.values)
        bounded = assume(f"`{told}`" if rests else f"`{call.spelling}` {COMES_HERE}")
        call.store.state.trust = trust._replace(bounded=bounded)
    return _target(machine, target, call)


def _on_any_way(
    ways: Sequence[Callable[[Call], Value]], call: Call, before: Store, told: Sequence[str] = ()
) -> tuple[Value, Store]:
    """What a call gives that goes one of several ways, each from the same store, and the store after it.

    Args:
        told: What is so on each way, as text; nothing where that is not known. What one way alone moves to
            the device, or sets for it, has moved there, with what that assumes.
    """
    after = before.copy()
    result = ways[0](call.with_store(after))
    for number, way in enumerate(ways[1:], 1):
        aside = before.copy()
        other = way(call.with_store(aside))
        joined = join(after, aside)
        assert joined is not None
        value = join_values(result, other)
        if told and all(told):
            arms = parted(told, number)
            merge(joined, after, aside, arms)
            value = chosen(result, other, arms) or value
        result, after = value, joined
    return result, after


def _is_this(target: Target, call: Call) -> str:
    """That it is this one of several functions that a call leads to, as the program would ask for it."""
    called = call.node.func if call.node is not None else None
    if called is None or not isinstance(target, Bound):
        return ""
    if target.receiver is None:
        return f"{spelling(called)} is {target.function.name}"
    held = target.receiver.payload
    of = held.of if isinstance(held, Instance | Module) else ()
    if isinstance(called, ast.Attribute) and len(of) == 1 and isinstance(cls := of[0], Class):
        return is_instance(called.value, cls.name)
    return ""


def _target(machine: Machine, target: Target, call: Call) -> Value:
    if isinstance(target, Known):
        return apply(machine, target.name, call)
    if isinstance(target, Method):
        return call_method(machine, target, call)
    if isinstance(target, Bound):
        result, receiver = _enter(machine, target, call), target.receiver
        if (
            receiver is not None
            and receiver.kind is Kind.MODULE
            and SAYS_IT_TIES.search(target.function.name)
        ):
            tie_by_method(machine, receiver, target.function, call)
        return result
    if isinstance(target, Partial):
        call.arguments = [*target.arguments, *call.arguments]
        call.keywords = {**dict(target.keywords), **call.keywords}
        return machine.invoke(target.target, call)
    if isinstance(target, Compiled):
        return call_compiled(machine, target, call)
    if isinstance(target.scope, Opens):
        return _called_with_autograd(machine, target.target, NO_GRAD[target.scope], call)
    scope = Scope(target.scope, _definition(target.target) or call.site)
    enter_scope(scope, call.spelling, call.frame, call.store)
    result = machine.invoke(target.target, call)
    leave_scope(scope, call.spelling, call.frame, call.store, called_at=call.site)
    if scope.kind.is_step:
        _compiled_in_vain(target, result, call)
    return run(result)


def _enter(machine: Machine, bound: Bound, call: Call) -> Value:
    """Enter a function; that of a framework with each of the objects that a program may hand it by itself.

    What it does with one of them is no guess then: there is such a way through the program.
    """
    several = _of_several_classes(call) if bound.function.outline.is_framework else None
    if several is None or call.frame.outline.is_framework:
        return machine.enter(bound, call)
    ways = [partial(_enter_with, machine, bound, several, given) for given in _each_alone(several)]
    result, after = _on_any_way(ways, call, call.store.copy())
    call.store.take(after)
    return result


def _enter_with(machine: Machine, bound: Bound, several: Value, given: Value, call: Call) -> Value:
    """Enter a function with `given` in the place of what may be of several classes."""
    call.arguments = [given if each is several else each for each in call.arguments]
    call.keywords = {name: given if each is several else each for name, each in call.keywords.items()}
    return machine.enter(bound, call)


def _of_several_classes(call: Call) -> Value | None:
    """What a call gives that may be of several classes of the project."""
    for given in (*call.arguments, *call.keywords.values()):
        if isinstance(held := given.payload, Module | Instance) and len(held.of) > 1:
            return given
    return None


def _each_alone(several: Value) -> list[Value]:
    """What may be of several classes, as being of each of them."""
    match several.payload:
        case Module() as module:
            return [several._replace(payload=module._replace(of=(cls,))) for cls in module.of]
        case Instance() as instance:
            return [several._replace(payload=instance._replace(of=(cls,))) for cls in instance.of]
    return [several]


def _called_with_autograd(machine: Machine, target: Value, no_grad: bool | None, call: Call) -> Value:
    before = call.store.state.scopes.no_grad
    set_autograd(call.store, no_grad)
    result = machine.invoke(target, call)
    set_autograd(call.store, before)
    return result


def _compiled_in_vain(compiled: Scoped, result: Value, call: Call) -> None:
    """A compiled function runs nothing when it is called, or yields nothing though something is asked for."""
    functions = [target.function for target in targets(compiled.target) if isinstance(target, Bound)]
    fault = None
    if functions and all(each.yields() and not is_context_manager(each) for each in functions):
        fault = Fault.GENERATOR
    elif functions and result.kind is Kind.NONE and not _leaves_result(call):
        fault = Fault.NO_RESULT
    if fault is not None:
        call.frame.model.compile_in_vain(call.store.state, fault, call.site)


def _leaves_result(call: Call) -> bool:
    """Whether nobody asks here for what a call returns; who returns it in turn leaves that to others."""
    if call.node is None or call.node is call.frame.discarded:
        return True
    within = call.frame.function.node if call.frame.function is not None else call.node
    return any(isinstance(each, ast.Return) and each.value is call.node for each in ast.walk(within))


def _construct(machine: Machine, classes: Classes, call: Call) -> Value:
    joined: Value | None = None
    for cls in classes.of:
        made = call_unknown(machine, call) if isinstance(cls, str) else _construct_one(machine, cls, call)
        joined = made if joined is None else join_values(joined, made)
    return joined or UNKNOWN


def _construct_one(machine: Machine, cls: Class, call: Call) -> Value:
    if machine.classes.is_mapping(cls):
        return apply(machine, MAPPING, call)
    kind = machine.classes.kind_of(cls)
    if kind is Kind.MODULE:
        value = Value(Kind.MODULE, payload=Module((call.site,), Place.HOST, (cls,)))
    elif kind is Kind.SCALER:
        return Value(Kind.SCALER, payload=Scaler(cls))
    elif kind is Kind.OPTIMIZER:
        return Value(Kind.OPTIMIZER, payload=make_optimizer(call)._replace(cls=cls))
    else:
        value = Value(Kind.INSTANCE, payload=Instance((cls,)))
    init = machine.classes.find_method(cls, "__init__")
    if init is not None:
        before = {key: held for key, held in call.store.attributes.items() if key[0] is cls}
        value = _enter_init(machine, init, value, call)
        for key, held in before.items():
            machine.touch(key)
            now = call.store.attributes.get(key, held)
            if (either := _of_either(held, now)) is not now:
                call.store.attributes[key] = either
    else:
        # Dataclasses and the like keep what they are given.
        fields = [field for base in reversed(machine.classes.bases(cls)) for field in base.fields()]
        # What `**settings` gives may be any of them.
        perhaps = dict.fromkeys(fields, UNKNOWN) if call.open_ended else {}
        for name, given in (
            *perhaps.items(),
            *zip(dict.fromkeys(fields), call.arguments, strict=False),
            *call.keywords.items(),
        ):
            machine.touch((cls, name))
            call.store.attributes[cls, name] = given
    return value


def _of_either(held: Value, now: Value) -> Value:
    """What an attribute holds, of which an object was made while there is another: instances of a class share
    the table, and what they hold of another kind is either.

    What is another number on each replica in the one says nothing of the other, and of two that are new it
    is not known in which of them a sum is made of what: it is taken for what is made of all.
    """
    if isinstance(held.payload, Shared) and isinstance(now.payload, Shared):
        return now if held.surely_differs else now._replace(payload=held.payload)
    if now.kind is not held.kind:
        return now if held.surely_differs else join_values(held, now)
    return Value(Kind.HOST, payload=Shared()) if begins_sum(now) and begins_sum(held) else now


def _enter_init(machine: Machine, init: Function, made: Value, call: Call) -> Value:
    """What is made, after its `__init__`: a module may move itself there, whatever one that was made at the
    same place before has done."""
    module = made.payload
    if not isinstance(module, Module):
        machine.enter(Bound(init, made), call)
        return made
    earlier = call.store.moved.pop(module.identity, None)
    machine.enter(Bound(init, made), call)
    if module.identity in call.store.moved:
        return call.store.as_moved(made)
    if earlier is not None:
        call.store.moved[module.identity] = earlier
    return made


def _super_method(machine: Machine, node: ast.Call, frame: Frame, store: Store) -> Value | None:
    function = node.func
    if not (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Call)
        and isinstance(function.value.func, ast.Name)
        and function.value.func.id == "super"
    ):
        return None
    owner = frame.function.owner if frame.function is not None else None
    if owner is None or frame.function is None or isinstance(frame.function.node, ast.Lambda):
        return UNKNOWN
    arguments = frame.function.node.args
    named = [*arguments.posonlyargs, *arguments.args]
    receiver = store.names.get(named[0].arg, UNKNOWN) if named else UNKNOWN
    for base in _after(machine, owner, receiver):
        if function.attr in base.methods:
            return callable_value(Bound(base.methods[function.attr], receiver))
    if isinstance(receiver.payload, Module):
        plain = receiver._replace(payload=receiver.payload.plain())
        if function.attr == "__init__":
            plain = receiver  # its class says which parts it has
        return callable_value(Method(plain, function.attr))
    return callable_value(Known("builtins.object.__init__")) if function.attr == "__init__" else UNKNOWN


def _after(machine: Machine, owner: Class, receiver: Value) -> list[Class]:
    """What comes after a class where an object is asked: for a mixin, the classes named behind it."""
    of = classes_of(receiver)
    only = of[0] if len(of) == 1 else None
    whole = machine.classes.bases(only) if isinstance(only, Class) else []
    known = whole if owner in whole else machine.classes.bases(owner)
    return known[known.index(owner) + 1 :]


def _is_parameter(node: ast.expr, frame: Frame) -> bool:
    """Whether a callee is a parameter of the function being interpreted."""
    return (
        isinstance(node, ast.Name)
        and frame.function is not None
        and node.id in frame.function.parameters.annotations
    )


def _definition(value: Value) -> Site | None:
    """Where the one function that a value stands for is defined: it owns the scope it runs in."""
    for target in targets(value):
        if isinstance(target, Bound) and len(targets(value)) == 1:
            return target.function.site
    return None


EVALUATORS: Final[dict[type, Evaluate]] = {ast.Call: _call}
