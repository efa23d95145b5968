"""XLA092: the analyzer stopped at one of its bounds."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.lazy.events import BoundReached
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class IncompleteAnalysis(Rule[BoundReached]):
    """
    ## What it does
    Reports where the analyzer reached a bound: recursion, calls nested too deeply, too many
    contexts of one function, a function too large.

    ## Why is this bad?
    It is no hazard. But what lies beyond that place was not followed, so that silence there does
    not mean that all is well. Off by default; select it to see how far the analysis got.

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
    No fix: the code is not at fault.

    ## On the engine
    Not proven there: the engine has no such bounds.

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
            help="hazards beyond this place are not reported",
        )
