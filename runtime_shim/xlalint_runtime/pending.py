"""How much work is recorded on a device or a tensor, as the engine itself knows it."""

from __future__ import annotations

import gc
import os
import re
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import compress
from typing import Any, NamedTuple

import torch
import torch_xla

from xlalint.lazy.values import HEAVY, LIGHT, NOTHING, Kind, Recorded, Value
from xlalint_runtime import counters
from xlalint_runtime.sites import is_user_file

_HEAVY_OPERATION = re.compile(
    r"(?:aten|xla)::(?:\w*mm|mv|dot|matmul|einsum|linear|convolution\w*|\w+_backward\w*"
    r"|native_(?:batch|layer|group)_norm\w*|\w*attention\w*|lstm\w*|gru\w*)\b"
)
_FRAME = re.compile(r"^ +(\S+) \((.+):(\d+)\)$", re.MULTILINE)
_OPERATION = re.compile(r" ((?:aten|xla|prim)::\w+)\(")
_PARTING = frozenset(
    {"xla::device_data", "aten::view", "xla::generic_slice", "xla::select", "xla::as_strided"}
)
"""Operations by which a row, a number or a slice is taken of what has run."""
_FACTORIES = frozenset({
    "xla::device_data", "prim::Constant", "aten::expand", "aten::uniform", "aten::normal", "aten::randperm",
    "aten::arange", "aten::full", "xla::cast", "aten::view",
})  # fmt: skip
_NEXT_SEED = re.compile(r" s64\[\] aten::(?:mul|add)\(")
"""How a random operation gets its seed from the one before."""
_device_of_thread = torch_xla._XLAC._xla_get_default_device
"""As the engine has it: where we ask by ourselves, the program does not use a device."""
_COLLECTIVE = re.compile(
    r"xla::(?:cross_replica_sum|all_reduce|all_gather|reduce_scatter|all_to_all|collective_permute)\b"
)


class Work:
    """What one replica has recorded since its last cut.

    To ask the engine costs a look at each tensor that lives. So it is asked only where nothing cheaper tells:
    that no tensor was made since nothing waited, or that one waits still that a hook came by.
    """

    def __init__(self) -> None:
        self._heavy_before = 0
        self._is_heavy = False
        """Whether more of a model's weight was recorded since: that stays so, and is not counted again."""
        self._made_when_idle: int | None = None
        """How many tensors had been made when nothing waited on this device; None: something has since."""
        self._idle_device = ""
        self._candidate: Callable[[], torch.Tensor | None] = _nothing

    def recorded(self, device: str | None) -> Recorded:
        """Exactly what is recorded on this thread's device now; None: the engine has not started."""
        if device is None or not self._waits(device):
            return NOTHING
        self._is_heavy = self._is_heavy or heavy_operations() > self._heavy_before
        return HEAVY if self._is_heavy else LIGHT

    def _waits(self, device: str) -> bool:
        made = counters.tensors_made()
        if made == self._made_when_idle and device == self._idle_device:
            return False
        candidate = self._candidate()
        if candidate is not None and needing_materialisation([candidate]):
            return True
        waits = counters.work_pending(device)
        if not waits:
            self._heavy_before, self._is_heavy = heavy_operations(), False
        self._made_when_idle = None if waits or not _MAKES_TENSORS else made
        self._idle_device = device
        return waits

    def may_wait(self, tensor: torch.Tensor | None) -> None:
        """This tensor may wait, as it has just been computed. It is not held: what lives on is launched."""
        self._candidate = _nothing if tensor is None else weakref.ref(tensor)

    def changed_in_place(self) -> None:
        """Something may be recorded on tensors that there are: that makes none."""
        self._made_when_idle = None

    def cut(self, device: str | None) -> None:
        """Everything recorded on this device was launched."""
        made = counters.tensors_made()
        if made != self._made_when_idle:
            self._heavy_before = heavy_operations()
        self._is_heavy = False
        if device is not None and _MAKES_TENSORS:
            self._made_when_idle, self._idle_device = made, device


def _nothing() -> None:
    return None


_MAKES_TENSORS = os.environ.get("XLA_DISABLE_FUNCTIONALIZATION", "0").lower() in ("", "0", "false")
"""Whether what changes a tensor in place makes one, too, which is how PyTorch/XLA works by default."""


class Noted(NamedTuple):
    """One frame of the user's, as the engine notes it."""

    function: str
    path: str
    line: int


def frames_of_work(device: str) -> list[list[Noted]]:
    """For each tensor that waits on `device`, the frames in which it was recorded, from the inside.

    The engine notes them while it is asked to (`_set_ir_debug`). What only makes a tensor, such as a
    batch, is left out.
    """
    found = []
    for text in torch_xla._XLAC._xla_tensors_report(2, device).split("Tensor: id=")[1:]:
        frames, _, graph = text.partition("IR {")
        graph = _NEXT_SEED.sub(" ", graph)
        if set(_OPERATION.findall(graph)) <= _FACTORIES:
            continue
        noted = (Noted(match[1], match[2], int(match[3])) for match in _FRAME.finditer(frames))
        found.append([frame for frame in noted if is_user_file(frame.path)])
    return found


