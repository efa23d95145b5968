"""XLA001: a name that torch_xla has removed."""

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
    Finds names and keywords of torch_xla that were removed by the newest release the code must run
    on (`target-version`), and names the replacement. Modules and names of torch that are gone, such as
    `torch._six`, are told where they are imported, too. Silent under a version test, under `hasattr`, and
    in a `try` that catches `ImportError` or `AttributeError`.

    ## Why is this bad?
    The import or the call raises as soon as the program gets there. In code that runs at the end of
    an epoch, or only on many replicas, that may be hours into a run. What comes after such an import is
    told as information, unless a fix writes the new name: it happens only when the import is mended.

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
    Safe where the replacement does exactly the same and exists in every release of the target: the
    name, its arguments and the imports are rewritten. Unsafe for `pjrt.spawn`, as `torch_xla.launch`
    starts a replica on each device that there is, and for a keyword that has gone without a successor,
    which is left out. All others are only shown, and the help says what differs.

    ## On the engine
    The example programs of this rule raise `AttributeError`, `ImportError` or `TypeError`; with the
    replacement they train.

    ## References
    - The releases of torch_xla themselves: `scripts/build_releases.py` reads the names of each
    """

    code = "XLA001"
    name = "removed-api"
    severity = Severity.ERROR
    raises = True

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
        where = f"; the code must run on {self.target}" if life.removed > self.target.low else ""
        yield self.finding(
            event,
            f"{subject} was removed in {_package(event.name)} {show(life.removed)}{where}",
            help=self._cure(life),
            cures=renames.cures(event, life, self.target),
        )

    def _cure(self, life: lifecycle.Lifecycle) -> str:
        if life.successor is None:
            return life.note or "remove it: nothing replaces it"
        note = f"; {life.note}" if life.note else ""
        since = life.successor_since
        if since is not None and since > self.target.low:
            return f"use `{life.successor}` from {show(since)} on, and test the version before that{note}"
        return f"use `{life.successor}`{note}"


def _package(name: str) -> str:
    """The package whose releases count: that of torch_xla was called otherwise before its first."""
    return "torch" if name.startswith("torch.") else "torch_xla"
