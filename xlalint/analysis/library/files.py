"""Saving to files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from xlalint.analysis.call import Call
from xlalint.analysis.library.cuts import cut
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Container,
    Instance,
    Module,
    OpenFile,
    Parameters,
    StateDict,
    classes_of,
    literal,
)
from xlalint.knowledge import functions
from xlalint.knowledge.methods import is_named_as_hosts
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both, least
from xlalint.lazy.cuts import Cause
from xlalint.lazy.site import Path, Site
from xlalint.lazy.values import (
    HOST,
    NONE,
    NOTHING,
    UNKNOWN,
    XLA,
    Kind,
    Place,
    Recorded,
    Value,
    Weight,
)
from xlalint.program.outline import dotted, last_name
from xlalint.writing import written


def _open(machine: Machine, call: Call) -> Value:
    """A file is opened: written by all replicas, unless a test keeps some of them away."""
    mode = literal(call.argument(1, "mode"))
    if mode is None or (isinstance(mode, str) and "r" in mode):
        _read(call, 0, "file")
    by_all = isinstance(mode, str) and "w" in mode and not call.store.state.replicas.splits
    return Value(Kind.HOST, payload=OpenFile((call.site,)) if by_all else None)


def _xla_save(machine: Machine, call: Call) -> Value:
    return _save(call, by_xla=True)


def _save_references(machine: Machine, call: Call) -> Value:
    return _save(call, by_xla=True, as_references=True)


def _load(machine: Machine, call: Call) -> Value:
    _read(call, 0, "f")
    target = call.argument(1, "map_location")
    if target is not None and device_of(target).type == XLA:
        by_name = "map_location" in call.keywords
        call.frame.model.refuse_load(
            call.store.state, call.spelling, call.site, by_name=by_name, assumes=target.assumes
        )
    return UNKNOWN


def _load_references(machine: Machine, call: Call) -> Value:
    _read(call, 0, "path", by_references=True)
    return UNKNOWN


def _checkpoint_manager(machine: Machine, call: Call) -> Value:
    """One that is told to leave preemption alone is never asked for it."""
    asks = call.flag("chkpt_on_preemption", default=True, position=6) is True and not call.open_ended
    return Value(Kind.INSTANCE, payload=Instance((functions.MANAGER if asks else functions.MANAGER_UNTOLD,)))


def _take_checkpoint(machine: Machine, call: Call, *, asks: bool = True) -> Value:
    hidden = _fails_unseen(machine, call)
    call.frame.model.take_checkpoint(call.store.state, call.spelling, call.site, hidden=hidden, asks=asks)
    return HOST


def _fails_unseen(machine: Machine, call: Call) -> bool:
    """Whether a checkpoint is taken in the background, and nothing in the file asks what came of it."""
    if last_name(call.function) != "save_async":
        return False
    return not machine.mentions(call.frame.outline, functions.TELLING_OF_CHECKPOINTS)


def _restore(machine: Machine, call: Call) -> Value:
    _restore_into(call, call.argument(1, "state_dict"))
    return NONE


def _load_checkpoint(machine: Machine, call: Call) -> Value:
    planner = call.argument(3, "planner")
    if planner is not None and functions.LOAD_PLANNER in classes_of(planner):
        _restore_into(call, call.argument(0, "state_dict"))
    return NONE


def _load_planner(machine: Machine, call: Call) -> Value:
    return Value(Kind.INSTANCE, payload=Instance((functions.LOAD_PLANNER,)))


def _restore_into(call: Call, given: Value | None) -> None:
    """A sharded checkpoint is read into the tensors of a state dict."""
    for optimizer in _optimizers_in(given) if given is not None else ():
        call.frame.model.restore_optimizer(call.store.state, optimizer, call.spelling, call.site)


def _optimizers_in(value: Value) -> list[Site]:
    """Where the optimizers were built whose states a value holds."""
    states = (held for held in _held_in(value) if isinstance(held, StateDict))
    return [held.optimizer for held in states if held.optimizer is not None]


def _held_in(value: Value) -> Iterator[object]:
    """The payload of a value; of a container those of its items, and of theirs."""
    if isinstance(value.payload, Container):
        for item in value.payload.items or ():
            yield from _held_in(item)
    else:
        yield value.payload


def _prime_optimizer(machine: Machine, call: Call) -> Value:
    call.frame.model.prime_optimizers(call.store.state)
    cut(call, Cause.MARKER)
    return call.argument(0, "optimizer") or UNKNOWN


def _ask_for_preemption(machine: Machine, call: Call) -> Value:
    call.frame.model.ask_for_preemption(call.store.state)
    return HOST


def _read(call: Call, position: int, keyword: str, *, by_references: bool = False) -> None:
    file = _file(call, position, keyword)
    if file:
        model = call.frame.model
        model.load(call.store.state, file, call.spelling, call.site, by_references=by_references)


def _file(call: Call, position: int, *keywords: str) -> str:
    """What a file is known by, from one place of the program to another: its name, or how a function
    spells it. Empty where neither is known.
    """
    given = next((value for key in keywords if (value := call.argument(position, key)) is not None), None)
    name = literal(given)
    if isinstance(name, str):
        return repr(name)
    node = call.written("", position) or next(filter(None, map(call.written, keywords)), None)
    if node is None or given is None or isinstance(given.payload, OpenFile):
        return ""
    if not all(isinstance(part, _OF_PATHS) for part in ast.walk(node)):
        return ""
    function = call.frame.function
    return f"{function.qualname if function is not None else ''}: {written(node)}"


_OF_PATHS: Final = (
    ast.Attribute, ast.BinOp, ast.Call, ast.Constant, ast.FormattedValue, ast.JoinedStr, ast.Name,
    ast.expr_context, ast.operator,
)  # fmt: skip
"""What the path of a file is made of."""


def _plain_save(machine: Machine, call: Call) -> Value:
    return _save(call, by_xla=False)


def _pickle(machine: Machine, call: Call) -> Value:
    """Most of what programs pickle is none of the device's: it must be known to be."""
    given = call.argument(0, "obj")
    is_known = given is not None and not given.assumes
    return _plain_save(machine, call) if is_known else NONE


