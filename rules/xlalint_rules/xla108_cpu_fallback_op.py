"""XLA108: the host runs an operation in the middle of a step, as torch_xla cannot record it."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.knowledge.fallbacks import instead, plain
from xlalint.lazy.events import FellBack
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class CpuFallbackOp(Rule[FellBack]):
    """
    ## What it does
    Finds operations that torch_xla has no recording of, so that the host runs them: an index by a mask,
    `nonzero`, `unique`, `bincount`, `grid_sample`. A warning in a step or a loop, otherwise an info. Which
    operations these are depends on the version of torch_xla, so only the guard (`xlalint run`) reports them.

    ## Why is this bad?
    What the operation needs is launched, its inputs are copied to the host, and its result is copied back.
    The device waits for all of it, in each step again.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    values = torch.randn(64, 8).to(device)
    for step in range(10):
        with torch_xla.step():
            values = values - 0.1 * values[values > 0].mean()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    values = torch.randn(64, 8).to(device)
    for step in range(10):
        with torch_xla.step():
            positive = values > 0
            values = values - 0.1 * torch.where(positive, values, 0.0).sum() / positive.sum()
    ```

    ## Fix safety
    Nothing is changed for you: what computes the same on the device has to be written by hand.

    ## On the engine
    Ten steps with `values[values > 0]` launch 20 graphs, with `torch.where` 10. The counters of the engine
    whose names begin with `aten::` say which operations the host has run.

    ## References
    - [Troubleshooting: lack of lowering](https://docs.pytorch.org/xla/master/learn/troubleshoot.html)
    """

    code = "XLA108"
    name = "cpu-fallback-op"
    severity = Severity.WARNING
    of_runs = True

    def judge(self, event: FellBack, state: View) -> Iterator[Finding]:
        hot = state.scopes.in_loop or state.scopes.step is not None
        yield self.finding(
            event,
            f"the host runs `{plain(event.operation)}`, and the device waits for it: torch_xla cannot record "
            "this operation",
            help=instead(event.operation),
            severity=Severity.WARNING if hot else Severity.INFO,
        )
