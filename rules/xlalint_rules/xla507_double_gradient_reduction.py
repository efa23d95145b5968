"""XLA507: gradients that are summed over the replicas twice."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ReducedAgain
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class DoubleGradientReduction(Rule[ReducedAgain]):
    """
    ## What it does
    Finds `xm.optimizer_step(optimizer)` and `xm.reduce_gradients(optimizer)` for a model that is wrapped by
    `XlaFullyShardedDataParallel` or `DistributedDataParallel`, or of a `ZeroRedundancyOptimizer`, and such an
    optimizer over a model that is wrapped. Also finds `xm.optimizer_step(optimizer)` below
    `xm.reduce_gradients(optimizer)`, mostly written for a clip between the two.

    ## Why is this bad?
    Under FSDP the model trains incorrectly, and no error is raised. Backward has summed the gradients, and
    has left on each replica those of its own part of the parameters. Their mean over the replicas is a
    mean of gradients that belong to different parameters. Under DDP the numbers stay right, and each step
    sends all gradients once more for nothing. So it does with a `ZeroRedundancyOptimizer`, whose own step
    sums the gradients, and with `xm.optimizer_step` of gradients that were summed by hand: the mean of means
    is the mean.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP


    def train(index):
        device = torch_xla.device()
        model = FSDP(torch.nn.Linear(4, 2).to(device))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                model(torch.ones(8, 4, device=device)).sum().backward()
                xm.optimizer_step(optimizer)


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    from torch_xla.distributed.fsdp import XlaFullyShardedDataParallel as FSDP


    def train(index):
        device = torch_xla.device()
        model = FSDP(torch.nn.Linear(4, 2).to(device))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                model(torch.ones(8, 4, device=device)).sum().backward()
                optimizer.step()


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: under FSDP all numbers change.

    ## On the engine
    Two replicas under FSDP, each with one half of the weights: with `xm.optimizer_step` both halves change
    by the same amounts, number by number; with `optimizer.step()` each changes by its own. Under DDP the
    numbers are the same, and the guard is silent.

    ## References
    - https://docs.pytorch.org/xla/master/perf/fsdp.html
    """

    code = "XLA507"
    name = "double-gradient-reduction"
    severity = Severity.ERROR

    def judge(self, event: ReducedAgain, state: View) -> Iterator[Finding]:
        if state.replicas.launched is False or state.replicas.spmd:
            return
        shown = f"`{event.spelling}`"
        help, title = "call `optimizer.step()` alone: it sums the gradients itself", _STEP
        if event.sharded:
            harm = (
                f"trains incorrectly: {shown} mixes gradients of different parameters, as under FSDP each "
                "replica holds those of its own part"
            )
            help = "call `optimizer.step()`: backward has summed the gradients already"
        elif event.by_backward:
            harm = f"sends all gradients twice in each step: backward has summed them for {shown}"
            help = "call `optimizer.step()`: under DDP backward sums the gradients"
        elif event.by_optimizer:
            harm = f"sends all gradients twice in each step: the step sums what {shown} has summed"
        else:
            harm = f"sends all gradients twice in each step: they have been summed before {shown}"
            help = "call `optimizer.step()` where the gradients have been summed by hand"
        if event.by_optimizer and event.by_backward:
            help, title = f"use an optimizer of `torch.optim`: {_OF_ZERO}", "Wrap only the model"
        yield self.finding(
            event,
            harm,
            help=help,
            severity=Severity.ERROR if event.sharded else Severity.WARNING,
            cures=(ByHand(event.site, title=title),),
        )


_STEP = "Step by `optimizer.step()`"
_OF_ZERO = "a `ZeroRedundancyOptimizer` sums the gradients itself"