def _save_to_safetensors(machine: Machine, call: Call) -> Value:
    """A format that asks where in memory a tensor lies: one of the device has no such place."""
    data = call.argument(0, "tensors") or call.argument(0, "model") or UNKNOWN
    saved = _saved(data, call.store.state.engine.parameters, NOTHING)
    if saved.on_device:
        refused = data._replace(assumes=both(data.assumes, saved.assumes))
        call.frame.model.refuse_save(call.store.state, call.spelling, refused, call.site)
    return NONE


def _save(call: Call, *, by_xla: bool, as_references: bool = False) -> Value:
    data = call.argument(0, "data") or call.argument(0, "obj") or UNKNOWN
    state, unknown = call.store.state, NOTHING
    if by_xla and state.trust.bounded == assumptions.MID_STEP and not is_named_as_hosts(_given(call)):
        # Whoever calls it in mid-step hands over what the device holds: `xm.save` is for nothing else.
        unknown = state.engine.parameters
    saved = _saved(data, state.engine.parameters, unknown)
    # What is saved itself is asked by the model.
    data = data._replace(assumes=both(data.assumes, saved.assumes))
    call.frame.model.save(
        state, call.spelling, data, saved.recorded, call.site,
        by_xla=by_xla, on_device=saved.on_device, of_parameters=saved.of_parameters,
        to_every_replica=not by_xla or call.flag("master_only", default=True, position=2) is not True,
        opened=_opened_by_all(call) if by_xla else (),
        file=_file(call, 1, "file_or_path", "path", "f"), as_references=as_references,
        sharded=_is_sharded(data), has_parameters=saved.has_parameters,
    )  # fmt: skip
    return NONE


def _is_sharded(value: Value) -> bool:
    """Whether each replica has another part of a value, or of something within."""
    return any(isinstance(held, StateDict | Module) and held.sharded for held in _held_in(value))


def _opened_by_all(call: Call) -> Path:
    """Where every replica opened the file that only the master writes."""
    file = call.argument(1, "file_or_path") or UNKNOWN
    only_master = call.flag("master_only", default=True, position=2) is True
    return file.payload.path if only_master and isinstance(file.payload, OpenFile) else ()


class _Saved(NamedTuple):
    """What is saved: the work recorded on it, whether it surely holds device tensors, and a module's.

    `assumes` is what must be so for anything within to be on the device. `has_parameters` tells that it
    surely holds parameters of the device as they are, as a module does, and not only a state dict.
    """

    recorded: Recorded = NOTHING
    on_device: bool = False
    of_parameters: bool = False
    assumes: Assumptions = assumptions.NONE
    has_parameters: bool = False


def _saved(value: Value, parameters: Recorded, unknown: Recorded) -> _Saved:
    """What a value holds, with `parameters` recorded on a module's and `unknown` on what nobody knows."""
    if value.kind is Kind.TENSOR:
        return _Saved(value.recorded, value.known)
    match value.payload:
        case Parameters(is_one=False, listed=False):
            return _Saved()  # a generator, which nothing can save
        case StateDict(Place.XLA) | Module(place=Place.XLA) | Parameters(place=Place.XLA) as held:
            has_parameters = not isinstance(held, StateDict)
            return _Saved(parameters, on_device=True, of_parameters=True, has_parameters=has_parameters)
        case StateDict() | Module() | Parameters():
            return _Saved(Recorded(unknown.must, parameters.may), of_parameters=unknown != NOTHING)
        case Container(items, element, keys):
            items = (element,) if items is None else items
            named = zip(keys or [""] * len(items), items, strict=True)
            parts = [
                _saved(item, parameters, NOTHING if is_named_as_hosts(str(key)) else unknown)
                for key, item in named
            ]
            on_device = [(p, item) for p, item in zip(parts, items, strict=True) if p.on_device]
            return _Saved(
                Recorded(
                    max((part.recorded.must for part in parts), default=Weight.NONE),
                    max((part.recorded.may for part in parts), default=Weight.NONE),
                ),
                any(part.on_device for part in parts),
                any(part.of_parameters for part in parts),
                least(both(part.assumes, item.assumes) for part, item in on_device),
                any(part.has_parameters for part in parts),
            )
    return _Saved(unknown, of_parameters=unknown != NOTHING) if value.kind is Kind.UNKNOWN else _Saved()


def _given(call: Call) -> str:
    """The name by which the program calls what is to be saved, or whose method makes it."""
    node = call.node.args[0] if call.node is not None and call.node.args else None
    node = node.func if isinstance(node, ast.Call) else node
    return dotted(node) if isinstance(node, ast.Name | ast.Attribute) else ""


EFFECTS: Final[dict[str, Effect]] = {
    "open": _open,
    "xla save": _xla_save,
    "save references": _save_references,
    "load": _load,
    "checkpoint manager": _checkpoint_manager,
    "take checkpoint": _take_checkpoint,
    "take checkpoint untold": partial(_take_checkpoint, asks=False),
    "restore checkpoint": _restore,
    "load checkpoint": _load_checkpoint,
    "load planner": _load_planner,
    "prime optimizer": _prime_optimizer,
    "ask for preemption": _ask_for_preemption,
    "load references": _load_references,
    "save": _plain_save,
    "pickle": _pickle,
    "save to safetensors": _save_to_safetensors,
}
