"""Calls that surely raise: they do not fit, call what is gone, or join tensors of two devices."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import Final

from xlalint.analysis.binding import element
from xlalint.analysis.bodies import makes_no_group
from xlalint.analysis.call import Call
from xlalint.analysis.importable import raised_by_use
from xlalint.analysis.lacking import ANSWERING
from xlalint.analysis.library.devices import device_of
from xlalint.analysis.library.modules import TWO_DEVICES, pairs_devices
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Batch,
    Bound,
    Classes,
    Container,
    Instance,
    Known,
    Loader,
    Method,
    Module,
    Namespace,
    Rows,
    Targets,
)
from xlalint.knowledge import functions, gone, lifecycle, operations, signatures
from xlalint.knowledge.methods import OF_WRAPPERS
from xlalint.knowledge.operations import Operation, operation_of
from xlalint.lazy.state import Raised
from xlalint.lazy.values import XLA, Kind, Role, Value
from xlalint.program.outline import Class, Function, Outline, within


def refusal(machine: Machine, callee: Value, call: Call) -> Raised | None:
    """A call that surely raises; None where it may not."""
    if callee.payload is None:
        return None
    match callee.payload:
        case Targets((Bound(function=Function(name="from_pretrained")),)) if _is_quantized(call):
            return Raised(call.site, f"`{call.spelling}` needs bitsandbytes, which has nothing for XLA")
        case Namespace(name=name, outline=None) | Targets((Known(name=name),)) if name.startswith(_OF_TORCH):
            if (raised := raised_by_use(name, call.site)) is not None:
                return raised
        case Classes((Class(outline=Outline(is_framework=True)) as cls,)):
            return _gone_from_framework(f"{cls.outline.name}.{cls.qualname}", call)
        case Targets((Bound(function=Function(outline=Outline(is_framework=True)) as function),)):
            name = f"{function.outline.name}.{function.qualname}"
            return _gone_from_framework(name, call) or _refused_by_training(machine, name, call)
    why = _wrong(machine, callee, call)
    return Raised(call.site, why) if why else None


_OF_TORCH: Final = ("torch.", "torch_xla.")


def _is_quantized(call: Call) -> bool:
    """Whether a call surely loads a model that bitsandbytes has made smaller."""
    if any(_is_written(call, argument, given=True) for argument in gone.BY_BITSANDBYTES):
        return True
    settings = call.keywords.get("quantization_config")
    if settings is None or settings.assumes:
        return False
    match settings.payload:
        case Instance(of=(Class(name="BitsAndBytesConfig", outline=Outline(is_framework=True)),)):
            return True
    return False


def _is_written(call: Call, argument: str, *, given: object) -> bool:
    """Whether an argument is written as a constant: a setting may be another one on a TPU."""
    written = call.written(argument, gone.PLACES.get(argument, -1))
    return isinstance(written, ast.Constant) and written.value == given


def _gone_from_framework(name: str, call: Call) -> Raised | None:
    """A call of what older releases of a framework had, or with an argument that they took."""
    if name in gone.OF_LIGHTNING:
        return Raised(call.site, f"Lightning 2 has no `{call.spelling}`", gone.LIGHTNING_1)
    for argument in call.keywords:
        if f"{name}({argument})" in gone.OF_LIGHTNING:
            why = f"`{call.spelling}` takes no `{argument}` in Lightning 2"
            return Raised(call.site, why, gone.LIGHTNING_1)
    why = _refused_on_xla(name, call)
    return Raised(call.site, why) if why else None


def _refused_on_xla(name: str, call: Call) -> str:
    """An argument that a framework does not take on a TPU, as a sentence without its end."""
    for argument, refused in gone.REFUSED_ON_XLA.get(name, {}).items():
        if _is_written(call, argument, given=refused):
            shown = f'"{refused}"' if isinstance(refused, str) else refused
            return f"`{call.spelling}` with `{argument}={shown}` raises on a TPU"
    return ""


def _refused_by_training(machine: Machine, name: str, call: Call) -> Raised | None:
    """A call that trains a model which Lightning refuses."""
    model = call.argument(0, "model")
    if name != _TRAINS or model is None or model.assumes:
        return None
    match model.payload:
        case Module(of=(Class() as cls,), or_other=False, by=None):
            raised = refused_by_framework(machine, cls)
            return raised._replace(site=call.site) if raised is not None else None
    return None


_TRAINS: Final = "lightning.Trainer.fit"


def refused_by_framework(machine: Machine, cls: Class) -> Raised | None:
    """What a class defines for which the framework that it derives from refuses to train its instances."""
    bases = [base for base in machine.classes.bases(cls) if base.outline.is_framework]
    for base in bases:
        for name, parameter in gone.REFUSED_BY_LIGHTNING.get(f"{base.outline.name}.{base.name}", ()):
            method = machine.classes.find_method(cls, name)
            if method is None or method.outline.is_framework:
                continue
            if parameter is None:
                return Raised(method.site, f"Lightning 2 trains no model with a `{name}`", gone.LIGHTNING_1)
            if parameter in method.parameters.annotations:
                why = f"Lightning 2 trains no model of which `{name}` takes `{parameter}`"
                return Raised(method.site, why, gone.LIGHTNING_1)
    return None


def _wrong(machine: Machine, callee: Value, call: Call) -> str:
    """What is wrong with a call that surely raises, as a sentence without its end; empty where it may not.

    It does not fit: a parameter gets nothing, or there are too many, or none of that name. Or it joins a
    tensor on the host to one on the device, asks a module for what only its wrapper would have, an iterator
    for the `next()` that it had in old releases of torch, XLA for a generator of random numbers, or for CUDA.
    """
    match callee.payload:
        case Targets((target,)):
            return _wrong_target(machine, target, call)
        case Classes((Class() as cls,)):
            makes = machine.classes.find_method(cls, "__init__")
            if makes is None or cls.node.keywords or cls.node.decorator_list:
                return ""
            if machine.classes.find_method(cls, "__new__") is not None:
                return ""
            return _misfit(makes, call, own=True, name=cls.name)
        case Module(of=(Class() as cls,), or_other=False, by=None):
            forward = machine.classes.find_method(cls, "forward")
            why = _misfit(forward, call, own=True, name=cls.name) if forward is not None else ""
            return "" if why and _is_called_otherwise(machine, cls, call) else why
        case Namespace(name=name, outline=None) if name in functions.JOINING:
            if _joins_devices(call) and not machine.mentions(call.frame.outline, functions.DEFAULT_DEVICES):
                return TWO_DEVICES.format(call.spelling)
        case Namespace(name=name, outline=None):
            return _wrong_by_name(machine, name, call)
    return ""


def _wrong_target(machine: Machine, target: object, call: Call) -> str:
    """The same where it is known what is called, and that it is one thing."""
    match target:
        case Bound(function=function):
            return _misfit(function, call, own=target.receiver is not None and not function.is_static)
        case Known(name=name) if name in functions.NOT_OF_XLA:
            if _is_of(XLA, call.argument(0, "device")):
                return f"`{call.spelling}` makes no generator: XLA has none of its own"
        case Known(name=name):
            return _wrong_by_name(machine, name, call)
        case Method(Value(payload=Module(of=(Class() as cls,)) as module), name) if name in OF_WRAPPERS:
            if _is_bare(machine, module, cls, call):
                return f"`{cls.name}` has no `{name}`, as nothing has wrapped it"
        case Method(Value(payload=Loader(element=Value(payload=Batch()))) as loader, "next"):
            if not loader.assumes:
                return "the iterator of a `DataLoader` has no `next()`"
        case Method(Value(kind=Kind.TENSOR) as asked, name) if operation_of(name) is Operation.ARRAY:
            if _is_tensor(asked) and call.flag("force", default=False, position=0) is False:
                return f"`{call.spelling}` asks for an array of what is on the XLA device"
        case Method(moved, "to" | "cuda" as how) if how == "cuda" or _is_of(
            "cuda", call.argument(0, "device")
        ):
            if _has_numbers(machine, moved) and not moved.assumes:
                return f"`{call.spelling}` asks for CUDA, which is not where XLA is"
    return ""


def _has_numbers(machine: Machine, moved: Value) -> bool:
    """Whether there is something to move: in most losses, which are modules too, there is not."""
    match moved.payload:
        case Module(weighs=True):
            return True
        case Module(of=(Class() as cls,), or_other=False):
            return any(
                isinstance(held.payload, Module) and held.payload.weighs
                for held in machine.classes.attributes(cls).values()
            )
    return moved.kind in _MOVED


_MOVED: Final = frozenset({Kind.TENSOR, Kind.HOST})


def _wrong_by_name(machine: Machine, name: str, call: Call) -> str:
    """The same of a function or class of a library."""
    if name in functions.OF_GROUPS and _lacks_group(machine, name, call):
        return f"`{call.spelling}` needs a process group, and the program makes none"
    if name in functions.TAKING_SAMPLES and _is_loader(call.argument(0, "dataset")):
        return f"`{call.spelling}` gets a loader, which has no samples by their numbers"
    if name in functions.COMPARING and pairs_devices(machine, call):
        return TWO_DEVICES.format(call.spelling)
    if name in functions.MAKING_ARRAYS and _is_of_tensors(call.argument(0)):
        return f"`{call.spelling}` makes an array, and gets what is on the XLA device"
    if name in functions.FILLING_DEVICES and _fills_cuda(call, functions.FILLING_DEVICES[name]):
        return f"`{call.spelling}` asks for CUDA, which is not where XLA is"
    if not name.startswith(_OF_TORCH) or name in gone.REFUSED_ON_XLA:
        return _refused_on_xla(name, call)
    if _is_of("cuda", call.keywords.get("device")) and name.removeprefix("torch.") in operations.CREATIONS:
        return f"`{call.spelling}` asks for CUDA, which is not where XLA is"
    takes = signatures.of(name)
    if takes is not None and not _is_open(call):
        why = _mismatch(name.rpartition(".")[2], *takes, call)
        return "" if why and _was_taken(name, call) else why
    return ""


def _lacks_group(machine: Machine, name: str, call: Call) -> bool:
    """Whether a script calls what asks the process group of its replicas, and nobody can have made one."""
    own = functions.OF_GROUPS[name]
    if own and (_is_open(call) or all(call.argument(*one) is not None for one in own)):
        return False
    machine.rest_on("group", call.frame.outline.file)
    return makes_no_group(call.frame.outline)


def _was_taken(name: str, call: Call) -> bool:
    """Whether a function has taken an argument in another release, which a fix may rename or leave out."""
    known = lifecycle.of(name)
    return known is not None and not known.keywords.keys().isdisjoint(call.keywords)


def _is_called_otherwise(machine: Machine, cls: Class, call: Call) -> bool:
    """Whether a module may do something else when it is called than what its `forward` does."""
    around = call.frame.function
    if around is not None and "forward" in around.stored_attributes():
        return True
    return machine.classes.find_method(cls, "__call__") is not None or machine.classes.assigns(cls, "forward")


def _is_bare(machine: Machine, module: Module, cls: Class, call: Call) -> bool:
    """Whether a module is of a class that is wholly known and has no such method, and nothing wraps it."""
    if module.or_other or module.by is not None or not machine.classes.is_plain_module(cls):
        return False
    bases = machine.classes.bases(cls)
    if call.frame.outline.is_framework or any(not ANSWERING.isdisjoint(base.methods) for base in bases):
        return False
    outlines = {base.outline for base in bases} | {call.frame.outline}
    return not any(machine.mentions(each, functions.WRAPPERS | {"__getattr__"}) for each in outlines)


def _is_of(kind: str, value: Value | None) -> bool:
    """Whether a device is surely one of a kind."""
    return value is not None and not value.assumes and device_of(value).type == kind


def _is_tensor(value: Value) -> bool:
    """Whether a value surely is a tensor of the device by itself, and nothing that holds some."""
    return value.kind is Kind.TENSOR and value.sure and value.role in (Role.PLAIN, Role.MASK)


def _is_of_tensors(value: Value | None) -> bool:
    """Whether a value surely is a tensor of the device, or a list of such."""
    if value is None:
        return False
    return _is_tensor(value if value.kind is Kind.TENSOR else element(value))


def _is_loader(value: Value | None) -> bool:
    """Whether something surely is a loader of batches."""
    if value is None or value.assumes or not isinstance(value.payload, Loader):
        return False
    return value.payload.cuts is True or isinstance(value.payload.element.payload, Batch)


def _fills_cuda(call: Call, parameter: str) -> bool:
    """Whether a loader moves its batches to CUDA, or to a list of devices with one of it."""
    named = call.argument(1, parameter)
    of = named.payload if named is not None else None
    return any(
        _is_of("cuda", device) for device in (of.items or () if isinstance(of, Container) else (named,))
    )


def _joins_devices(call: Call) -> bool:
    """Whether a tensor that was made on the host is joined to one on the device."""
    held = call.arguments[0].payload if call.arguments else None
    items = held.items if isinstance(held, Container) and held.items is not None else ()
    on_device = any(item.kind is Kind.TENSOR and item.sure for item in items)
    return on_device and any(isinstance(item.payload, Rows) for item in items)


def _misfit(function: Function, call: Call, *, own: bool, name: str = "") -> str:
    """What is wrong with what a function is given; empty where it fits."""
    arguments = function.node.args
    outlines = (function.outline, call.frame.outline)
    if any(outline.is_framework for outline in outlines) or function.decorators:
        return ""  # of one release: programs may be for another one
    if _is_open(call) or _by_class(call):
        return ""
    return _mismatch(
        name or function.name, *function.parameters, call, own=own,
        more=arguments.vararg is not None, others=arguments.kwarg is not None,
    )  # fmt: skip


def _mismatch(
    name: str, positional: Sequence[str], every: Collection[str], by_default: Collection[str], call: Call, *,
    own: bool = False, more: bool = False, others: bool = False,
) -> str:  # fmt: skip
    """In what a call differs from the parameters of what is called; empty where it does not.

    Args:
        positional: Those that may be given by their places, the first of them by the method's `own` object.
        every: All of them.
        by_default: Those that need not be given.
        more: More may be given by their places.
        others: Others may be given by their names.
    """
    given = len(call.arguments) + own
    if given > len(positional) and not more:
        return f"`{name}` takes {len(positional) - own} arguments by their places, and gets {given - own}"
    named = {*positional[:given], *call.keywords}
    if not others and (unknown := sorted(named.difference(every))):
        return f"`{name}` takes no `{unknown[0]}`"
    missing = (one for one in every if not (one in named or one in by_default))
    return next((f"`{name}` gets no `{one}`" for one in missing), "")


def _is_open(call: Call) -> bool:
    """Whether what is given hangs on what `*` or `**` stands for."""
    if call.open_ended or call.node is None:
        return True
    return any(isinstance(each, ast.Starred) for each in call.node.args) or any(
        keyword.arg is None and not _is_written_out(keyword.value, call.frame.function)
        for keyword in call.node.keywords
    )


def _is_written_out(given: ast.expr, function: Function | None) -> bool:
    """Whether `**` stands for a mapping whose keys a function writes out, and which it uses only there."""
    if isinstance(given, ast.Dict):
        return all(isinstance(key, ast.Constant) for key in given.keys)
    if function is None or not isinstance(given, ast.Name):
        return False
    near = within(function.node)
    named = sum(isinstance(each, ast.Name) and each.id == given.id for each in near)
    return named == 2 and any(  # where it is bound, and here
        isinstance(each, ast.Assign)
        and isinstance(each.value, ast.Dict)
        and isinstance(each.targets[0], ast.Name)
        and each.targets[0].id == given.id
        and _is_written_out(each.value, None)
        for each in near
    )


def _by_class(call: Call) -> bool:
    """Whether a method is asked for of the class: `cls.set_up(cls)`."""
    if not isinstance(call.node, ast.Call):
        return False
    asked = call.node.func
    return isinstance(asked, ast.Attribute) and isinstance(asked.value, ast.Name) and asked.value.id == "cls"
