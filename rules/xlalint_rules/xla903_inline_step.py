"""XLA903: a training step that is no function of its own."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LoopLeft
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class InlineStep(Rule[LoopLeft]):
    """
    ## What it does
    Finds training loops whose step is no function: the loop itself computes gradients or steps the
    optimizer, or calls one function for this and another for that.

    ## Why is this bad?
    No compiler can be handed the step. A function of its own can be given to `torch_xla.compile` today and
    to `torch.compile` tomorrow, and its caller need not change.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.randn(4, 8).to(device)).square().mean()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


    def step_fn(batch):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        return loss


    for _ in range(3):
        with torch_xla.step():
            step_fn(torch.randn(4, 8).to(device))
    ```

    ## Fix safety
    Only shown: what the step takes and returns is for the author to decide.

    ## On the engine
    No harm to measure: both forms launch the same graphs, with equal parameters.

    ## References
    - [RFC #7253](https://github.com/pytorch/xla/issues/7253), compiled step functions
    - [RFC #9684](https://github.com/pytorch/xla/issues/9684), a native device without lazy tensors
    """

    code = "XLA903"
    name = "inline-step"
    severity = Severity.INFO
    enabled = False
    of_text = True

    def judge(self, event: LoopLeft, state: View) -> Iterator[Finding]:
        done = event.loop.all
        if not (event.loop.own.steps and done.backward and done.works) or state.scopes.in_forward:
            return
        if event.site.in_framework:
            return  # The loop is that of a framework, and the step is its own.
        if all(trained.whole and trained.function is not None for trained in done.trained):
            return  # There may be several, as where two models are trained in turn.
        yield self.finding(
            event,
            "no compiler can be handed this step: it is no function of its own",
            help="write the forward, the backward and the optimizer step as one function, and call it here",
            cures=(ByHand(event.site, title="Make the step a function"),),
        )
