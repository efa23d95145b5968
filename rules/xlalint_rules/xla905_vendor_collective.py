"""XLA905: a collective of torch_xla for which PyTorch has one."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class VendorCollective(Rule[ApiUsed]):
    """
    ## What it does
    Finds imports and uses of torch_xla's own collectives for which `torch.distributed` has one that runs
    on XLA devices, such as `xm.all_reduce`. Silent under a version test. Not told are `xm.rendezvous` and
    `xm.mesh_reduce`, which wait on the hosts, as the barrier of the process group `xla` does not, and
    `xm.collective_permute`, for which PyTorch has none.

    ## Why is this bad?
    These functions exist in torch_xla alone. A program that calls `torch.distributed` runs on other
    devices, too, and on the successor of torch_xla.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def average(loss):
        return xm.all_reduce(xm.REDUCE_SUM, loss, scale=0.5)
    ```

    ## Use instead
    ```python
    import torch.distributed as dist
    import torch_xla


    def average(loss):
        dist.all_reduce(loss)
        return loss / dist.get_world_size()
    ```

    ## Fix safety
    Only shown: the process group must be set up by `import torch_xla.distributed.xla_backend` and
    `dist.init_process_group("xla", init_method="xla://")`, and functions of `torch.distributed` write into
    tensors that they are given.

    ## On the engine
    Both give the same numbers, so there is no harm to measure. That was run on one replica: on a CPU
    several of them are one process, which can be part of one process group only.

    ## References
    - [DistributedDataParallel on XLA](https://docs.pytorch.org/xla/master/perf/ddp.html)
    """

    code = "XLA905"
    name = "vendor-collective"
    severity = Severity.INFO
    enabled = False

    def judge(self, event: ApiUsed, state: View) -> Iterator[Finding]:
        module, _, function = event.name.rpartition(".")
        successor = _SUCCESSORS.get(function)
        if successor is None or module not in _MODULES or event.protected or event.keyword:
            return
        yield self.finding(
            event,
            f"`{event.name}` exists in torch_xla alone, and ties the program to it",
            help=f"use `{successor}`, after "
            '`torch.distributed.init_process_group("xla", init_method="xla://")`',
            cures=(ByHand(event.site, title=f"Use `{successor}`"),),
        )


_MODULES = frozenset({"torch_xla.core.xla_model", "torch_xla.core.functions"})
_SUCCESSORS = {
    "all_reduce": "torch.distributed.all_reduce",
    "all_gather": "torch.distributed.all_gather_into_tensor",
    "all_to_all": "torch.distributed.all_to_all_single",
    "reduce_scatter": "torch.distributed.reduce_scatter_tensor",
    "collective_broadcast": "torch.distributed.broadcast",
    "broadcast_master_param": "torch.distributed.broadcast",
    "reduce_gradients": "torch.nn.parallel.DistributedDataParallel",
}
"""What serves in the place of each, on XLA devices as well."""
