"""XLA202: a training loop in which nothing is ever executed."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import WrapBody
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LoopLeft
from xlalint.lazy.state import Activity, Loop, ScopeKind, View
from xlalint.lazy.values import Kind, Recorded, Weight, kinds_that
from xlalint.rule import Finding, Rule


class MissingStepMarker(Rule[LoopLeft]):
    """
    ## What it does
    Finds training loops, and loops over a loader without training, in which nothing runs the
    recorded operations: no `torch_xla.step()`, no `torch_xla.sync()`, no `MpDeviceLoader`, no
    `barrier=True`, and no read. Silent where xlalint cannot tell what the loop iterates over.

    ## Why is this bad?
    Nothing is executed and memory grows: torch_xla adds every iteration to one recorded graph. The
    first read then compiles all iterations at once, anew for every number of steps.
    `xm.optimizer_step(optimizer)` alone does not help, because its `barrier` is off by default.

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
    No fix yet. The program does not say where its steps end; a step around the loop body decides
    it.

    ## On the engine
    Ten steps over a plain `DataLoader` launch no graph and leave every parameter pending. With a
    step in each iteration they launch 10 and leave none.

    ## References
    - [PyTorch on XLA devices](https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html)
    """

    code = "XLA202"
    name = "missing-step-marker"
    severity = Severity.WARNING

    def judge(self, event: LoopLeft, state: View) -> Iterator[Finding]:
        if state.scopes.step is not None or state.scopes.of(ScopeKind.STEP_TRACE) is not None:
            return
        if state.opaque or state.eager or not _is_training_loop(event, state):
            return
        match event:
            case LoopLeft(
                recorded=Recorded(must=Weight.HEAVY),
                loop=Loop(all=Activity(cuts=False, may_cut=False, reads=False, opens_step=False)),
            ):
                yield self.finding(
                    event,
                    "memory grows and nothing is executed: each iteration adds to the work recorded since "
                    "{since}",
                    help="put the loop body in `with torch_xla.step():`, or iterate over `pl.MpDeviceLoader`",
                    since=state.since,
                    cures=(WrapBody(event.site, below=tuple(event.loop.closures)),),
                )


def _is_training_loop(event: LoopLeft, state: View) -> bool:
    kind = event.over.kind if event.over is not None else None
    if kind in _MAY_BE_LOADER:
        return False
    own = event.loop.own
    if own.steps:
        return True
    # The loop around an inference loop may cut the graph, and has its own event. A loop that only adds up
    # gradients makes one graph on purpose, or its optimizer steps on the host.
    return not state.scopes.in_loop and kind is Kind.LOADER and not own.backward


_MAY_BE_LOADER = kinds_that("may_be_loader")
