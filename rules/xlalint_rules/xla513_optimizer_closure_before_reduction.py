"""XLA513: a closure computes gradients after the replicas' gradients were summed."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import OptimizerStepped
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class OptimizerClosureBeforeReduction(Rule[OptimizerStepped]):
    """
    ## What it does
    Finds `xm.optimizer_step(optimizer, optimizer_args={"closure": closure})`.

    ## Why is this bad?
    `xm.optimizer_step` sums the gradients over the replicas first and then calls `optimizer.step(closure)`,
    which calls the closure, whose backward computes new gradients. These are applied as they are: each
    replica trains alone, and no error is raised. What is summed is what the step before has left; where there
    is nothing, as in the first step, torch_xla 2.9 ends the process.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def closure():
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            return loss

        with torch_xla.step():
            optimizer.zero_grad()
            xm.optimizer_step(optimizer, optimizer_args={"closure": closure})


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

        def closure():
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            return loss

        with torch_xla.step():
            optimizer.zero_grad()
            closure()
            xm.optimizer_step(optimizer)


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: an optimizer that calls its closure more than once, such as LBFGS, has to sum inside it.

    ## On the engine
    Two replicas: with the closure passed on, the first step ends the process, as there are no gradients to
    sum yet. With it called before, they train and end with the same parameters.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`optimizer_step`)
    """

    code = "XLA513"
    name = "optimizer-closure-before-reduction"
    severity = Severity.ERROR
    only_definite = True
    of_text = True  # what a closure does is asked of the source

    def judge(self, event: OptimizerStepped, state: View) -> Iterator[Finding]:
        replicas = state.replicas
        if not event.closure or event.assumes or not replicas.launched or replicas.spmd:
            return
        if replicas.wrapped is not False:
            return
        yield self.finding(
            event,
            "trains incorrectly: the closure computes gradients after `xm.optimizer_step` has summed them, "
            "so each replica applies its own",
            help="call the closure first, then `xm.optimizer_step(optimizer)` without it",
            cures=(ByHand(event.site, title="Call the closure above"),),
        )
