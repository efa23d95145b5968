"""XLA201: a loop ends its steps by hand, where a step scope does the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xlalint.diagnostic import Severity
from xlalint.lazy.events import Cause, Event, LoopLeft
from xlalint.lazy.state import State
from xlalint.lazy.values import NOTHING
from xlalint.rule import Finding, Rule

_STEP_SCOPE_SINCE = (2, 4)


class ManualStepMarker(Rule):
    """
    ## What it does
    Finds loops that end each step by hand, with `torch_xla.sync()`, `xm.mark_step()` or an
    `xm.add_step_closure`, where `with torch_xla.step():` around the loop body does the same. Silent
    where the marker is conditional, in an inner loop over micro-batches, with
    `batches_per_execution`, and under a profiler scope.

    ## Why is this bad?
    The loop is easy to break: a read above the marker runs the step twice, an early exit leaves the
    step unfinished, and a closure runs somewhere else than it is written. With `with
    torch_xla.step():` the block is the step, and the lines below it can read and log as usual.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
    ```

    ## Use instead
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

    ## Fix safety
    No fix yet. Moving the loop body into a step, with reads and closures below it, is unsafe where
    their order matters.

    ## On the engine
    No harm to measure: ten steps launch 10 graphs in both forms, with equal parameters.

    ## References
    - [RFC #6751](https://github.com/pytorch/xla/issues/6751), the step scope
    """

    code = "XLA201"
    name = "manual-step-marker"
    severity = Severity.INFO
    events = (LoopLeft,)
    yields_to = ("XLA301", "XLA205")

    def judge(self, event: Event, state: State) -> Iterator[Finding]:
        if not isinstance(event, LoopLeft) or self.target.low < _STEP_SCOPE_SINCE or state.in_forward:
            return
        own = {deed.what for deed in event.done if not deed.nested}
        done = {deed.what for deed in event.done}
        if not done & {"backward", "optimizer step", "heavy work"} or done & _STATED or state.eager:
            return
        if state.step is not None or state.profiler is not None or state.in_forward:
            return
        if state.in_loop and "backward" in done and "optimizer step" not in done:
            # Micro-batches: a step scope around each would cut between the last one and the optimizer step.
            return
        if Cause.MARKER.value in own and Cause.BARRIER.value not in own and event.recorded == NOTHING:
            # Nothing is left at the end of any iteration: the marker is not conditional.
            what, message = Cause.MARKER.value, "easy to break: this marker ends each step by hand"
            help = "put the loop body in `with torch_xla.step():` and remove the marker"
        elif "closure" in own and "cut" in done:
            what, message = "closure", "easy to break: this closure runs later, at the end of a step"
            help = "put the step in `with torch_xla.step():` and call the function below that block"
        else:
            return
        sites = sorted(
            deed.site
            for deed in event.done
            if deed.what == what and not deed.nested and deed.site is not None
        )
        # Of several markers the last one ends the step; the others split it.
        for site in sites[-1:] if what == Cause.MARKER.value else sites:
            yield replace(self.finding(event, message, help=help), path=(site,))


# Deeds of a loop whose steps are scopes already, or whose cuts are not one per iteration.
_STATED = {"step scope", "maybe cut", Cause.STEP_TRACE.value}
