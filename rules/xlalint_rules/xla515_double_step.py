"""XLA515: an optimizer applies the same gradients twice."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import SteppedAgain
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class DoubleStep(Rule[SteppedAgain]):
    """
    ## What it does
    Finds an optimizer that steps twice with the same gradients: by `optimizer.step()` and by
    `xm.optimizer_step(optimizer)`, in whatever order and in whatever functions.

    ## Why is this bad?
    The model trains incorrectly, and no error is raised. `xm.optimizer_step` sums the gradients over the
    replicas and then calls `optimizer.step()` itself. So each batch counts twice, and the step without
    the sum moves every replica by its own gradients: the replicas no longer hold the same parameters.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
            xm.optimizer_step(optimizer)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            xm.optimizer_step(optimizer)
    ```

    ## Fix safety
    Only shown: without `optimizer.step()` all numbers change, and a learning rate that was found with two
    steps for each batch no longer fits.

    ## On the engine
    Two replicas, each on its own half of the data: with both steps they end with different parameters,
    with `xm.optimizer_step` alone with the same.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`optimizer_step`)
    """

    code = "XLA515"
    name = "double-step"
    severity = Severity.ERROR

    def judge(self, event: SteppedAgain, state: View) -> Iterator[Finding]:
        if state.opaque or event.assumes:
            return  # an unknown callee may have computed gradients
        yield self.finding(
            event,
            "trains incorrectly: the same gradients are applied here and on {later}",
            help="leave out `optimizer.step()`: `xm.optimizer_step(optimizer)` calls it",
            cures=(ByHand(event.path[-1], title="Keep `xm.optimizer_step` alone"),),
            later=Later(event.site, "the same gradients are applied again here"),
        )
