"""XLA406: a loop inside a step goes round another number of times in each step."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ShapeVaries
from xlalint.lazy.state import View
from xlalint.lazy.values import Form
from xlalint.rule import Finding, Rule


class VaryingTripCount(Rule[ShapeVaries]):
    """
    ## What it does
    Finds loops that record device work and go round another number of times in each step: over
    `range(length)`, where `length` is read from the device or counts the steps, with no graph cut inside.

    ## Why is this bad?
    The whole step is compiled again for each number: the graph holds the work of all rounds, one after the
    other.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    x = torch.ones(8, 4).to(device)
    for step in range(1, 5):
        with torch_xla.step():
            for _ in range(step):
                x = model(x)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    x = torch.ones(8, 4).to(device)
    for step in range(1, 5):
        rounds = torch.tensor([step]).to(device)
        with torch_xla.step():
            for number in range(4):
                x = torch.where(rounds > number, model(x), x)
    ```

    ## Fix safety
    Only shown: the step then does the work of the most rounds each time, and leaves out what is too much.
    A tensor of one element is data; a whole number in a tensor without dimensions is a part of the graph.

    ## On the engine
    Four steps with one to four rounds compile four graphs, and one where each does four.

    ## References
    - [Recompilation](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    """

    code = "XLA406"
    name = "varying-trip-count"
    severity = Severity.WARNING

    def judge(self, event: ShapeVaries, state: View) -> Iterator[Finding]:
        if event.by is not Form.TRIPS or not state.scopes.in_loop:
            return
        yield self.finding(
            event,
            f"compiles again in each step: the loop over `{event.spelling}` goes round another number of "
            "times each time, and the graph holds all of its rounds",
            help="go round equally often in all steps, and choose by `torch.where` what counts; or cut the "
            "graph in each round",
            cures=(ByHand(event.site, title="Go round equally often"),),
        )
