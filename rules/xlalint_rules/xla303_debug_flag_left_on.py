"""XLA303: what looks for faults, left on."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.knowledge import environment
from xlalint.lazy.events import AnomaliesSought, VariableUsed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class DebugFlagLeftOn(Rule[VariableUsed | AnomaliesSought]):
    """
    ## What it does
    Finds programs that switch on what is there to look for faults: autograd's anomaly mode, and
    environment variables such as `XLA_IR_DEBUG`, `XLA_SYNC_WAIT` and `PT_XLA_DEBUG`.

    ## Why is this bad?
    All runs are slow, not only the one in which a fault was looked for. Anomaly mode asks of each gradient
    whether it is a number, and each question runs what is recorded and waits for the answer.

    ## Example
    ```python
    import torch
    import torch_xla

    torch.autograd.set_detect_anomaly(True)
    model = torch.nn.Linear(8, 1).to("xla")
    model(torch.randn(4, 8).to("xla")).square().mean().backward()
    torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    model(torch.randn(4, 8).to("xla")).square().mean().backward()
    torch_xla.sync()
    ```

    ## Fix safety
    Only shown: set the variable in the shell for the run that needs it.

    ## On the engine
    One step in anomaly mode launches 21 graphs, without it 1. With `XLA_IR_DEBUG=1` the host needs
    a third more time for each step.

    ## References
    - [Troubleshooting](https://docs.pytorch.org/xla/master/learn/troubleshoot.html)
    """

    code = "XLA303"
    name = "debug-flag-left-on"
    severity = Severity.INFO
    enabled = False
    of_text = True

    def judge(self, event: VariableUsed | AnomaliesSought, state: View) -> Iterator[Finding]:
        if isinstance(event, AnomaliesSought):
            harm = f"`{event.spelling}` runs a graph for each gradient, to ask whether it is a number"
            instead = "switch it on for the run in which you look for a fault"
        else:
            variable = environment.of(event.name)
            if variable is None or not variable.debugs or not event.sets:
                return
            harm, instead = f"`{event.name}` {variable.harm}", variable.instead
        yield self.finding(event, harm, help=instead, cures=(ByHand(event.site, title="Take it out"),))
