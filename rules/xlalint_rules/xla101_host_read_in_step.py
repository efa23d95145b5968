"""XLA101: a device value is read on the host before its step has ended."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import MoveBelow
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead, Reading
from xlalint.lazy.state import ScopeKind, View
from xlalint.lazy.values import Kind, Weight
from xlalint.rule import Finding, Rule


class HostReadInStep(Rule[HostRead]):
    """
    ## What it does
    Finds reads of device values on the host (`.item()`, `.cpu()`, `float()`, `print`, an f-string,
    a logger, `writer.add_scalar`, a condition) inside `torch_xla.step()` or a function compiled by
    `torch_xla.compile`, at any depth of calls.

    ## Why is this bad?
    Until the step ends its work is only recorded. A read cannot wait for that: it launches what its
    value needs at once, the host waits, and the end of the step launches the same work again. Under
    `full_graph=True` the read raises instead.

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
    No fix yet. Moving a read below the scope changes when it happens; where its result decides what
    the rest of the step records, it cannot move at all.

    ## On the engine
    Ten steps that read their loss inside the scope launch 20 graphs, below it 10; losses and
    parameters are equal bit for bit.

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
        if scope is None or not _may_launch(event):
            return
        if scope.kind is ScopeKind.FULL_GRAPH:
            harm = "`full_graph=True` raises here"
        else:
            harm = "what the step has recorded for it runs now, and again when the step ends"
        yield self.finding(
            event,
            f"`{event.spelling}` reads a device value on the host inside the step that opens on "
            f"{{owner}}: {harm}",
            help="read it below the step, once that has run",
            owner=scope,
            cures=(MoveBelow(event.site, scope, title="Move the read below the step"),),
        )


def _may_launch(event: HostRead) -> bool:
    value = event.value
    if value.is_device:
        sure_enough = value.sure or event.reading is Reading.EXPLICIT
        return sure_enough and value.recorded.must >= Weight.LIGHT
    # In a step whoever calls `.item()` means a tensor, even where we cannot see that it is one.
    return value.kind is Kind.UNKNOWN and event.reading is Reading.EXPLICIT
