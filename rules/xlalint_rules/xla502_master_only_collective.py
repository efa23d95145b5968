"""XLA502: a collective that only some replicas reach."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, MoveAbove, MoveBelow
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.events import UnmatchedCollective
from xlalint.lazy.state import Owed, View
from xlalint.rule import Finding, Rule

SAVE = "xm.save"
SAVE_WITHOUT_RENDEZVOUS = (2, 1)


class MasterOnlyCollective(Rule[UnmatchedCollective]):
    """
    ## What it does
    Finds a collective, a rendezvous or a marker that one arm of a rank test reaches and the other
    replicas do not, also when they left the function by an early `return`.

    ## Why is this bad?
    A collective waits until every replica has come. The replicas in the other arm go on to
    something else, and the program may hang.

    Two arms that reach the same collective, or a later test of opposite polarity that reaches the
    same tag ("wait, then go"), are in order. So is a cut in the master's arm while the same work
    waits on all replicas and nothing more is recorded before their next cut.

    ## Example
    ```python
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        if xm.is_master_ordinal():
            print("downloading")
            xm.rendezvous("downloaded")


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        if xm.is_master_ordinal():
            print("downloading")
        xm.rendezvous("downloaded")


    torch_xla.launch(train)
    ```

    ## Fix safety
    Shown only: whether the call moves out of the branch or the others get one of their own is for
    the author to say.

    ## On the engine
    Two replicas: an all-reduce, a rendezvous or a `mesh_reduce` on the master alone waits for 10
    seconds and aborts, and so does a marker with more work after it; outside the branch they finish.

    ## References
    - pytorch/xla #2224
    """

    code = "XLA502"
    name = "master-only-collective"
    severity = Severity.ERROR
    yields_to = ("XLA501",)

    def judge(self, event: UnmatchedCollective, state: View) -> Iterator[Finding]:
        if state.replicas.launched is False or state.replicas.spmd:
            return
        match event:
            # A test of a value that differs, such as a loss, parts them too, into unsure arms: XLA503.
            case UnmatchedCollective(obligation=obligation, split=split) if split.is_rank_test:
                what, _, tag = obligation.detail.partition(" ")
                if what == SAVE and self.target.low >= SAVE_WITHOUT_RENDEZVOUS:
                    return  # Since 2.1 it meets nobody; what it does when work is pending is XLA501.
                if obligation.owed is Owed.LONE_CUT:
                    message = (
                        f"`{what}` runs the graph on some replicas only, and more work follows: may hang"
                    )
                    help = "call it on all replicas, before the test"
                else:
                    shown = f"`{what}`" + (f" (tag {tag})" if tag else "")
                    message = f"{shown} is reached by some replicas only, and waits for the others: may hang"
                    help = "move it out of the branch, or let the other replicas reach the same one"
                yield self.finding(event, message, help=help, owner=split, cures=_cures(event))


def _cures(event: UnmatchedCollective) -> tuple[Cure, ...]:
    what, split, shown = event.path[0], event.split, Applicability.SHOWN
    above = MoveAbove(what, split, title="Call it on all replicas, before the test", applicability=shown)
    if event.obligation.owed is Owed.LONE_CUT:
        return (above,)
    return (MoveBelow(what, split, title="Move it out of the branch", applicability=shown), above)
