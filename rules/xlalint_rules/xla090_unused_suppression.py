"""XLA090: a suppression that suppresses nothing."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import DropSuppression
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.events import SuppressionUnused
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class UnusedSuppression(Rule[SuppressionUnused]):
    """
    ## What it does
    Finds `# xlalint: ignore[...]`, `# xlalint: ignore-file[...]` and `# noqa: XLA...` comments that
    silence no diagnostic. Only rules that are checked count, a bare `# noqa` never does, and codes
    of other tools are none of its business.

    ## Why is this bad?
    A suppression that outlived its hazard, or that names the wrong code, hides the next one.

    ## Example
    ```python
    import torch_xla

    torch_xla.sync()  # xlalint: ignore[XLA101] the loss is wanted here
    ```

    ## Use instead
    ```python
    import torch_xla

    torch_xla.sync()
    ```

    ## Fix safety
    No fix yet.

    ## On the engine
    Not proven there: comments do not run.

    ## References
    - [Unused `noqa` in ruff](https://docs.astral.sh/ruff/rules/unused-noqa/)
    """

    code = "XLA090"
    name = "unused-suppression"
    severity = Severity.WARNING

    def judge(self, event: SuppressionUnused, state: View) -> Iterator[Finding]:
        named = ", ".join(f"`{code}`" for code in event.codes)
        cure = DropSuppression(
            event.site, event.codes, title="Remove what silences nothing", applicability=Applicability.SAFE
        )
        yield self.finding(
            event,
            f"no {named} is silenced here" if named else "nothing is silenced here",
            help=f"remove {named} from the comment" if named else "remove the comment",
            cures=(cure,),
        )
