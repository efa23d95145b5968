"""What each replica has of its own, as each process would: the models and optimizers it is launched with."""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch_xla._internal import pjrt
from torch_xla.distributed.xla_multiprocessing import MpModelWrapper


def calls_of_each(
    number: int, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[Callable[[], Any]]:
    """For each of so many replicas, what calls a function with models of its own.

    Processes that are launched have a copy each of what the program has made before, and move it to their
    device. Threads would share it, and move it away from each other. What cannot be copied they do share.
    """
    calls: list[Callable[[], Any]] = [functools.partial(function, *args, **kwargs)]
    while len(calls) < number:
        try:
            calls.append(_copied(function, args, kwargs))
        except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError):
            calls.append(calls[0])
    return calls


def _copied(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Callable[[], Any]:
    copies: dict[int, Any] = {}

    def own(value: Any) -> Any:
        match value:
            case pjrt._SpawnFn():  # it puts the number of the replica first
                return pjrt._SpawnFn(own(value.fn), *map(own, value.args), **named(value.kwargs))
            case functools.partial():
                return functools.partial(own(value.func), *map(own, value.args), **named(value.keywords))
            case types.MethodType():
                return types.MethodType(value.__func__, own(value.__self__))
            case types.FunctionType():
                return _among_own(value, own)
        return copy.deepcopy(value, copies) if _holds_models(value) else value

    def named(values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: own(value) for name, value in values.items()}

    return functools.partial(own(function), *map(own, args), **named(kwargs))


def _among_own(function: types.FunctionType, own: Callable[[Any], Any]) -> types.FunctionType:
    """The function, with the others of its module, among what a replica has of the module's names."""
    shared = function.__globals__
    if not any(map(_holds_models, shared.values())):
        return function
    names = {name: own(value) if _holds_models(value) else value for name, value in shared.items()}
    for name, value in shared.items():
        if isinstance(value, types.FunctionType) and value.__globals__ is shared:
            names[name] = _with_names(value, names)
    return _with_names(function, names)


def _with_names(function: types.FunctionType, names: dict[str, Any]) -> types.FunctionType:
    made = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _holds_models(value: Any) -> bool:
    """Whether it is a model or an optimizer, or an object or a collection with one."""
    if isinstance(value, _MODELS):
        return True
    if isinstance(value, dict):
        return _holds_any(value.values())
    if isinstance(value, list | tuple):
        return _holds_any(value)
    if isinstance(value, type | types.ModuleType | types.FunctionType | MpModelWrapper):
        return False
    return _holds_any(getattr(value, "__dict__", {}).values())


def _holds_any(values: Iterable[Any]) -> bool:
    return any(isinstance(value, _MODELS) for value in values)


_MODELS = (torch.nn.Module, torch.optim.Optimizer)
