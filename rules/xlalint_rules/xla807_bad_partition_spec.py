"""XLA807: a partition spec that cannot match its mesh or its tensor."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, WriteTuple
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.events import Sharded
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class BadPartitionSpec(Rule[Sharded]):
    """
    ## What it does
    Finds partition specs that cannot match the mesh or the tensor: an axis that the mesh does not have, an
    axis for two dimensions, more or fewer entries than the tensor has dimensions, and a list where a tuple
    is wanted. While a program runs, specs are seen that it computes.

    ## Why is this bad?
    The call raises, `TypeError` for a list, `ValueError` for an unknown axis and `AssertionError` for the
    rest, often only after minutes in which the model was loaded. `ShardingSpec` raises for an axis that the
    mesh does not have, and takes a list.

    ## Example
    ```python
    import numpy as np
    import torch
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    xr.use_spmd()
    devices = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(devices), (devices, 1), ("data", "model"))
    model = torch.nn.Linear(8, 8).to("xla")
    xs.mark_sharding(model.weight, mesh, ["data", None])
    xs.mark_sharding(model.bias, mesh, ("fsdp",))
    ```

    ## Use instead
    ```python
    import numpy as np
    import torch
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    xr.use_spmd()
    devices = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(devices), (devices, 1), ("data", "model"))
    model = torch.nn.Linear(8, 8).to("xla")
    xs.mark_sharding(model.weight, mesh, ("data", None))
    xs.mark_sharding(model.bias, mesh, ("data",))
    ```

    ## Fix safety
    A list is written as a tuple, which is safe: with the list the call raises. What other specs should be
    is only shown.

    ## On the engine
    Each of these specs raises on four devices; the cured ones shard.

    ## References
    - https://github.com/pytorch/xla/blob/master/docs/source/perf/spmd_basic.md
    """

    code = "XLA807"
    name = "bad-partition-spec"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: Sharded, state: View) -> Iterator[Finding]:
        if event.fault:
            yield self.finding(
                event,
                event.fault,
                help="name axes of the mesh, one entry for each dimension of the tensor, each axis once",
                cures=(ByHand(event.site, title="Write a spec that fits the mesh and the tensor"),),
            )
        elif event.written is not None:
            yield self.finding(
                event,
                f"raises `TypeError`: `{event.spelling}` gets its partition spec as a list",
                help="write a tuple",
                cures=(WriteTuple(event.written, title="Write a tuple", applicability=Applicability.SAFE),),
            )
