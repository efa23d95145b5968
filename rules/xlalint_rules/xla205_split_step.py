"""XLA205: a marker in the middle of a training step."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Remove
from xlalint.diagnostic import Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Cut, StepSplit
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule

_BACKWARD = "backward from the optimizer step"


class SplitStep(Rule[StepSplit | Cut]):
    """
    ## What it does
    Finds markers (`torch_xla.sync()`, `xm.mark_step()`) between the forward pass and backward, between
    backward and the optimizer step, and in the `forward` of a module. An info; a warning in a
    `forward`, and directly before `xm.optimizer_step(..., barrier=True)`. Silent where gradients are
    accumulated and a cut ends every micro-batch, be it that of the loader for all but the last, and in a
    `forward` before all that it records. One before backward is told in loops whose rounds end with a cut,
    too.

    ## Why is this bad?
    One training step becomes several graphs. Each is compiled and launched on its own, gradients or
    activations are written to memory between them, and the compiler cannot fuse across. You may
    want that where a whole step does not compile or does not fit into memory: then suppress the
    diagnostic and give the reason.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        torch_xla.sync()
        xm.optimizer_step(optimizer, barrier=True)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
    ```

    ## Fix safety
    Unsafe: the marker goes. Without it the graph is larger, and may no longer compile or fit into
    memory.

    ## On the engine
    Ten steps with a marker before `optimizer_step(barrier=True)` launch 20 graphs, without it 10.
    Six steps with a marker before backward launch 12 graphs, without it 6.
    Five steps with a marker after each of three layers launch 20 graphs, without them 5.

    ## References
    - [litgpt #51](https://github.com/Lightning-AI/litgpt/issues/51), markers set on purpose
    """

    code = "XLA205"
    name = "split-step"
    severity = Severity.INFO
    yields_to = ("XLA301", "XLA204")

    def judge(self, event: StepSplit | Cut, state: View) -> Iterator[Finding]:
        cures = (Remove(event.path[-1], title="Remove the marker"),)
        match event:
            case StepSplit(before_barrier=before_barrier, before_backward=before_backward):
                parts = "the forward pass from backward" if before_backward else _BACKWARD
                yield self.finding(
                    event,
                    f"one step becomes two graphs: this marker separates {parts}",
                    help="delete this call; one `torch_xla.sync()` after `optimizer.step()` is enough",
                    severity=Severity.WARNING if before_barrier else None,
                    cures=cures,
                )
            case Cut(cause=Cause.MARKER, of_forward=True) if state.scopes.step is None and not state.eager:
                yield self.finding(
                    event,
                    "one step becomes several graphs: this marker cuts the graph inside `forward`",
                    help="delete this call; one `torch_xla.sync()` after `optimizer.step()` is enough",
                    severity=Severity.WARNING,
                    cures=cures,
                )
