"""XLA506: replicas that train without summing their gradients."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import OptimizerStepped
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class MissingGradientReduction(Rule[OptimizerStepped]):
    """
    ## What it does
    Finds a plain `optimizer.step()` where nothing sums the gradients: no `xm.optimizer_step`,
    `xm.reduce_gradients` or other collective since backward, no DDP, FSDP or ZeRO, no SPMD. It stands in a
    function that was launched on several replicas, or in a program that joins a process group of `xla`, as
    `torchrun` starts it.

    ## Why is this bad?
    The model trains incorrectly, and no error is raised. Each replica updates its own copy of the model by
    the gradients of its own batches, and the copies drift apart. What is saved in the end has been trained
    on one replica's share of the data.

    ## Example
    ```python
    import torch
    import torch_xla


    def train(index):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                loss = model(torch.ones(8, 4, device=device)).sum()
                loss.backward()
                optimizer.step()


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                loss = model(torch.ones(8, 4, device=device)).sum()
                loss.backward()
                xm.optimizer_step(optimizer)


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: all numbers change, and which of the ways to sum gradients fits is for the author to say.

    ## On the engine
    Two replicas, each on its own half of the data: after a plain step they hold different parameters, after
    `xm.optimizer_step` the same.

    ## References
    - pytorch/xla #2076
    """

    code = "XLA506"
    name = "missing-gradient-reduction"
    severity = Severity.ERROR
    only_definite = True
    yields_to = ("XLA515", "XLA701")

    def judge(self, event: OptimizerStepped, state: View) -> Iterator[Finding]:
        replicas = state.replicas
        if not event.unreduced or state.opaque or event.assumes:
            return
        # Who joins a group of XLA replicas was started beside them, by `torchrun` or the like.
        is_started = replicas.launched is None and replicas.backend == "xla"
        if not (replicas.launched or is_started) or replicas.wrapped is not False or replicas.spmd:
            return
        yield self.finding(
            event,
            "trains incorrectly: each replica updates its model by its own gradients, and the models part",
            help="call `xm.optimizer_step(optimizer)` in its place, which sums the gradients first",
            cures=(ByHand(event.site, title="Step by `xm.optimizer_step(optimizer)`"),),
        )
