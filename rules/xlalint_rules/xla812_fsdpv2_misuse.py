"""XLA812: FSDPv2 without what it needs."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy import assumptions
from xlalint.lazy.events import FullySharded
from xlalint.lazy.sharding import NOT_FROM_OUTSIDE, Misuse
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class Fsdpv2Misuse(Rule[FullySharded]):
    """
    ## What it does
    Finds `SpmdFullyShardedDataParallel` without a mesh, with one that is given by position or has no axis
    named `fsdp`, where SPMD is not on, and around a model that returns a dict where no `shard_output` is
    given.

    ## Why is this bad?
    Each of them raises: `ValueError` for the mesh, `TypeError` for its position, and `RuntimeError` where
    SPMD is off or the first batch has gone through the model. FSDPv2 lays parameters over the axis `fsdp`
    and nothing else, and shards what the model returns by itself only if that is a tensor, or a tuple that
    begins with one.

    An optimizer that was built before a model on the host is wrapped trains nothing, as the wrapper moves the
    model: XLA701 finds it.

    ## Example
    ```python
    import torch
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr
    from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel

    xr.use_spmd()
    mesh = xs.get_1d_mesh("data")
    model = SpmdFullyShardedDataParallel(torch.nn.Linear(8, 8), mesh=mesh)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr
    from torch_xla.experimental.spmd_fully_sharded_data_parallel import SpmdFullyShardedDataParallel

    xr.use_spmd()
    mesh = xs.get_1d_mesh("fsdp")
    model = SpmdFullyShardedDataParallel(torch.nn.Linear(8, 8), mesh=mesh)
    ```

    ## Fix safety
    Only shown.

    ## On the engine
    On four devices each of them raises. Cured, the program trains.

    ## References
    - https://github.com/pytorch/xla/blob/master/docs/source/perf/fsdpv2.md
    """

    code = "XLA812"
    name = "fsdpv2-misuse"
    severity = Severity.ERROR

    def judge(self, event: FullySharded, state: View) -> Iterator[Finding]:
        match event.misuse:
            case Misuse.BY_POSITION:
                yield self._found(
                    event,
                    "raises `TypeError`: FSDPv2 takes the module alone by position",
                    "pass what comes after the module by name, as `mesh=mesh`",
                    "Pass `mesh=`",
                )
            case Misuse.NO_MESH:
                yield self._found(
                    event,
                    "raises `ValueError`: FSDPv2 gets no mesh, and there is no global one",
                    'pass `mesh=`, or call `xs.set_global_mesh` first; one axis is named "fsdp"',
                    "Pass `mesh=`",
                )
            case Misuse.NO_AXIS:
                yield self._found(
                    event,
                    "raises `ValueError`: the mesh has no axis named `fsdp`",
                    'name the axis over which parameters are sharded "fsdp"',
                    'Name an axis of the mesh "fsdp"',
                )
            case Misuse.OUTPUT:
                yield self.finding(
                    event,
                    "raises `RuntimeError` when it is called on {later}: the model returns a dict, which "
                    "FSDPv2 cannot shard by itself",
                    help="pass `shard_output=`, a function that shards what is in the dict",
                    cures=(ByHand(event.wrapped, title="Pass `shard_output=`"),),
                    later=Later(event.site, "the model returns a dict"),
                )
            case None if state.replicas.spmd is False:
                yield self._found(
                    event,
                    "raises `RuntimeError`: SPMD is not on where FSDPv2 shards the parameters",
                    "call `torch_xla.runtime.use_spmd()` first, before anything uses a device",
                    "Turn SPMD on where the program begins",
                    assumes=NOT_FROM_OUTSIDE,
                )

    def _found(
        self, event: FullySharded, message: str, help: str, title: str, *,
        assumes: assumptions.Assumptions = assumptions.NONE,
    ) -> Finding:  # fmt: skip
        cures = (ByHand(event.wrapped, title=title),)
        return self.finding(event, message, help=help, assumes=assumes, cures=cures)
