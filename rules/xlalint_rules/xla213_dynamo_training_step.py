"""XLA213: a training step compiled by `torch.compile`."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.knowledge import dynamo
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions
from xlalint.lazy.events import DynamoRan, LoopLeft
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class DynamoTrainingStep(Rule[DynamoRan | LoopLeft]):
    """
    ## What it does
    Finds training steps of which `torch.compile(..., backend="openxla")` has compiled the model, or the
    whole.

    ## Why is this bad?
    Each step runs several graphs instead of one, four in most programs. Dynamo cuts a step into the
    forward, the backward and the optimizer's update; each of them is a graph of its own that keeps what it
    computes in the memory of the device for the next one, and XLA can optimize none of them with another.

    `torch_xla.compile` of the step function records all of it as one graph. For inference
    `torch.compile` is good.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(3)]


    def train_step(batch):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        return loss


    step = torch.compile(train_step, backend="openxla")
    for batch in batches:
        loss = step(batch.to("xla"))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(3)]


    def train_step(batch):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        return loss


    step = torch_xla.compile(train_step)
    for batch in batches:
        loss = step(batch.to("xla"))
    ```

    ## Fix safety
    Only shown: Dynamo and the lazy engine do not accept the same programs.

    ## On the engine
    A step of two layers launches 4 graphs, whether the model is compiled or the step function; with
    `torch_xla.compile` of the step function it launches 1.

    ## References
    - [torch_xla 2.2](https://github.com/pytorch/xla/releases/tag/v2.2.0), "single step graph"
    - [torch.compile with torch_xla](https://docs.pytorch.org/xla/master/perf/dynamo.html)
    """

    code = "XLA213"
    name = "dynamo-training-step"
    severity = Severity.WARNING

    def judge(self, event: DynamoRan | LoopLeft, state: View) -> Iterator[Finding]:
        for site, assumes in _steps(event, state):
            yield self.finding(
                event,
                "each step runs several graphs instead of one: `torch.compile` cuts it into forward, "
                "backward and the optimizer's update",
                help="compile the function of the whole step by `torch_xla.compile`",
                at=site,
                assumes=assumes,
                cures=(ByHand(site, title="Compile the whole step by `torch_xla.compile`"),),
            )


def _steps(event: DynamoRan | LoopLeft, state: View) -> list[tuple[Site, Assumptions]]:
    """Where compiled parts of training steps run; nowhere where that is one graph all the same."""
    if state.eager or state.scopes.step is not None:
        return []
    if isinstance(event, DynamoRan):
        trains = event.trains and event.backend == dynamo.OF_XLA
        return [(event.site, assumptions.NONE)] if trains else []
    own = event.loop.own
    return sorted(own.dynamo, key=itemgetter(0)) if own.steps and event.loop.all.backward else []
