"""XLA209: a step function that is compiled, and does not run as its author means."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import CompiledInVain, Fault
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class CompiledStepWithoutResult(Rule[CompiledInVain]):
    """
    ## What it does
    Finds compiled step functions that give their caller nothing: whose result is used though they return
    none, that are generators, or that are decorated by `@torch_xla.step` without the call.

    ## Why is this bad?
    The program fails or trains outside of the step. `torch_xla.step` takes no function and raises
    `TypeError`. Of a generator only the making is inside the step: its body runs when somebody asks for
    its values, outside. And what a step computes and does not return, its caller cannot read.

    ## Example
    ```python
    import torch
    import torch_xla


    @torch_xla.compile
    def train_step(model, batch):
        loss = model(batch).square().mean()
        loss.backward()


    loss = train_step(torch.nn.Linear(8, 1).to("xla"), torch.randn(4, 8).to("xla"))
    print(loss)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla


    @torch_xla.compile
    def train_step(model, batch):
        loss = model(batch).square().mean()
        loss.backward()
        return loss


    loss = train_step(torch.nn.Linear(8, 1).to("xla"), torch.randn(4, 8).to("xla"))
    print(loss)
    ```

    ## Fix safety
    Only shown: what the step should return, its author knows.

    ## On the engine
    `@torch_xla.step` raises `TypeError`. The tensors of a compiled generator are still pending when its
    caller gets them.

    ## References
    - https://github.com/pytorch/xla/blob/v2.9.0/torch_xla/torch_xla.py (`step`, `compile`)
    """

    code = "XLA209"
    name = "compiled-step-without-result"
    severity = Severity.ERROR
    only_definite = True
    of_text = True

    def judge(self, event: CompiledInVain, state: View) -> Iterator[Finding]:
        harm, help, title = _SAID[event.fault]
        severity = Severity.WARNING if event.fault is Fault.GENERATOR else Severity.ERROR
        cures = (ByHand(event.site, title=title),)
        yield self.finding(event, harm, help=help, severity=severity, cures=cures)


_SAID = {
    Fault.BARE: (
        "raises TypeError: `torch_xla.step` takes no function, it makes a scope",
        "decorate the function by `@torch_xla.step()` or `@torch_xla.compile`",
        "Call the decorator: `@torch_xla.step()`",
    ),
    Fault.GENERATOR: (
        "runs outside of the step: of a generator only the making is compiled, not its body",
        "return the values instead of yielding them",
        "Return the values",
    ),
    Fault.NO_RESULT: (
        "gets None: the compiled function returns nothing of what it computes",
        "return from the compiled function what its caller needs",
        "Return the results",
    ),
}
