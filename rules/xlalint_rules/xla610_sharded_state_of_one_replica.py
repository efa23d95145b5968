"""XLA610: each replica has a part of the state, and the part of one of them is saved."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Save
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class ShardedStateOfOneReplica(Rule[Save]):
    """
    ## What it does
    Finds a save by the master alone of what FSDP or `ZeroRedundancyOptimizer` has shared out among the
    replicas: by `xm.save`, which writes on the master only unless it is told otherwise, or under a test
    of the replica. Silent under SPMD, where one program holds all of it.

    ## Why is this bad?
    The checkpoint holds the part of one replica, and those of the others are lost. Nothing is said when
    it is written. Where the name of the file holds the ordinal, the other files do not exist; else every
    replica loads the part of the master, and training goes on from wrong numbers.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer


    def train(index):
        model = torch.nn.Linear(4, 4).to(torch_xla.device())
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                model(torch.ones(8, 4, device="xla")).sum().backward()
                optimizer.step()
        xm.save(optimizer.state_dict(), "optimizer.pt")


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr
    from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer


    def train(index):
        model = torch.nn.Linear(4, 4).to(torch_xla.device())
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                model(torch.ones(8, 4, device="xla")).sum().backward()
                optimizer.step()
        xm.save(optimizer.state_dict(), f"optimizer-{xr.global_ordinal()}.pt", master_only=False)


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: which files there are is the author's choice, and what loads them has to know.

    ## On the engine
    Two replicas with files of their own: without `master_only=False` the second one does not find its file.

    ## References
    - https://docs.pytorch.org/xla/master/perf/fsdp.html
    """

    code = "XLA610"
    name = "sharded-state-of-one-replica"
    severity = Severity.ERROR
    of_text = True
    only_definite = True

    def judge(self, event: Save, state: View) -> Iterator[Finding]:
        replicas = state.replicas
        split = replicas.rank_test
        if not event.sharded or replicas.spmd or replicas.launched is False:
            return
        if event.to_every_replica and split is None:
            return
        writes = f"`{event.spelling}` writes on the master only" if split is None else "one of them saves"
        help = "save on every replica, each to a file of its own"
        if event.by_xla:
            help += ": `xm.save(state, name_of_replica, master_only=False)`"
        yield self.finding(
            event,
            f"loses what all other replicas hold: each has a part of this state, and {writes}",
            help=help,
            cures=(ByHand(event.site, title="Save the part of each replica"),),
        )
