"""XLA512: replicas that meet on their hosts in every round of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Collective
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class MeshReduceInStep(Rule[Collective]):
    """
    ## What it does
    Finds `xm.mesh_reduce` and `xm.rendezvous` that are called for every batch of a loader. A call under a
    test such as `if step % 100 == 0` is fine.

    ## Why is this bad?
    Each round stops all devices. A mesh reduction sends numbers by way of the hosts: it cuts the graph,
    waits for the device, runs two small graphs of its own, and waits for all replicas. Meanwhile no device
    works. A reduction within the graph, `xm.all_reduce`, costs next to nothing, and what it
    gives may be read once for many steps.

    ## Example
    ```python
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.parallel_loader as pl


    def evaluate(model, loader):
        correct = 0
        for x, y in pl.MpDeviceLoader(loader, torch_xla.device()):
            hits = (model(x).argmax(dim=1) == y).sum()
            correct += xm.mesh_reduce("hits", hits, sum)
        return correct
    ```

    ## Use instead
    ```python
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.parallel_loader as pl


    def evaluate(model, loader):
        correct = 0
        for x, y in pl.MpDeviceLoader(loader, torch_xla.device()):
            correct += (model(x).argmax(dim=1) == y).sum()
        return xm.mesh_reduce("hits", correct, sum)
    ```

    ## Fix safety
    Only shown: where the sum is wanted decides whether it is done once below the loop, seldom, or in
    the graph.

    ## On the engine
    One replica, four batches: 12 graphs are launched with the reduction in the loop, 6 with it below.

    ## References
    - ronghanghu/vit_10b_fsdp_example reduces its loss once in many steps
    """

    code = "XLA512"
    name = "mesh-reduce-in-step"
    severity = Severity.INFO
    yields_to = ("XLA204", "XLA301", "XLA502", "XLA709")

    def judge(self, event: Collective, state: View) -> Iterator[Finding]:
        if event.operation not in _BY_THE_HOSTS or not event.hot or state.scopes.in_closure:
            return
        if state.replicas.splits or state.replicas.spmd:
            return
        yield self.finding(
            event,
            f"stops all devices in every round: `xm.{event.operation}` waits for the replicas on their hosts",
            help="reduce within the graph by `xm.all_reduce`, or once below the loop",
            cures=(ByHand(event.site, title="Reduce below the loop, or by `xm.all_reduce`"),),
        )


_BY_THE_HOSTS = frozenset({"mesh_reduce", "rendezvous"})
