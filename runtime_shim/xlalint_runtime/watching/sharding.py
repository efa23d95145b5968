"""SPMD: when it is turned on, and what is sharded how."""

from __future__ import annotations

import functools
from typing import Any

import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr
from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel

from xlalint.lazy.obligations import Owed
from xlalint.lazy.sharding import FULLY_SHARDED, Mesh, Misuse, Spec
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint_runtime import replicas
from xlalint_runtime.sites import callee, user_chain, written
from xlalint_runtime.watch import Hook, Watch

_SHARDED_ALREADY = "Existing annotation must be cleared"
_UNKNOWN_OUTPUT = "The output type is not supported"


def _device_used(watch: Watch, original: Any) -> Any:
    """A device is asked for: from then on it is known as one of several, unless SPMD is on."""

    @functools.wraps(original)
    def used(*args: Any, **kwargs: Any) -> Any:
        tell_of_device(watch)
        return original(*args, **kwargs)

    return used


def tell_of_device(watch: Watch, *, as_single: bool = True) -> None:
    """A device is used. The engine is not asked for anything: that would be the first use of one itself.

    Args:
        as_single: Whether without SPMD it is then known to this process as one of several.
    """
    state = watch.replica.state
    if state.is_owed(Owed.SINGLE) or xr.is_spmd() or not (chain := user_chain()):
        return
    watch.report.chain(chain)
    site = chain[-1].site
    state.replicas = state.replicas._replace(spmd=False, launched=replicas.running())
    watch.model.use_device(state, written(site) or f"{callee(site)}()", site, as_single=as_single)


def _use_spmd(watch: Watch, original: Any) -> Any:
    """SPMD is turned on."""

    @functools.wraps(original)
    def use_spmd(*args: Any, **kwargs: Any) -> Any:
        state, chain = watch.replica.state, user_chain()
        if chain and state.is_owed(Owed.SINGLE):
            watch.tell(chain, watch.model.use_spmd)
        state.replicas = state.replicas._replace(spmd=True)
        return original(*args, **kwargs)

    return use_spmd


def _mark(watch: Watch, original: Any) -> Any:
    """A tensor is sharded: what that raises tells what is wrong with it."""

    @functools.wraps(original)
    def mark_sharding(t: Any, mesh: Any, partition_spec: Any) -> Any:
        chain = user_chain()
        if watch.this_thread.is_wrapping or not chain:
            return original(t, mesh, partition_spec)
        try:
            result = original(t, mesh, partition_spec)
        except Exception as error:
            again = _SHARDED_ALREADY in str(error)
            before = watch.sharded.get(t, ()) if again else ()
            a_list = isinstance(partition_spec, list)

            def transition(state: State, site: Site) -> None:
                state.replicas = state.replicas._replace(spmd=xr.is_spmd())
                watch.model.shard(
                    state, site, written(site) or f"{callee(site)}(...)", _spec(partition_spec),
                    _mesh(mesh), rank=len(t.shape), written=site if a_list else None, before=before,
                )  # fmt: skip

            watch.tell(chain, transition)
            raise
        watch.sharded[t] = _spec(partition_spec)
        return result

    return mark_sharding


def _describe(watch: Watch, original: Any) -> Any:
    """A loader is told how to shard what it yields: what that raises tells what is wrong with it."""

    @functools.wraps(original)
    def describe(given: Any) -> None:
        try:
            original(given)
        except Exception:
            if chain := user_chain():

                def transition(state: State, site: Site) -> None:
                    watch.model.describe_sharding(
                        state, site, written(site) or f"{callee(site)}(...)",
                        _spec(given.partition_spec), _mesh(given.mesh),
                    )  # fmt: skip

                watch.tell(chain, transition)
            raise

    return describe


def _spec(given: Any) -> Spec:
    """A spec, in which a list stands for a tuple."""
    return tuple(_spec(entry) if isinstance(entry, list | tuple) else entry for entry in given)


def _mesh(given: Any) -> Mesh:
    return Mesh(tuple(given.axis_names or ()), len(given.mesh_shape))


def _wrap(watch: Watch, original: Any) -> Any:
    """FSDPv2 wraps a module, and with it perhaps parts of it."""

    @functools.wraps(original)
    def wrap(wrapper: Any, *args: Any, **kwargs: Any) -> Any:
        chain, this = user_chain(), watch.this_thread
        if this.is_wrapping or not chain:
            return original(wrapper, *args, **kwargs)
        mesh = kwargs.get("mesh") or xs.get_global_mesh()
        misuse = None
        if len(args) > 1:
            misuse = Misuse.BY_POSITION
        elif mesh is None:
            misuse = Misuse.NO_MESH
        elif FULLY_SHARDED not in (mesh.axis_names or ()):
            misuse = Misuse.NO_AXIS

        def transition(state: State, site: Site) -> None:
            state.replicas = state.replicas._replace(spmd=xr.is_spmd())
            watch.model.shard_fully(state, site, site, misuse)

        watch.tell(chain, transition)
        watch.wrapped[wrapper] = chain[-1].site
        this.is_wrapping = True
        try:
            return original(wrapper, *args, **kwargs)
        finally:
            this.is_wrapping = False

    return wrap


def _forward(watch: Watch, original: Any) -> Any:
    """What FSDPv2 has wrapped is run, and what it returns is sharded."""

    @functools.wraps(original)
    def forward(wrapper: Any, *args: Any, **kwargs: Any) -> Any:
        this = watch.this_thread
        outer, this.is_wrapping = this.is_wrapping, True
        try:
            return original(wrapper, *args, **kwargs)
        except RuntimeError as error:
            site, chain = watch.wrapped.get(wrapper), user_chain()
            if site is not None and chain and _UNKNOWN_OUTPUT in str(error):
                wrapped = site
                watch.report.chain_at(wrapped)
                watch.tell(
                    chain,
                    lambda state, site: watch.model.shard_fully(state, site, wrapped, Misuse.OUTPUT),
                )
            raise
        finally:
            this.is_wrapping = outer

    return forward


HOOKS = (
    Hook(torch_xla._XLAC, "_xla_get_default_device", _device_used),
    Hook(xr, "use_spmd", _use_spmd),
    Hook(xs, "mark_sharding", _mark),
    Hook(xs.ShardingSpec, "__post_init__", _describe),
    Hook(SpmdFullyShardedDataParallel, "__init__", _wrap),
    Hook(SpmdFullyShardedDataParallel, "forward", _forward),
)
