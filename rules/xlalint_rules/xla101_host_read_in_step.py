"""XLA101: a device value is read on the host before its step has ended."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, MoveBelow
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule


class HostReadInStep(Rule[HostRead]):
    """
    ## What it does
    Finds values that are read from the device inside `torch_xla.step()` or inside a function
    compiled by `torch_xla.compile`: by `.item()`, `.cpu()`, `float()`, `print`, an f-string, a
    logger, `writer.add_scalar` or a condition, at any depth of calls.

    ## Why is this bad?
    The step is executed twice. torch_xla only records the operations of a step and runs them when
    the step ends. A read cannot wait that long: it runs what the value needs at once, and Python
    waits for the result. When the step ends, torch_xla runs the same operations again. Under
    `full_graph=True` the read raises an error instead.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(3)]

    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to("xla")).square().mean()
            loss.backward()
            optimizer.step()
            print(loss.item())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(3)]

    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to("xla")).square().mean()
            loss.backward()
            optimizer.step()
        print(loss.item())
    ```

    ## Fix safety
    Unsafe: the read moves below the step, so it happens later and sees what has changed by then. It
    stays where the rest of the step depends on its result. Out of a function that is one step it moves
    below each call, where all of them are seen and have what is read.

    ## On the engine
    Ten steps that read their loss inside the step launch 20 graphs, and 10 when they read it below.
    Losses and parameters are the same, bit for bit.

    ## References
    - [RFC #6751](https://github.com/pytorch/xla/issues/6751), the step scope
    - [Troubleshooting](https://docs.pytorch.org/xla/master/learn/troubleshoot.html)
    """

    code = "XLA101"
    name = "host-read-in-step"
    severity = Severity.WARNING
    yields_to = ("XLA106",)

    def judge(self, event: HostRead, state: View) -> Iterator[Finding]:
        scope = state.scopes.step
        if scope is None or not event.runs_device:
            return
        if scope.kind is ScopeKind.FULL_GRAPH:
            harm = "`full_graph=True` raises an error"
        elif event.value.is_device and event.value.recorded.may < Weight.HEAVY:
            harm = "launches a graph of its own, and blocks the host"
        else:
            harm = "the device runs the step twice, for the same result"
        help = "read the value below the step, after it has run"
        cure: Cure = MoveBelow(event.site, scope, title="Move the read below the step")
        if event.unless:
            help = f"pass `{event.unless}=False`: nothing is asked then"
            cure = ByHand(event.site, title=f"Pass `{event.unless}=False`")
        yield self.finding(
            event,
            f"{harm}: `{event.spelling}` reads a device value before the end of the step that opens on "
            "{owner}",
            help=help,
            owner=scope,
            cures=(cure,),
        )
