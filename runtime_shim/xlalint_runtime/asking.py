"""Operations that ask for numbers of what they are given: the engine launches that within them.

No read shows there. One replica needs nothing done; several must be about to launch the same, and compile it
once, before their threads are in the engine.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from xlalint.knowledge.operations import ON_HOST, OPERATIONS, SHAPED_BY_DATA, Operation, is_shaped_by_data
from xlalint_runtime.hooks import Patches

_BY_INDEX = frozenset({"__getitem__", "__setitem__"})
_ASKING = ON_HOST | {name for name, operation in OPERATIONS.items() if operation is Operation.ASK}
_OWNERS = (torch, torch.Tensor, torch.nn.functional)

Ask = Callable[[list[torch.Tensor], Callable[[], Any]], Any]


def while_running(patches: Patches, ask: Ask) -> None:
    """Let `ask` make the calls of these operations: it gets the tensors that are asked for numbers, too."""
    for name in sorted(_BY_INDEX | (_ASKING - {"__bool__"}) | SHAPED_BY_DATA.keys()):
        for owner in _OWNERS:
            if callable(getattr(owner, name, None)):
                patches.replace(owner, name, functools.partial(_asking, name, ask))


def _asking(name: str, ask: Ask, original: Any) -> Any:
    @functools.wraps(original)
    def operation(*args: Any, **kwargs: Any) -> Any:
        asked = list(_asked_in(name, args, kwargs))
        if not asked:
            return original(*args, **kwargs)
        return ask(asked, functools.partial(original, *args, **kwargs))

    return operation


def _asked_in(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[torch.Tensor]:
    if name in _BY_INDEX:
        indexes = args[1] if isinstance(args[1], tuple) else (args[1],)
        yield from (each for each in indexes if _is_on_device(each) and each.dtype in _OF_MASKS)
    elif name in _ASKING or is_shaped_by_data(name, len(args), kwargs):
        yield from (each for each in (*args, *kwargs.values()) if _is_on_device(each))


def _is_on_device(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_xla


_OF_MASKS = (torch.bool, torch.uint8)
