"""What `torch_xla.compile` and `torch.compile` make of a function or a module, and what calling that does."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.binding import rebind
from xlalint.analysis.call import Call
from xlalint.analysis.library.cuts import cut
from xlalint.analysis.library.modules import call_module
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Compiled,
    Dynamo,
    Module,
    Opening,
    Scoped,
    callable_value,
    literal,
)
from xlalint.knowledge import dynamo
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, assume, both, least
from xlalint.lazy.cuts import Cause
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.state import NOTHING_DONE
from xlalint.lazy.values import NONE, Kind, Place, Value


def _compile(machine: Machine, call: Call) -> Value:
    full = call.flag("full_graph", False, 1)
    kind = ScopeKind.FULL_GRAPH if full else ScopeKind.COMPILE
    target = call.argument(0, "f")
    if target is None or target.kind in (Kind.NONE, Kind.CONSTANT):
        return Value(Kind.SCOPE, payload=Opening(kind, call.spelling))
    return callable_value(Scoped(target, kind))


def _dynamo(machine: Machine, call: Call) -> Value:
    target = call.argument(0, "model") or NONE
    if call.flag("disable", default=False) is not False:
        return target
    by = _compiler(target, call)
    if isinstance(target.payload, Module):
        return target._replace(payload=target.payload._replace(by=by))
    if target.kind is Kind.UNKNOWN:
        # Of what is not seen, most is a model; a function does nothing else when it is called.
        return Value(Kind.MODULE, payload=Module((), Place.UNKNOWN, by=by))
    return callable_value(Compiled(target, by))


def compile_in_place(machine: Machine, receiver: Value, call: Call) -> Value:
    """`module.compile()`: who calls the module from here on runs what `torch.compile` makes of its `forward`.

    That of a layer of torch itself it leaves as it is.
    """
    info = receiver.payload if isinstance(receiver.payload, Module) else Module((), Place.UNKNOWN)
    is_layer = bool(info.identity) and not info.of
    compiles = call.flag("disable", default=False) is False and not is_layer and not call.arguments
    if compiles and isinstance(function := call.function, ast.Attribute):
        compiled = info._replace(by=_compiler(receiver, call))
        changed = Value(Kind.MODULE, receiver.assumes, payload=compiled)
        rebind(machine, function.value, changed, call.frame, call.store)
    return NONE


def _compiler(target: Value, call: Call) -> Dynamo:
    """By what a call compiles; it is told of now if whoever runs what comes of it, that raises."""
    named = call.argument(-1, "backend")
    backend = dynamo.BY_DEFAULT if named is None else literal(named)
    extra = any(name in call.keywords for name in dynamo.OF_INDUCTOR)
    by = Dynamo(call.site, backend if isinstance(backend, str) else None, plain=not extra)
    if by.backend in dynamo.GONE:
        _tell(by, call, assumptions.NONE)
    elif by.backend in dynamo.FAILING and _is_moved(target):
        _tell(by, call, target.assumes)  # whoever calls it, with whatever, it raises
    return by


def call_compiled(machine: Machine, compiled: Compiled, call: Call) -> Value:
    """What `torch.compile` made of a function is called."""
    if compiled.target.kind is Kind.NONE:
        given = call.arguments[0] if call.arguments else NONE
        return callable_value(compiled._replace(target=given))
    on_device = _on_device(call)
    if on_device:
        _tell(compiled.by, call, least(on_device), trains=_trains(machine, compiled, call))
    return _result(call, differs=False)  # the function may reduce over the replicas itself


def call_compiled_module(machine: Machine, module: Value, call: Call) -> Value:
    """A module that `torch.compile` has compiled, on some way at least, is called."""
    info, by = module.payload, None
    assert isinstance(info, Module)
    info, by = info._replace(by=None), info.by
    assert by is not None
    on_device = _on_device(call)
    if info.place is Place.XLA:
        on_device.append(module.assumes)
    if on_device:
        learns = info.training is not False and by.backend == dynamo.OF_XLA
        assumes = least(on_device)
        _tell(by, call, both(assumes, by.assumes), learns=learns)
    if not by.assumes:
        return _result(call, differs=True)
    result = call_module(machine, module._replace(payload=info), call)
    cut(call, Cause.MARKER, sure=False)
    return result


def _result(call: Call, *, differs: bool) -> Value:
    """Its graph runs at once, with what waits for it."""
    cut(call, Cause.MARKER, sure=False)
    return Value(Kind.TENSOR, assume(f"`{call.spelling}` returns a tensor"), differs=differs)


def _on_device(call: Call) -> list[Assumptions]:
    """What must be so for each argument to be on a device of XLA that may be there."""
    return [value.assumes for value in call.values if value.kind is Kind.TENSOR or _is_moved(value)]


def _is_moved(value: Value) -> bool:
    return isinstance(value.payload, Module) and value.payload.place is Place.XLA


def _tell(
    by: Dynamo, call: Call, assumes: Assumptions, *, trains: bool = False, learns: bool = False
) -> None:
    call.frame.model.run_dynamo(
        call.store.state, by.backend, call.site,
        built=by.site, plain=by.plain, trains=trains, learns=learns, assumes=assumes,
    )  # fmt: skip


def _trains(machine: Machine, compiled: Compiled, call: Call) -> bool:
    """Whether the function that was compiled computes gradients and steps an optimizer: it is run aside."""
    if compiled.by.backend != dynamo.OF_XLA:
        return False
    aside = call.with_store(call.store.copy())
    aside.store.state.loop = NOTHING_DONE
    muted, call.frame.muted = call.frame.muted, True
    machine.invoke(compiled.target, aside)
    call.frame.muted = muted
    done = aside.store.state.loop.all
    return done.backward and done.steps


EFFECTS: Final[dict[str, Effect]] = {"compile": _compile, "dynamo": _dynamo}
