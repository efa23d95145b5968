"""XLA814: a loop over a loader that has given all its batches before."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LoaderSpent
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class SpentLoader(Rule[LoaderSpent]):
    """
    ## What it does
    Finds loops that go over a `ParallelLoader`, or what its `per_device_loader` returns, once more after all
    its batches were taken, as in the second epoch. Silent where a loop over it may be left early.

    ## Why is this bad?
    From the second epoch on nothing is trained, and no error is raised. A `ParallelLoader` starts its
    threads when it is made, and they go through the data once; a loop that comes later finds no batch. An
    `MpDeviceLoader` makes a new one for each loop.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl


    def train(loader):
        device = torch_xla.device()
        batches = pl.ParallelLoader(loader, [device]).per_device_loader(device)
        total = torch.zeros((), device=device)
        for epoch in range(10):
            for batch in batches:
                total += batch.sum()
        return total
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl


    def train(loader):
        device = torch_xla.device()
        batches = pl.MpDeviceLoader(loader, device)
        total = torch.zeros((), device=device)
        for epoch in range(10):
            for batch in batches:
                total += batch.sum()
        return total
    ```

    ## Fix safety
    Only shown: the program trains longer than before, and what was tuned by its results no longer fits.

    ## On the engine
    A loader of three batches yields 3 in the first epoch, and 0 in each later one, also where each epoch asks
    the same `ParallelLoader` for a loader of its device.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/distributed/parallel_loader.py
    """

    code = "XLA814"
    name = "spent-loader"
    severity = Severity.ERROR

    def judge(self, event: LoaderSpent, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            "does nothing from the second time on: a `ParallelLoader` gives its batches once, and this one "
            "has none left",
            help="use `pl.MpDeviceLoader(loader, device)`, or make the `ParallelLoader` in each epoch",
            cures=(ByHand(event.site, title="Use `pl.MpDeviceLoader`"),),
        )
