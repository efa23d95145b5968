"""XLA003: an environment variable that torch_xla no longer reads, or that has a successor."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, DropSetting
from xlalint.diagnostic import Severity
from xlalint.knowledge import environment
from xlalint.lazy.events import VariableUsed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class LegacyEnvironmentVariable(Rule[VariableUsed]):
    """
    ## What it does
    Finds environment variables of former releases that are set in Python or for a program that is
    started: `XRT_*`, `XLA_USE_BF16`, `XLA_DOWNCAST_BF16`, `XLA_USE_FP16`, `XLA_USE_SPMD`,
    `GPU_NUM_DEVICES`. Where they are only asked for, an info. Silent where the code must also run on a
    release that needs them (`target-version`).

    ## Why is this bad?
    Most of them do nothing any more: the program runs on another device, or on fewer replicas, than its
    author believes. `XLA_USE_BF16` still works, and rounds every float32 tensor of the program: also a
    checkpoint that says float32 holds the rounded numbers.

    ## Example
    ```python
    import os

    os.environ["XLA_USE_BF16"] = "1"

    import torch
    import torch_xla

    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(4, 1).to(torch_xla.device(), torch.bfloat16)
    ```

    ## Fix safety
    A statement that only sets a variable of XRT or `GPU_NUM_DEVICES` goes, unsafe: a program that is
    started later may ask for it. All else is shown: what takes its place concerns other parts of the
    program.

    ## On the engine
    With `XLA_USE_BF16=1`, 1.001 on the device reads 1.0 in torch_xla 2.9, and its type is float32: also
    where the program sets the variable itself, before its first tensor. Set after that, it has no effect at
    all; to ask for the device makes no tensor. All that torch_xla says of it is one line.

    ## References
    - pytorch/xla #8915, #7150
    - https://github.com/pytorch/xla/blob/master/docs/source/learn/migration-to-xla-on-tpus.md
    """

    code = "XLA003"
    name = "legacy-environment-variable"
    severity = Severity.WARNING

    def judge(self, event: VariableUsed, state: View) -> Iterator[Finding]:
        variable = environment.of(event.name)
        if variable is None or variable.debugs or variable.since > self.target.low:
            return
        yield self.finding(
            event,
            f"`{event.name}` {variable.harm}",
            help=variable.instead,
            severity=Severity.WARNING if event.sets else Severity.INFO,
            cures=tuple(_cures(event, variable)),
        )


def _cures(event: VariableUsed, variable: environment.Variable) -> Iterator[Cure]:
    if event.sets and not variable.is_read:
        yield DropSetting(
            event.site,
            event.name,
            title=f"Drop `{event.name}`",
            changes="programs started later do not see it",
        )
    yield ByHand(event.site, title=f"Replace `{event.name}`")
