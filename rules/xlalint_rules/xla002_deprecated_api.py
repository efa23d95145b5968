"""XLA002: a name of torch_xla that is deprecated or has a replacement."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.knowledge import lifecycle, renames
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule
from xlalint.versions import show


class DeprecatedApi(Rule[ApiUsed]):
    """
    ## What it does
    Finds names and keywords of torch_xla that are deprecated or have a replacement. The replacement
    must exist in the oldest release that the code must run on (`target-version`). Silent under a
    version test, and in a `try` that catches `ImportError`.

    ## Why is this bad?
    torch_xla removes deprecated names two releases later. Until then it raises a
    `DeprecationWarning`, which Python hides outside of `__main__`: users of a library do not see it
    before the name is gone.

    ## Example
    ```python
    import torch
    import torch_xla.core.xla_model as xm

    weights = torch.ones(4, device=xm.xla_device())
    xm.mark_step()
    print(weights)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    weights = torch.ones(4, device=torch_xla.device())
    torch_xla.sync()
    print(weights)
    ```

    ## Fix safety
    Safe where the replacement does exactly the same and every release of the target takes the
    arguments (`torch_xla.sync` takes `wait` since 2.5 and `reset_scope` since 2.8): the name, its
    arguments and the imports are rewritten.

    Unsafe for `xmp.spawn`: `torch_xla.launch` starts a replica on each device that there is, but for
    `nprocs=1`. Unsafe for a `ParallelLoader` of one device: the threads of an `MpDeviceLoader` start when
    it is iterated over. All others are only shown, and the help says what differs.

    ## On the engine
    Old and new names behave the same, so there is no harm to measure yet.

    ## References
    - The releases of torch_xla themselves: `scripts/build_releases.py` reads the names of each
    - [The grace period of two releases](https://github.com/pytorch/xla/issues/8000)
    """

    code = "XLA002"
    name = "deprecated-api"
    severity = Severity.INFO

    def judge(self, event: ApiUsed, state: View) -> Iterator[Finding]:
        if event.protected:
            return
        life = lifecycle.of(event.name)
        if life is None or (event.keyword and self._speaks(life)):
            return  # the function itself is reported
        subject = f"`{event.name}`"
        if event.keyword:
            keyword = life.keywords.get(event.keyword)
            if keyword is None or keyword.deprecated is None:
                return
            life, subject = keyword, f"the keyword `{event.keyword}` of {subject}"
        if not self._speaks(life):
            return
        if life.deprecated is not None and life.deprecated <= self.target.high:
            what = f"is deprecated since torch_xla {show(life.deprecated)}"
        else:
            what = f"is replaced by `{life.successor}`"
        note = life.note if life.successor is None else f"use `{life.successor}`"
        if life.successor is not None and life.note:
            note += f"; {life.note}"
        cures = renames.cures(event, life, self.target)
        yield self.finding(event, f"{subject} {what}", help=note, cures=cures)

    def _speaks(self, life: lifecycle.Lifecycle) -> bool:
        """Whether there is something better in the whole target, or nothing but to leave it out."""
        if life.removed is not None and life.removed <= self.target.high:
            return False
        if life.successor is not None:
            return life.successor_since is None or life.successor_since <= self.target.low
        return life.deprecated is not None and life.deprecated <= self.target.high
