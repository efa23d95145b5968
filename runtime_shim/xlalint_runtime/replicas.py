"""Replicas as threads of one process, with graphs dispatched in an order in which they can meet.

On the CPU client a collective never meets its partners when every replica compiles its own copy of the
graph. So replicas wait for each other before a cut that has work to launch, and launch in the order of
their ranks: the first compiles, the others find its graph in the cache.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp
import torch_xla.runtime as xr
from torch.distributed import distributed_c10d
from torch.nn.parallel import distributed
from torch_xla._internal import pjrt

from xlalint_runtime import asking, counters
from xlalint_runtime.hooks import Patches
from xlalint_runtime.of_each import calls_of_each
from xlalint_runtime.stopping import Parted

PATIENCE = 600.0
"""Seconds that a replica waits at most for the others."""

_LOOKS = 0.002

START_PATIENCE = 10.0
"""Seconds that a replica waits at most for the one before it to reach its first cut."""


def rank() -> int:
    """This thread's replica; 0 when there is only one or the engine has not started."""
    return getattr(_this, "rank", 0)


def running() -> bool:
    """Whether this thread is one of several replicas."""
    return _current[0] is not None and hasattr(_this, "rank")


def size() -> int:
    """How many replicas run here; 1 when none were started."""
    order = _current[0]
    return order.size if order is not None else 1


def are_parts(groups: list[list[int]] | None) -> bool:
    """Whether a collective is within groups of replicas, none of which has all that run here."""
    return bool(groups) and [sorted(group) for group in groups or ()] != [list(range(size()))]


def part(error: BaseException) -> None:
    """End all replicas by this exception, those that wait for others at once."""
    order = _current[0]
    if order is not None:
        order.part(error)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is known of the other replicas, but not for ever."""
    order = _current[0]
    if order is not None:
        order.wait_until(is_so)


def about_to_launch() -> None:
    """This replica is about to launch outside a common cut: the next one may start."""
    order = _current[0]
    if order is not None:
        order.reach_first_cut()


def launch_here(patches: Patches) -> None:
    """Let `launch` and `spawn` run replicas as threads of this process, not of another one."""

    def make(original: Any) -> Any:
        @functools.wraps(original)
        def run_multiprocess(fn: Any, *args: Any, start_method: str = "spawn", **kwargs: Any) -> Any:
            if torch_xla._XLAC._xla_runtime_is_initialized():
                raise RuntimeError(
                    "Runtime is already initialized. Do not use the XLA device before calling xmp.spawn."
                )
            return run_on_every_replica(fn, *args, **kwargs)

        return run_multiprocess

    patches.replace(pjrt, "run_multiprocess", make)


def order_saves(patches: Patches) -> None:
    """Let replicas launch by rank what `xm.save` needs, too.

    To be called before anything watches: who is told of a save must be told before it waits for others.
    """
    patches.replace(torch_xla._XLAC, "_xla_sync_multi", _ordered)


def _ordered(original: Any) -> Any:
    xlac = torch_xla._XLAC

    def sync_multi(tensors: Any, devices: list[str], wait: bool = True, sync_xla_data: bool = True) -> None:
        order = _current[0]
        if order is not None:
            order.reach_first_cut()
        if order is None or not any(xlac._check_tensor_need_materialization(tensors)):
            original(tensors, devices, wait=wait, sync_xla_data=sync_xla_data)
            return
        order.in_turn(lambda: original(tensors, devices, wait=False, sync_xla_data=sync_xla_data))
        if wait:
            xlac._xla_wait_device_ops([])

    return sync_multi


class Listener:
    """Is told where replicas are, and here does nothing with it."""

    def arrived(self) -> None:
        """This thread's replica has come to a cut with work to launch, and will wait for the others."""

    def ended(self, *, pending: bool, error: BaseException | None) -> None:
        """This thread's replica has come to its end, by an exception perhaps, or with work pending."""

    def go_on_alone(self) -> set[int]:
        """Those of the replicas at a cut that launch by themselves, while the others go on waiting."""
        return set()

    def met(self) -> None:
        """All replicas that still run have come to a cut, or all have ended."""

    def asks(self, tensors: list[torch.Tensor], act: Callable[[], Any]) -> Any:
        """`act` asks for numbers of `tensors`, for which the engine launches what they need."""
        return act()


