"""XLA902: training that only the hidden cut of its loader makes run."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import WrapBody
from xlalint.diagnostic import Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import LoopLeft
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class ImplicitMarker(Rule[LoopLeft]):
    """
    ## What it does
    Finds training loops whose steps end by nothing but the hidden graph cut of an `MpDeviceLoader` or
    `ParallelLoader`, before it hands out the next batch.

    ## Why is this bad?
    Over any other loader the same loop runs nothing: the graph grows with each batch. No line of the program
    says where a step ends, so that nobody who moves it to another backend can see what has to be kept.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], device):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], device):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    Unsafe: the loop body goes into a step, with its reads and closures below it. The loader goes on to
    cut, and finds nothing to run. Each graph cut advances the device's random state, so dropout draws other
    numbers.

    ## On the engine
    No harm to measure: both forms launch the same graphs, with equal parameters.

    ## References
    - [RFC #6751](https://github.com/pytorch/xla/issues/6751), the step scope
    - [RFC #9684](https://github.com/pytorch/xla/issues/9684), a native device without lazy tensors
    """

    code = "XLA902"
    name = "implicit-marker"
    severity = Severity.INFO
    enabled = False
    of_text = True

    def judge(self, event: LoopLeft, state: View) -> Iterator[Finding]:
        loop, done, scopes = event.loop, event.loop.all, state.scopes
        if event.site.in_framework:
            return  # the loop is not the user's
        if scopes.step is not None or scopes.profiler is not None or scopes.in_forward or state.eager:
            return
        if not (loop.own.steps and done.backward and done.works) or done.opens_step or done.may_cut:
            return
        if not loop.own.cut_sites(Cause.LOADER) or {cause for cause, _ in done.cut_by} != {Cause.LOADER}:
            return
        yield self.finding(
            event,
            "over another loader this loop runs nothing: only a hidden cut of the loader ends its steps",
            help="put the loop body in `with torch_xla.step():`",
            cures=(WrapBody(event.site, below=tuple(loop.closures)).of_loop(done.fetches),),
        )
