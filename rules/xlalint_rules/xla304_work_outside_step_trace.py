"""XLA304: a part of the training step that `StepTrace` does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import TrainedUntraced
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class WorkOutsideStepTrace(Rule[TrainedUntraced]):
    """
    ## What it does
    Finds `xp.StepTrace` scopes that end before the backward or the optimizer step of their step.

    ## Why is this bad?
    The profile shows a step without its most expensive part, and the step runs as two graphs: at its end
    `StepTrace` cuts the graph, and what follows is another one, which no step in the profile accounts for.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.debug.profiler as xp

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for step in range(3):
        with xp.StepTrace("train", step_num=step):
            optimizer.zero_grad()
            loss = model(torch.randn(4, 8).to("xla")).square().mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.debug.profiler as xp

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for step in range(3):
        with xp.StepTrace("train", step_num=step):
            optimizer.zero_grad()
            loss = model(torch.randn(4, 8).to("xla")).square().mean()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    Only shown: move what belongs to the step into the block. A marker below it is superfluous then.

    ## On the engine
    Six steps launch 12 graphs, and 6 where the block holds all of the step.

    ## References
    - [Profiling](https://docs.pytorch.org/xla/master/learn/xla-profiling.html)
    """

    code = "XLA304"
    name = "work-outside-step-trace"
    severity = Severity.INFO
    only_definite = True

    def judge(self, event: TrainedUntraced, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            "the profile shows a part of the step only: this `StepTrace` ends, and cuts the graph, before "
            "the training on {later}",
            help="move the rest of the step into the block",
            later=Later(event.site, "the step goes on here"),
            cures=(ByHand(event.path[-1], title="Move the rest of the step into the block"),),
        )
