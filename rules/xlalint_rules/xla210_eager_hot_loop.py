"""XLA210: a training loop in eager mode that nothing compiles."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import AS_ONE_GRAPH, CompileFunction, Cure, WrapBody
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.events import LoopLeft
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class EagerHotLoop(Rule[LoopLeft]):
    """
    ## What it does
    Finds training loops under `torch_xla.experimental.eager_mode(True)` in which nothing is compiled:
    no function made by `torch_xla.compile`, no `torch_xla.step()`. Silent in
    `with eager_mode_context(True):`, which somebody wrote around just this loop.

    ## Why is this bad?
    In eager mode torch_xla launches a graph for every single operation, and fuses nothing. That is
    meant for what runs once, such as preparing data. A training step is some hundred operations, in
    every iteration.

    ## Example
    ```python
    import torch
    import torch_xla

    torch_xla.experimental.eager_mode(True)
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
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    torch_xla.experimental.eager_mode(True)
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
    Unsafe: the function that does the whole step is compiled, or where the loop does it itself, its
    body goes into a step. Results differ in the last digits, because operations are fused, and
    random numbers differ. With `full_graph=True`, which is only shown, whatever cuts the graph
    inside raises an error.

    ## On the engine
    Ten steps of a small trainer launch 556 graphs, and with a compiled step function 14.

    ## References
    - [RFC #7253](https://github.com/pytorch/xla/issues/7253), eager mode
    """

    code = "XLA210"
    name = "eager-hot-loop"
    severity = Severity.WARNING
    only_definite = True

    def judge(self, event: LoopLeft, state: View) -> Iterator[Finding]:
        loop = event.loop
        if not state.eager or state.scopes.step is not None or loop.all.opens_step:
            return
        if state.scopes.of(ScopeKind.EAGER) is not None:
            return  # It is on for this stretch of the program only, such as to look at the first steps.
        if not (loop.own.steps and loop.all.backward):
            return
        step = loop.step_function
        cures: tuple[Cure, ...] = (WrapBody(event.site, changes=AS_ONE_GRAPH),)
        if step is not None and step.function is not None:
            launched = state.replicas.launched is True
            cures = (
                CompileFunction(step.function, decorate=launched),
                CompileFunction(
                    step.function,
                    full_graph=True,
                    decorate=launched,
                    title="Compile the step function with `full_graph=True`",
                    applicability=Applicability.SHOWN,
                ),
            )
        yield self.finding(
            event,
            "each operation is launched by itself: eager mode is on, and nothing compiles this training step",
            help="compile the step function by `torch_xla.compile`, or put the step in "
            "`with torch_xla.step():`",
            cures=cures,
        )
