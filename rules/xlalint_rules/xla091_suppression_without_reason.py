"""XLA091: a suppression that does not say why."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.lazy.events import SuppressionUnexplained
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class SuppressionWithoutReason(Rule[SuppressionUnexplained]):
    """
    ## What it does
    Finds `# xlalint: ignore`, `# xlalint: ignore-file` and `# noqa: XLA...` comments behind which no
    reason stands. Any words are one, up to the next `#`. Comments for other tools are left alone.

    ## Why is this bad?
    Nobody can tell whether the diagnostic was wrong, or right and accepted, or whether somebody only
    wanted the check to pass. So the comment stays, long after what it was for has gone.

    ## Example
    ```python
    import torch_xla

    torch_xla.sync()  # xlalint: ignore[XLA206]
    ```

    ## Use instead
    ```python
    import torch_xla

    torch_xla.sync()  # xlalint: ignore[XLA206] the benchmark counts this cut
    ```

    ## Fix safety
    There is no fix: only the author knows the reason. `--add-ignore=REASON` writes one behind each new
    comment.

    ## On the engine
    Not proven: comments do not run.

    ## References
    - [Suppressions](https://github.com/xlalint/xlalint/blob/main/README.md#suppressions)
    """

    code = "XLA091"
    name = "suppression-without-reason"
    severity = Severity.INFO
    enabled = False

    def judge(self, event: SuppressionUnexplained, state: View) -> Iterator[Finding]:
        named = ", ".join(f"`{code}`" for code in event.codes)
        yield self.finding(
            event,
            f"nobody can tell why {named or 'everything'} is silenced here",
            help="write the reason behind the comment: `# xlalint: ignore[CODE] reason`",
        )
