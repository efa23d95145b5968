"""The engine's counters of launched and compiled graphs, and what still waits to be launched."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
import torch_xla


class Counts(NamedTuple):
    """Graphs launched and compiled since the process started."""

    launches: int
    compiles: int

    def since(self, earlier: Counts) -> Counts:
        """What was added after `earlier` was taken."""
        return Counts(self.launches - earlier.launches, self.compiles - earlier.compiles)


def counts() -> Counts:
    """The counters now. Both are bumped in the thread that launches, before it goes on."""
    cached = torch_xla._XLAC._xla_counter_value("CachedCompile") or 0
    uncached = compiles()
    return Counts(cached + uncached + _dynamo_launches[0] - _compiled_ahead[0], uncached)


def compiles() -> int:
    """Graphs compiled since the process started."""
    return int(torch_xla._XLAC._xla_counter_value("UncachedCompile") or 0)


def count_dynamo_launches() -> Callable[[], None]:
    """Count launches of graphs that Dynamo has cached, which the engine's own counters leave out.

    Returns what ends it.
    """
    original = torch_xla._XLAC._run_cached_graph

    def run_cached_graph(*args: object, **kwargs: object) -> object:
        _dynamo_launches[0] += 1
        return original(*args, **kwargs)

    def end() -> None:
        torch_xla._XLAC._run_cached_graph = original

    torch_xla._XLAC._run_cached_graph = run_cached_graph
    return end


def dynamo_launches() -> int:
    """Launches of graphs that Dynamo has cached, as far as they were counted."""
    return _dynamo_launches[0]


def seconds_compiling() -> float:
    """How long the engine has compiled since the process started. Slow: not for every operation."""
    data = torch_xla._XLAC._xla_metric_data("CompileTime")
    return float(data[1]) / 1e9 if data else 0.0


def fallbacks() -> Counter[str]:
    """By operation, how often the host ran it since the process started, as the engine cannot record it.

    `READ` is among them: what has read values, apart from the methods of tensors that are known to.
    """
    xlac = torch_xla._XLAC
    found = Counter({name: xlac._xla_counter_value(name) or 0 for name in xlac._get_executed_fallback_ops()})
    if READ in found:
        found[READ] -= _known_reads[0]
    return found


@contextlib.contextmanager
def known_reads() -> Iterator[None]:
    """What reads values in here is known; `fallbacks` leaves it out."""
    others = _reads() - _known_reads[0]
    try:
        yield
    finally:
        _known_reads[0] = _reads() - others


def _reads() -> int:
    return int(torch_xla._XLAC._xla_counter_value(READ) or 0)


def compile_ahead(tensors: list[torch.Tensor]) -> None:
    """Compile the graph of `tensors` without launching it; a launch that follows finds it."""
    torch_xla._XLAC._xla_warm_up_cache(tensors, [])
    _compiled_ahead[0] += 1  # The engine counts it as if it were launched.


def launch(tensors: list[torch.Tensor]) -> None:
    """Launch the graph of `tensors`, as a read does that keeps what it computes, and wait for nothing."""
    _sync_multi(tensors, [], wait=False, sync_xla_data=False)


def pending_tensors(device: str) -> int:
    """How many live tensors on `device` still need materialisation."""
    return sum(torch_xla._XLAC._check_device_tensor_need_materialization(device))


def tensors_made() -> int:
    """How many tensors the engine has made since the process started, copies into others among them.

    While it stays, no operation was recorded, but for those on tensors that there are: collectives and
    barriers of the optimizer, and all others where functionalization is off.
    """
    value = torch_xla._XLAC._xla_counter_value
    return int(value("CreateXlaTensor") or 0) + int(value("xla::_copy_from") or 0)


def operations() -> int:
    """How many operations were recorded since the process started."""
    xlac = torch_xla._XLAC
    names = (name for name in xlac._xla_counter_names() if name.startswith(("aten::", "xla::")))
    return sum(int(xlac._xla_counter_value(name) or 0) for name in names)


@contextlib.contextmanager
def count_operations_compiled() -> Iterator[list[int]]:
    """Count, in the one number of a list, the operations of the graphs that cuts compile meanwhile."""
    original = torch_xla._XLAC._xla_step_marker
    counted, before = [0], operations()

    def step_marker(*args: object, **kwargs: object) -> object:
        nonlocal before
        known = compiles()
        result = original(*args, **kwargs)
        now = operations()
        if compiles() > known:
            counted[0] += now - before
        before = now
        return result

    torch_xla._XLAC._xla_step_marker = step_marker
    try:
        yield counted
    finally:
        torch_xla._XLAC._xla_step_marker = original


def held_tensors(device: str) -> int:
    """How many tensors on `device` are alive, whether or not they still need materialisation."""
    return len(torch_xla._XLAC._check_device_tensor_need_materialization(device))


def work_pending(device: str) -> bool:
    """Whether anything on `device` is recorded that a cut would launch."""
    return any(torch_xla._XLAC._check_device_tensor_need_materialization(device))


READ = "aten::_local_scalar_dense"
"""What the engine counts with operations that the host runs, and is a read of one value."""

_sync_multi = torch_xla._XLAC._xla_sync_multi
"""The engine's own: another one may take its place, which replicas call in turn."""

_known_reads = [0]
_dynamo_launches = [0]
_compiled_ahead = [0]
