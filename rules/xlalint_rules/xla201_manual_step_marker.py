"""XLA201: a loop ends its steps by hand, where a step scope does the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xlalint.cure import WrapBody
from xlalint.diagnostic import Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import LoopLeft
from xlalint.lazy.state import Loop, View
from xlalint.lazy.values import Recorded, Weight
from xlalint.rule import Finding, Rule

_STEP_SCOPE_SINCE = (2, 4)


class ManualStepMarker(Rule[LoopLeft]):
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
    Unsafe: the loop body goes into a step, and closures become calls below it. Each graph cut
    advances the device's random state, so dropout draws other numbers. Closures that run in another
    thread or capture variables of the loop, and markers under a condition, stay.

    ## On the engine
    No harm to measure: ten steps launch 10 graphs in both forms, with equal parameters.

    ## References
    - [RFC #6751](https://github.com/pytorch/xla/issues/6751), the step scope
    """

    code = "XLA201"
    name = "manual-step-marker"
    severity = Severity.INFO
    of_text = True
    yields_to = ("XLA301", "XLA205")

    def judge(self, event: LoopLeft, state: View) -> Iterator[Finding]:
        scopes, activity = state.scopes, event.loop.all
        if scopes.step is not None or scopes.profiler is not None or scopes.in_forward or state.eager:
            return
        if self.target.low < _STEP_SCOPE_SINCE or not (activity.works or activity.trains):
            return
        if activity.opens_step or activity.cut_sites(Cause.STEP_TRACE):
            return  # Its steps are scopes already.
        if activity.may_cut or event.loop.nested.cuts:
            return  # Its cuts are not one per iteration: of an epoch, the steps are those of the loop inside.
        if scopes.in_loop and activity.backward and not activity.steps:
            # Micro-batches: a step scope around each would cut between the last one and the optimizer step.
            return
        loop = event.loop
        cure = WrapBody(event.site, markers=tuple(loop.markers), below=tuple(loop.closures))
        cure = replace(cure.of_loop(activity.fetches), meets=tuple(activity.cut_sites(Cause.RENDEZVOUS)))
        match event:
            # Nothing is left at the end of any iteration: the marker is not conditional. Of several
            # markers the last one ends the step; the others split it.
            case LoopLeft(recorded=Recorded(may=Weight.NONE), loop=Loop(markers=[*_, marker])):
                yield self.finding(
                    event,
                    "easy to break: this marker ends each step by hand",
                    help="put the loop body in `with torch_xla.step():` and remove the marker",
                    at=marker,
                    cures=(cure,),
                )
            case LoopLeft(loop=Loop(closures=closures, cuts=True)):
                # Those that a framework adds are not the user's to move.
                for closure in [site for site in closures if not site.in_framework]:
                    yield self.finding(
                        event,
                        "easy to break: this closure runs later, at the end of a step",
                        help="put the step in `with torch_xla.step():` and call the function below "
                        "that block",
                        at=closure,
                        cures=(cure,),
                    )
