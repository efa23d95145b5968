"""XLA001: a name that torch_xla no longer has."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.knowledge import lifecycle, renames
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule
from xlalint.versions import show


class RemovedApi(Rule[ApiUsed]):
    """
    ## What it does
    Finds names and keywords of torch_xla that are gone in the newest release the code must run on
    (`target-version`), and says what took their place. Uses under a version test, under `hasattr`
    or in a `try` that catches `ImportError` or `AttributeError` are left alone.

    ## Why is this bad?
    The import or the call raises, at the latest when that line is reached; in code that only runs
    on many replicas or at the end of an epoch that may be hours into a run.

    ## Example
    ```python
    import torch_xla.core.xla_model as xm

    print(xm.get_ordinal(), "of", xm.xrt_world_size())
    ```

    ## Use instead
    ```python
    import torch_xla.runtime as xr

    print(xr.global_ordinal(), "of", xr.world_size())
    ```

    ## Fix safety
    No fix yet. Where the successor exists in every release of the target and does exactly the same,
    the name may be replaced without further thought; elsewhere the message says what differs.

    ## On the engine
    The programs that prove this rule raise `AttributeError`, `ImportError` or `TypeError`; with the
    successor they train.

    ## References
    - The releases of torch_xla themselves: `scripts/build_releases.py` reads the names of each
    """

    code = "XLA001"
    name = "removed-api"
    severity = Severity.ERROR

    def judge(self, event: ApiUsed, state: View) -> Iterator[Finding]:
        if event.protected:
            return
        life = lifecycle.of(event.name)
        subject = f"`{event.name}`"
        if life is not None and event.keyword and life.removed is None:
            life = life.keywords.get(event.keyword)
            subject = f"the keyword `{event.keyword}` of {subject}"
        elif event.keyword:
            return  # the function itself is reported
        if life is None or life.removed is None or life.removed > self.target.high:
            return
        where = f", and the target is {self.target}" if life.removed > self.target.low else ""
        yield self.finding(
            event,
            f"{subject} is gone since torch_xla {show(life.removed)}{where}",
            help=self._cure(life),
            cures=renames.cures(event, life, self.target),
        )

    def _cure(self, life: lifecycle.Lifecycle) -> str:
        if life.successor is None:
            return life.note or "there is nothing in its place"
        note = f"; {life.note}" if life.note else ""
        since = life.successor_since
        if since is not None and since > self.target.low:
            return f"from {show(since)} on use `{life.successor}`, before that ask for the version{note}"
        return f"use `{life.successor}`{note}"
