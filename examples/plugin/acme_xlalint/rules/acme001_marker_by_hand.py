"""ACME001: a step is marked by hand."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Cut
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class MarkerByHand(Rule[Cut]):
    """
    ## What it does
    Finds calls of `xm.mark_step()` and `torch_xla.sync()` in loops.

    ## Why is this bad?
    Acme's loops end their steps with `with torch_xla.step():`, so that a reader sees where a step
    begins and ends, and an error inside it does not leave half a step behind.

    ## Example
    ```python
    import torch
    import torch_xla

    weight = torch.ones(2, device="xla")
    for _ in range(3):
        weight = weight * 2
        torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    weight = torch.ones(2, device="xla")
    for _ in range(3):
        with torch_xla.step():
            weight = weight * 2
    ```

    ## Fix safety
    There is no fix.

    ## On the engine
    Both programs launch the same graphs. The rule is about how steps are written.

    ## References
    - Acme's guide, "Steps"
    """

    code = "ACME001"
    name = "marker-by-hand"
    severity = Severity.WARNING

    @classmethod
    def url(cls) -> str:
        """Where the rule is explained."""
        return "https://acme.example/guide#steps"

    def judge(self, event: Cut, state: View) -> Iterator[Finding]:
        """Speak of markers in loops."""
        if event.cause is Cause.MARKER and state.scopes.in_loop and state.scopes.step is None:
            yield self.finding(
                event,
                "a reader cannot see where this step begins: it is marked by hand",
                help="put the step into `with torch_xla.step():`",
            )
