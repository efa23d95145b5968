"""XLA511: a barrier at which no replica waits."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import BarrierFault, BarrierMisused
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class WrongBarrier(Rule[BarrierMisused]):
    """
    ## What it does
    Finds `torch.distributed.barrier()` where the process group is that of XLA, and `xm.rendezvous()` without
    a tag.

    ## Why is this bad?
    Nobody waits. The barrier of the process group `xla` returns at once on each replica, without a word:
    one replica reads a file that another has yet to write. `xm.rendezvous` asks for a tag, and without one
    the program ends with `TypeError`.

    A barrier of another group, such as `dist.new_group(backend="gloo")`, waits, and is not reported.

    ## Example
    ```python
    import torch.distributed as dist
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.xla_backend


    def train(index):
        dist.init_process_group("xla", init_method="xla://")
        if xm.is_master_ordinal():
            print("the master downloads the data")
        dist.barrier()
        print("the others read it")


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch.distributed as dist
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.xla_backend


    def train(index):
        dist.init_process_group("xla", init_method="xla://")
        if xm.is_master_ordinal():
            print("the master downloads the data")
        xm.rendezvous("data is there")
        print("the others read it")


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: `xm.rendezvous` cuts the graph, which a barrier in the midst of a step must not do.

    ## On the engine
    `dist.barrier()` returns with the step's work still recorded, and no collective is launched;
    `xm.rendezvous("tag")` launches what is recorded and one collective of all replicas. `xm.rendezvous()`
    raises `TypeError`.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/distributed/xla_backend.py (`barrier`)
    """

    code = "XLA511"
    name = "wrong-barrier"
    severity = Severity.ERROR

    def judge(self, event: BarrierMisused, state: View) -> Iterator[Finding]:
        cures = (ByHand(event.site, title='Wait by `xm.rendezvous("tag")`'),)
        if event.fault is BarrierFault.NO_TAG:
            yield self.finding(
                event,
                f"raises `TypeError`: `{event.spelling}` has no tag",
                help="give it a name, such as `xm.rendezvous('saved')`",
                cures=cures,
            )
        elif not state.replicas.spmd:
            yield self.finding(
                event,
                f"no replica waits here: `{event.spelling}` of the process group `xla` returns at once",
                help="call `xm.rendezvous('tag')`, at which all replicas wait",
                cures=cures,
            )