def waiting() -> dict[str, list[torch.Tensor]]:
    """By device, the tensors that wait for a launch, as far as Python holds them.

    The engine's own report of them takes seconds for a layer of a transformer, and grows with the square of
    the model.
    """
    found: dict[str, list[torch.Tensor]] = {}
    every = gc.get_objects()  # hundreds of thousands, so nothing of Python's own runs for each
    of_tensors = {each for each in set(map(type, every)) if issubclass(each, torch.Tensor)}
    held = [*compress(every, map(of_tensors.__contains__, map(type, every)))]
    held += [each.grad for each in held if each.is_leaf and each.grad is not None]
    for tensor in needing_materialisation(held):
        found.setdefault(str(tensor.device), []).append(tensor)
    return found


def graphs_of(tensors: Iterable[torch.Tensor]) -> frozenset[bytes]:
    """What the engine knows the recorded graph of each tensor by, on whichever device."""
    return frozenset(bytes(torch_xla._XLAC._get_graph_hash([tensor])) for tensor in tensors)


def default_device() -> str | None:
    """This thread's device, or None before the engine has started, which asking would do."""
    if not torch_xla._XLAC._xla_runtime_is_initialized():
        return None
    return str(_device_of_thread())


def heavy_operations() -> int:
    """How many operations of a model's weight were recorded since the process started."""
    xlac = torch_xla._XLAC
    return sum(xlac._xla_counter_value(name) or 0 for name in _heavy_of(tuple(xlac._xla_counter_names())))


@lru_cache(maxsize=1)
def _heavy_of(counter_names: tuple[str, ...]) -> list[str]:
    """Those of model weight; most often there is no counter that was not there before."""
    return [name for name in counter_names if _HEAVY_OPERATION.fullmatch(name)]


def device_value(tensors: Iterable[torch.Tensor]) -> Value:
    """What the engine knows of these tensors as one value."""
    return value_of(graph_of(tensors))


def graph_of(tensors: Iterable[torch.Tensor]) -> str:
    """The recorded graph of those of the tensors that wait; empty where none does."""
    waiting = needing_materialisation(tensors)
    return graph_text(waiting) if waiting else ""


def value_of(graph: str) -> Value:
    """What is known of the tensors that have this graph, as one value."""
    if not graph:
        return Value(Kind.TENSOR)
    recorded = HEAVY if _HEAVY_OPERATION.search(graph) else LIGHT
    return Value(Kind.TENSOR, recorded=recorded, reduced=holds_collective(graph))


def count_operations(graph: str) -> int:
    """How many operations stand in a graph."""
    return len(_OPERATION.findall(graph))


def is_part(graph: str) -> bool:
    """Whether all that this graph does is to take a part of a tensor that has run."""
    return bool(graph) and _PARTING.issuperset(_OPERATION.findall(graph))


def holds_collective(graph: str) -> bool:
    """Whether replicas wait for each other when this graph is launched."""
    return _COLLECTIVE.search(graph) is not None


def graph_text(tensors: list[torch.Tensor]) -> str:
    """The recorded graph of tensors, without anything that names a replica."""
    return str(torch_xla._XLAC._get_xla_tensors_text(tensors))


def graph_hash(tensors: Iterable[torch.Tensor]) -> bytes:
    """What the engine knows the recorded graph of tensors by, on whichever device; empty where none is."""
    waiting = needing_materialisation(tensors)
    return bytes(torch_xla._XLAC._get_graph_hash(waiting)) if waiting else b""


def needing_materialisation(tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Those of the tensors that are on the device and not yet run."""
    on_device = [tensor for tensor in tensors if is_device_tensor(tensor)]
    if not on_device:
        return []
    flags = torch_xla._XLAC._check_tensor_need_materialization(on_device)
    return [tensor for tensor, pending in zip(on_device, flags, strict=True) if pending]


def waits_alone(tensor: torch.Tensor, device: str) -> bool:
    """Whether this tensor is all that waits on `device`."""
    return counters.pending_tensors(device) == 1 and bool(needing_materialisation([tensor]))


def is_device_tensor(value: Any) -> bool:
    """Whether this is a tensor of the lazy engine."""
    return isinstance(value, torch.Tensor) and value.device.type == "xla"


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """All tensors in nested lists, tuples and dictionaries, modules and optimizers."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (torch.nn.Module, torch.optim.Optimizer)):
        yield from tensors_in(value.state_dict())
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from tensors_in(item)


def has_parameters(value: Any) -> bool:
    """Whether a value is, or holds, parameters as they are: those of a module are, in a state dict none."""
    if isinstance(value, dict):
        return any(map(has_parameters, value.values()))
    if isinstance(value, (list, tuple, set)):
        return any(map(has_parameters, value))
    if isinstance(value, torch.nn.Module):
        return next(value.parameters(), None) is not None
    return isinstance(value, torch.nn.Parameter)