def listen(listener: Listener) -> None:
    """Tell `listener`, and nobody else, from now on where replicas are."""
    _listener[0] = listener


def compile_once(tensors: list[torch.Tensor], *, leaves_pending: bool, together: bool = False) -> None:
    """Let one replica compile what `tensors` need, before this one reads them.

    Reads are not dispatched in any order, but a collective among what they run must be the same
    compiled graph on every replica all the same; and two replicas that compile one graph at once would
    be counted twice, or not, by chance.

    Args:
        leaves_pending: Whether the tensors still wait for a cut when they are read, as after `item()`.
            Other reads keep what they compute, for which the engine compiles another graph: that is
            launched here, and the read finds it.
        together: Whether they are launched as one graph. With collectives in it, the graph of a second one
            would wait for the first, which waits for a replica that is kept from launching meanwhile.
    """
    prepare = counters.compile_ahead if leaves_pending else counters.launch
    with _compiling:
        for graph in [tensors] if together else [[tensor] for tensor in tensors]:
            prepare(graph)


def run_on_every_replica(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `function` on one thread per device. Returns what torch_xla's own launcher returns."""
    size = len(torch_xla._XLAC._xla_get_devices())
    calls = calls_of_each(size, function, args, kwargs)
    if size == 1:
        return pjrt._run_thread_per_device(0, 1, calls[0], pjrt.initialize_multiprocess)
    order = Order(size)
    with order, _groups_of_each_thread():
        _current[0] = order

        def replica() -> Any:
            _this.rank = torch_xla._XLAC._xla_get_default_device_ordinal()
            order.start(_this.rank)
            try:
                # What a backward calls, as the wrapper of a module does, is of the replica that it is of.
                with torch.autograd.set_multithreading_enabled(False):
                    return calls[_this.rank]()
            finally:
                order.end(_this.rank)

        try:
            return pjrt._run_thread_per_device(0, 1, replica, pjrt.initialize_multiprocess)
        finally:
            _current[0] = None


@contextlib.contextmanager
def _groups_of_each_thread() -> Iterator[None]:
    """Let each replica have process groups of its own, as torch_xla does with two devices in a process."""
    from torch.testing._internal.distributed.multi_threaded_pg import ThreadLocalWorld

    world = distributed_c10d._world
    distributed_c10d._world = ThreadLocalWorld()
    torch._C._distributed_c10d._set_thread_isolation_mode(True)
    # These read within PyTorch, where no order can be kept. What the wrapper sends next is compared, and in
    # buckets put together anew gradients are summed as before.
    patches = Patches()
    patches.replace(distributed, "_verify_param_shape_across_processes", lambda _: lambda *_: None)
    patches.replace(torch.distributed.Reducer, "_rebuild_buckets", lambda _: lambda _: False)
    patches.replace(xmp.MpModelWrapper, "to", lambda _: _copy_to)
    asking.while_running(patches, lambda tensors, act: _listener[0].asks(tensors, act))
    try:
        yield
    finally:
        patches.undo()
        torch._C._distributed_c10d._set_thread_isolation_mode(False)
        distributed_c10d._world = world


def _copy_to(wrapper: xmp.MpModelWrapper, device: torch.device) -> torch.nn.Module:
    """A model on this replica's device, as each process has one of its own."""
    with wrapper._lock:
        return copy.deepcopy(wrapper._model).to(device)


class Order:
    """Lets replicas launch by rank while it is entered.

    They also start one after the other, each when the one before has reached its first cut, so that
    what they draw from torch's one random generator does not depend on how threads are scheduled.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._changed = threading.Condition()
        self._waiting: set[int] = set()
        self._ended: set[int] = set()
        self._begun: set[int] = set()
        self._turns: list[int] = []
        self._failure: BaseException | None = None

    def __enter__(self) -> Order:
        xlac = torch_xla._XLAC
        self._original_marker = xlac._xla_step_marker

        def step_marker(device: str, devices: list[str], wait: bool = True, reset_scope: bool = True) -> None:
            self.reach_first_cut()
            if not counters.work_pending(device or xlac._xla_get_default_device()):
                self._original_marker(device, devices, wait=wait, reset_scope=reset_scope)
                return
            self.in_turn(lambda: self._original_marker(device, devices, wait=False, reset_scope=reset_scope))
            if wait:
                xlac._xla_wait_device_ops([])

        self._original_all_gather = xm._all_gather_using_all_reduce
        xm._all_gather_using_all_reduce = _all_gather
        xlac._xla_step_marker = step_marker
        return self

    def __exit__(self, *_: object) -> None:
        torch_xla._XLAC._xla_step_marker = self._original_marker
        xm._all_gather_using_all_reduce = self._original_all_gather

    def start(self, replica: int) -> None:
        """Wait until every replica before this one has reached its first cut."""
        earlier = set(range(replica))
        with self._changed:
            self._changed.wait_for(lambda: earlier <= self._begun, START_PATIENCE)

    def reach_first_cut(self) -> None:
        """This replica is about to launch: the next one may start."""
        with self._changed:
            self._begun.add(rank())
            self._changed.notify_all()

    def end(self, replica: int) -> None:
        """A replica has come to its end; nobody need wait for it any more."""
        waits = counters.work_pending(torch_xla._XLAC._xla_get_default_device())
        _listener[0].ended(pending=waits, error=sys.exc_info()[1])
        with self._changed:
            self._begun.add(replica)
            self._ended.add(replica)
            self._give_turns()

    def part(self, error: BaseException) -> None:
        """End all replicas by this exception."""
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until `is_so`, or until that takes too long."""
        limit = time.monotonic() + PATIENCE
        with self._changed:
            while not (is_so() or self._failure is not None) and time.monotonic() < limit:
                self._changed.wait(_LOOKS)  # Whoever finds it out tells nobody.
            self._end_if_parted()

    def _end_if_parted(self) -> None:
        if self._failure is not None:
            raise self._failure

    def in_turn(self, launch: Callable[[], None]) -> None:
        """Launch when all that still run have come to a cut, and it is this replica's turn."""
        replica = rank()
        _listener[0].arrived()
        with self._changed:
            self._end_if_parted()
            self._waiting.add(replica)
            self._changed.notify_all()
            self._give_turns()
            is_next = self._changed.wait_for(
                lambda: self._turns[:1] == [replica] or self._failure is not None, PATIENCE
            )
            self._end_if_parted()
            if not is_next:
                raise Parted(f"replica {replica} has waited at a cut for {PATIENCE:g} seconds for the others")
        try:
            launch()
        finally:
            with self._changed:
                self._turns.pop(0)
                self._changed.notify_all()
                # What follows a cut may wait for its graph, and holds the interpreter's lock meanwhile:
                # nobody goes on before all have launched.
                self._changed.wait_for(lambda: not self._turns, PATIENCE)

    def _give_turns(self) -> None:
        """With the lock held: when all that still run have come to a cut, they launch by rank."""
        if len(self._waiting | self._ended) == self.size:
            going = (_listener[0].go_on_alone() & self._waiting) or set(self._waiting)
            self._turns += sorted(going)
            self._waiting -= going
            if not self._waiting:
                _listener[0].met()
        self._changed.notify_all()


def _all_gather(
    value: torch.Tensor, dim: int = 0, groups: list[list[int]] | None = None, pin_layout: bool = True
) -> torch.Tensor:
    """torch_xla's own function pads by the rank, which gives every replica another graph: here the
    rank is data, the graphs are the same, and `xm.rendezvous` and `xm.mesh_reduce` can meet too."""
    if are_parts(groups):
        raise NotImplementedError("replicas as threads gather over all replicas only")
    size = xr.world_size()
    place = torch.zeros(size, dtype=value.dtype)
    place[xr.global_ordinal()] = 1
    shares = place.to(value.device).reshape(size, *[1] * value.dim()) * value.unsqueeze(0)
    return torch.cat(list(xm.all_reduce(xm.REDUCE_SUM, shares)), dim)


_this = threading.local()
_compiling = threading.Lock()
_current: list[Order | None] = [None]
_listener: list[Listener] = [Listener()]
