"""XLA802: a loader that is made anew in a loop, and left early."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Hoist
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LoaderAbandoned
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class LoaderInLoop(Rule[LoaderAbandoned]):
    """
    ## What it does
    Finds an `MpDeviceLoader` that is made in a loop, such as that over the epochs, where the loop over it is
    left early, by `break` or `return`, and the next round makes it anew. An info: half of those
    in public code were left only where the loop around ends, too.

    ## Why is this bad?
    Its threads never end, and hold their batches: two more in each epoch, for as long as the program runs.
    They wait for somebody to take the batches that they have made. A loader that runs to its end stops them,
    and one that is made once stops those of the round before.

    Silent where the loop is left at a number that is not known: that may be the number of all batches, after
    which the threads have ended.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    batches = [torch.ones(8, 4) for _ in range(100)]
    for epoch in range(3):
        loader = pl.MpDeviceLoader(batches, device)
        for step, batch in enumerate(loader):
            batch.sum()
            if step == 10:
                break
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    batches = [torch.ones(8, 4) for _ in range(100)]
    loader = pl.MpDeviceLoader(batches, device)
    for epoch in range(3):
        for step, batch in enumerate(loader):
            batch.sum()
            if step == 10:
                break
    ```

    ## Fix safety
    Unsafe: the loader is made once, above the loop. A dataset or sampler that the loop changes is then seen
    by the next epoch only if the loader below it draws anew, as a `DataLoader` does.

    ## On the engine
    After three epochs that are left early seven threads of Python live, with one loader three.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/distributed/parallel_loader.py
    """

    code = "XLA802"
    name = "loader-in-loop"
    severity = Severity.INFO
    only_definite = True

    def judge(self, event: LoaderAbandoned, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"leaves threads behind in each round: `{event.obligation.detail}` is left early here, and made "
            "anew on {later}",
            help="make the loader once, above the loop",
            cures=(
                Hoist(event.site, title="Make the loader above the loop"),
                ByHand(event.site, title="Make the loader above the loop"),
            ),
            later=Later(event.site, "the loader is made anew here"),
        )
