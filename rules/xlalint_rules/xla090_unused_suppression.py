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
    suppress no diagnostic. Codes of rules that are turned off, codes of other tools and a bare `#
    noqa` are never reported.

    A comment that is not written as it must be silences nothing, and is reported too: a bracket is not
    closed, codes stand without brackets (`# xlalint: ignore XLA101`), no rule has the code, or the word
    behind `xlalint:` is neither `ignore` nor `ignore-file`. A bare `# xlalint: ignore` silences every
    rule on its line. Other words behind it, or behind the bracket, are the reason.

    ## Why is this bad?
    The comment hides the next real problem on its line. It is left over from code that was fixed,
    or it names the wrong code. One that is not written as it must be hides nothing, although it seems to.

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
    Safe: the codes that suppress nothing leave the comment, and with the last of them it goes. A
    comment that is not written as it must be stays: the help shows the right one, as nobody but its
    author knows whether that is meant.

    ## On the engine
    Not proven: comments do not run.

    ## References
    - [Unused `noqa` in ruff](https://docs.astral.sh/ruff/rules/unused-noqa/)
    """

    code = "XLA090"
    name = "unused-suppression"
    severity = Severity.WARNING

    def judge(self, event: SuppressionUnused, state: View) -> Iterator[Finding]:
        named = ", ".join(f"`{code}`" for code in event.codes)
        if event.fault:
            yield self._not_as_written(event, named)
            return
        cure = DropSuppression(
            event.site, event.codes, title="Delete what suppresses nothing", applicability=Applicability.SAFE
        )
        yield self.finding(
            event,
            f"unused: no {named} is reported here" if named else "unused: nothing is reported here",
            help=f"delete {named} from the comment" if named else "delete the comment",
            cures=(cure,),
        )

    def _not_as_written(self, event: SuppressionUnused, named: str) -> Finding:
        """What is said of a comment that somebody relies on; so no cure deletes it."""
        silence = "silence" if len(event.codes) > 1 else "silences"
        if not event.meant:
            help = "run `xlalint rules` to list all rules"
        elif named:
            help = f"did you mean `{event.meant}`?"
        else:
            help = f"write `{event.meant}`"
        return self.finding(event, f"{named or 'this comment'} {silence} nothing: {event.fault}", help=help)
