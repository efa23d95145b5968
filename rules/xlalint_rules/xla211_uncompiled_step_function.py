"""XLA211: a function that is a whole training step and could be compiled."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import CompileFunction
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import LoopLeft
from xlalint.lazy.state import View
from xlalint.lazy.values import NOTHING
from xlalint.rule import Finding, Rule


class UncompiledStepFunction(Rule[LoopLeft]):
    """
    ## What it does
    Finds calls, in a training loop, of a function that does a whole training step: backward and
    optimizer step, without a read, a marker or a scope. Such a function can be compiled by
    `torch_xla.compile` as it stands.

    ## Why is this bad?
    The loop is right and fast as it is. But nothing holds it so: a `print(loss)` that somebody adds
    to the function runs each step twice, without a word. With `torch_xla.compile(...,
    full_graph=True)` it is an error, and the step is told apart from what surrounds it, which needs
    no marker. The rule is off by default.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


    def step_fn(batch):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        return loss


    for _ in range(3):
        step_fn(torch.randn(4, 8).to("xla"))
        torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


    @torch_xla.compile
    def step_fn(batch):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        return loss


    for _ in range(3):
        step_fn(torch.randn(4, 8).to("xla"))
    ```

    ## Fix safety
    Unsafe: the function gets the decorator `@torch_xla.compile`, or its object the compiled function
    in its place. Each graph cut advances the device's random state, so dropout draws other numbers.
    A marker that the loop has stays: XLA206 tells that it is redundant.

    ## On the engine
    No harm to measure: the same graphs are launched, with equal parameters.

    ## References
    - [RFC #7253](https://github.com/pytorch/xla/issues/7253), compiled step functions
    """

    code = "XLA211"
    name = "uncompiled-step-function"
    severity = Severity.INFO
    enabled = False
    of_text = True

    def judge(self, event: LoopLeft, state: View) -> Iterator[Finding]:
        loop, scopes = event.loop, state.scopes
        step = loop.step_function
        if step is None or step.function is None or not step.alone or state.eager:
            return
        if self.target.low < CompileFunction.since or loop.all.opens_step or loop.all.may_cut:
            return
        if scopes.step is not None or scopes.profiler is not None or scopes.in_forward:
            return
        # What ends each step now: the loader, or a marker in every iteration. Where several calls make one
        # graph on purpose, compiling the function would cut it.
        if not (loop.own.cut_sites(Cause.LOADER) or event.recorded == NOTHING):
            return
        if any(site != step.site for site in event.since):
            return  # Work beside the call would be launched by itself, outside the compiled step.
        launched = state.replicas.launched is not False
        shown = CompileFunction(
            step.function,
            full_graph=True,
            decorate=launched,
            title="Compile the step function with `full_graph=True`",
            applicability=Applicability.SHOWN,
        )
        yield self.finding(
            event,
            "a read or a marker that somebody adds to this step function would run its work twice, "
            "without a word",
            help="compile it: `torch_xla.compile(..., full_graph=True)` raises an error then",
            at=step.site,
            cures=(CompileFunction(step.function, decorate=launched), shown),
        )
