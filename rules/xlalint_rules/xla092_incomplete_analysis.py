"""XLA092: the analyzer stopped at one of its limits."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.lazy.events import BoundReached
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class IncompleteAnalysis(Rule[BoundReached]):
    """
    ## What it does
    Reports where the analyzer gave up: at recursion, at calls nested too deeply, at a function
    called in too many different states, or at a function that is too large.

    ## Why is this bad?
    The code itself may be fine. But xlalint did not look beyond this place, so its silence there
    proves nothing. Off by default: select it to see how much was analyzed.

    ## Example
    ```python
    import torch_xla


    def settle(tries: int) -> None:
        if tries:
            torch_xla.sync()
            settle(tries - 1)


    settle(3)
    ```

    ## Use instead
    ```python
    import torch_xla


    def settle(tries: int) -> None:
        for _ in range(tries):
            torch_xla.sync()


    settle(3)
    ```

    ## Fix safety
    No fix: the code is not wrong.

    ## On the engine
    Not proven: torch_xla has no such limits.

    ## References
    - [ARCHITECTURE.md](https://github.com/xlalint/xlalint/blob/main/ARCHITECTURE.md), how calls are followed
    """

    code = "XLA092"
    name = "incomplete-analysis"
    severity = Severity.INFO
    enabled = False

    def judge(self, event: BoundReached, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"the analysis stopped here: {event.bound}",
            help="xlalint reports nothing beyond this place",
        )
