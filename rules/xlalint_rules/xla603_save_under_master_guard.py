"""XLA603: `xm.save`, which chooses the master by itself, inside a test of the replicas."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, MoveBelow, SyncBefore
from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import assume
from xlalint.lazy.events import Save
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule

NO_MEETING = (2, 1)
"""From this release on, `xm.save` no longer waits for the other replicas."""


class SaveUnderMasterGuard(Rule[Save]):
    """
    ## What it does
    Finds `xm.save` under a test of the replicas where that does harm:

    - only replicas other than the master come there;
    - work is perhaps pending on what is saved (*likely*; where it surely is,
      `master-only-save-before-sync` says so);
    - the code must run on torch_xla 2.0 or older (`target-version`).

    ## Why is this bad?
    `xm.save` is made to be called on every replica. It runs what is saved on all of them, and writes on
    the master. Where only others call it, no file is written and no error is raised. Where only the
    master calls it, it runs pending work without the others and may hang. Up to 2.0 it hangs always,
    because there it waits for all replicas.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr


    def train(index):
        model = torch.nn.Linear(4, 1).to(torch_xla.device())
        torch_xla.sync()
        if xr.global_ordinal() == 1:
            xm.save(model.state_dict(), "model.pt")


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        model = torch.nn.Linear(4, 1).to(torch_xla.device())
        torch_xla.sync()
        xm.save(model.state_dict(), "model.pt")


    torch_xla.launch(train)
    ```

    ## Fix safety
    Unsafe: the save moves below the test, or above it, with what binds the names that it needs, so that
    all replicas come to it; above a step that may be pending comes a sync. A test of more than the
    replica, such as `step % 100 == 0 and master`, is left alone.

    ## On the engine
    Two replicas: a save by the master alone, of a step that is pending, aborts; below the test it
    finishes. Under `global_ordinal() == 1` no file is written, and loading it raises
    `FileNotFoundError`.

    ## References
    - https://huggingface.co/blog/pytorch-xla
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`save`)
    """

    code = "XLA603"
    name = "save-under-master-guard"
    severity = Severity.ERROR
    of_text = True
    yields_to = ("XLA501",)

    def judge(self, event: Save, state: View) -> Iterator[Finding]:
        split = state.replicas.rank_test
        if split is None or not event.by_xla or event.to_every_replica or state.replicas.spmd:
            return
        assumes, shown = split.assumes, event.spelling
        also: tuple[Cure, ...] = ()
        if not split.master:
            harm = f"writes nothing: `{shown}` writes on the master only, and no master comes here"
        elif self.target.low < NO_MEETING:
            harm = (
                f"hangs before torch_xla 2.1: there `{shown}` waits for all replicas, and only some come here"
            )
        elif event.recorded.may is Weight.HEAVY and event.recorded.must is not Weight.HEAVY:
            harm, assumes = (
                f"may hang: `{shown}` runs what is pending on some replicas only",
                assumes | _PENDING,
            )
            also = (SyncBefore(split, title="Sync before the branch"),)
        else:
            return
        yield self.finding(
            event,
            harm,
            help="call it on every replica: it writes on the master by itself",
            owner=split,
            assumes=assumes,
            cures=(MoveBelow(event.site, split, title="Save on every replica", changes=_ALL_RUN, also=also),),
        )


_PENDING = assume("a step is still pending here")
_ALL_RUN = "every replica runs what is saved"
