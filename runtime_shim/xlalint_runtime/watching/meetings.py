"""What replicas do together, and what tells them apart."""

from __future__ import annotations

import functools
from types import FrameType
from typing import Any

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint_runtime import pending, replicas
from xlalint_runtime.agreement import Meeting, shapes_in, terms_in
from xlalint_runtime.foreign import refused
from xlalint_runtime.replica import Fetched
from xlalint_runtime.sites import Chain, frames_below_user, user_chain, written
from xlalint_runtime.watch import Hook, Watch
from xlalint_runtime.watching.sharding import tell_of_device
from xlalint_runtime.watching.training import is_of_zero, is_sharded

_RANK_TESTS = {"is_master_ordinal", "get_local_ordinal", "local_ordinal", "global_ordinal", "get_ordinal"}

_COLLECTIVES = (
    "_xla_all_reduce", "_xla_all_reduce_inplace", "_xla_all_gather", "_xla_all_gather_out",
    "_xla_all_gather_coalesced", "_xla_all_gather_coalesced_out", "_xla_all_to_all",
    "_xla_collective_permute", "_xla_reduce_scatter", "_xla_reduce_scatter_out",
)  # fmt: skip


def _collective(watch: Watch, original: Any) -> Any:
    """A collective is recorded, by whichever function of torch_xla the user called."""

    @functools.wraps(original)
    def collective(*args: Any, **kwargs: Any) -> Any:
        try:
            return told(*args, **kwargs)
        finally:
            watch.replica.work.changed_in_place()

    def told(*args: Any, **kwargs: Any) -> Any:
        if watch.this_thread.is_meeting:
            return original(*args, **kwargs)
        if chain := user_chain():
            below = list(frames_below_user())
            if (optimizer := _reduced_by(watch, below)) is not None:
                _tell_reduction(watch, chain, optimizer)
            _tell_meeting(watch, chain, below, original.__name__, (*args, *kwargs.values()))
        # Where a function mode of torch's is on, that is handed what we have replaced, and calls it again.
        watch.this_thread.is_meeting = True
        try:
            return original(*args, **kwargs)
        finally:
            watch.this_thread.is_meeting = False

    return collective


def _reduced_by(watch: Watch, below: list[FrameType]) -> Any:
    """The optimizer whose gradients these functions of torch_xla sum; None where they sum something else."""
    for frame in below:
        if frame.f_code is xm.reduce_gradients.__code__:
            return frame.f_locals["optimizer"]
        if frame.f_code is xm.all_reduce.__code__:
            given = frame.f_locals["inputs"]
            fetched = watch.replica.fetched
            return fetched.optimizer if fetched is not None and fetched.are(given) else None
    return None


def _fetch_gradients(watch: Watch, original: Any) -> Any:
    """Whoever sums gradients by hand asks for them first."""

    @functools.wraps(original)
    def fetch_gradients(optimizer: Any) -> Any:
        gradients = original(optimizer)
        watch.replica.fetched = Fetched(id(gradients), len(gradients), optimizer)
        return gradients

    return fetch_gradients


def _tell_reduction(watch: Watch, chain: Chain, optimizer: Any) -> None:
    built = watch.built.get(optimizer)
    sharded = True if is_sharded(optimizer) else None
    by_optimizer = is_of_zero(optimizer)

    def transition(state: State, site: Site) -> None:
        watch.model.reduce_gradients(
            state,
            site,
            built,
            spelling=written(site),
            sharded=sharded,
            by_optimizer=by_optimizer,
            by_hand=True,
        )

    watch.tell(chain, transition)


def _mesh_reduce(watch: Watch, original: Any) -> Any:
    """Replicas send each other something by way of the hosts."""

    @functools.wraps(original)
    def mesh_reduce(tag: str, data: Any, reduce_fn: Any) -> Any:
        if (chain := user_chain()) and (what := refused(data)):
            watch.tell(chain, lambda state, site: watch.model.share_objects(state, what, site))
        return original(tag, data, reduce_fn)

    return mesh_reduce


def _rendezvous(watch: Watch, original: Any) -> Any:
    """A rendezvous, which is several collectives and cuts."""

    @functools.wraps(original)
    def rendezvous(*args: Any, **kwargs: Any) -> Any:
        chain = user_chain()
        if not chain:
            return original(*args, **kwargs)
        _tell_meeting(watch, chain, list(frames_below_user()), "xla_rendezvous", (), kwargs.get("tag"))
        watch.this_thread.is_meeting = True
        try:
            return original(*args, **kwargs)
        finally:
            watch.this_thread.is_meeting = False

    return rendezvous


def _tell_meeting(
    watch: Watch, chain: Chain, below: list[FrameType], name: str, given: tuple[Any, ...],
    tag: str | None = None,
) -> None:  # fmt: skip
    if any(replicas.are_parts(frame.f_locals.get("groups")) for frame in below):
        return  # Within groups it waits for the others of its group only: whom it parts, we cannot say.
    operation = _name_of(below[-1]) if below else name
    graph = pending.graph_hash(pending.tensors_in(given)) if replicas.running() else b""
    watch.replica.meetings.append(Meeting(name, terms_in(given), shapes_in(given), chain, graph))

    def transition(state: State, site: Site) -> None:
        every_round = watch.replica.comes_again(site)
        watch.model.collective(state, operation, tag or "", site, every_round=every_round)

    watch.tell(chain, transition, deed=f"{operation} {tag or ''}", meets=True)


def _name_of(frame: FrameType) -> str:
    """What a function is called that the user calls; a class, where it makes an object."""
    name = frame.f_code.co_name
    return type(frame.f_locals["self"]).__name__ if name == "__init__" else name


def _rank(watch: Watch, original: Any) -> Any:
    """The user asks for the rank, by one of the functions that do nothing else."""

    @functools.wraps(original)
    def ordinal(*args: Any, **kwargs: Any) -> Any:
        tell_of_device(watch)
        asked = all(frame.f_code.co_name in _RANK_TESTS for frame in frames_below_user())
        if asked and (chain := user_chain()):
            watch.replica.rank_tests[chain[-1].code] = chain[-1].site
        return original(*args, **kwargs)

    return ordinal


HOOKS = (
    *(Hook(torch_xla._XLAC, name, _collective) for name in _COLLECTIVES),
    Hook(torch.ops._c10d_functional, "all_reduce", _collective),
    Hook(xm, "xla_rendezvous", _rendezvous),
    Hook(xm, "mesh_reduce", _mesh_reduce),
    Hook(xm, "_fetch_gradients", _fetch_gradients),
    Hook(torch_xla._XLAC, "_xla_get_default_device_ordinal", _rank),
    Hook(xr, "local_ordinal", _rank),
)
