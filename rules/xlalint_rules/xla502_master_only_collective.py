"""XLA502: a collective that only some replicas reach."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, MoveAbove, MoveBelow
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.events import ChangedAlone, LeftAlone, UnmatchedCollective
from xlalint.lazy.obligations import Owed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule

SAVE = "xm.save"
SAVE_WITHOUT_RENDEZVOUS = (2, 1)


class MasterOnlyCollective(Rule[UnmatchedCollective | LeftAlone | ChangedAlone]):
    """
    ## What it does
    Finds a collective, a rendezvous or a marker that only some replicas reach: it is in one branch of a rank
    test (`if xm.is_master_ordinal():`), or below a test after which the other replicas have left the function
    with `return`. A loop that only some replicas leave with `break` or `return`, while the others go on to
    their next collective in it, is the same. So is a moving average of the weights that only the master
    keeps, where it is changed before the step with its sum of gradients has run.

    Where nothing in the project starts several replicas, it is *likely*, and for information.

    ## Why is this bad?
    The program may hang: a collective waits until every replica has called it, and the others never do.

    Silent where both branches reach the same collective, where a later test with the opposite condition
    reaches the same tag ("wait, then go"), for a collective within a group (`groups=`, `group=`), whose
    members may all be in the branch, and for a marker on the master while all replicas have recorded the same
    work and record no more before their next graph cut.

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
    Only shown: nobody but the author knows whether the call should move, or the others should make it too.

    ## On the engine
    Two replicas: an all-reduce, a rendezvous or a `mesh_reduce` on the master alone waits for 10 seconds and
    aborts, and so do a marker with more work after it, and an average that the master alone changes. Outside
    the branch they finish.

    ## References
    - pytorch/xla #2224
    """

    code = "XLA502"
    name = "master-only-collective"
    severity = Severity.ERROR
    by_reading = (LeftAlone, ChangedAlone)
    yields_to = ("XLA501",)

    def judge(self, event: UnmatchedCollective | LeftAlone | ChangedAlone, state: View) -> Iterator[Finding]:
        if state.replicas.launched is False or state.replicas.spmd:
            return
        match event:
            case LeftAlone(split=split, meets=(met, *_)) if split.is_rank_test:
                message = (
                    "may hang: only the replicas that the test on {owner} takes leave the loop here, and the "
                    f"others wait for them in `{met}`"
                )
                help = "leave it on all replicas, by what all of them know"
                by_hand = (ByHand(event.path[-1], title="Leave the loop on all replicas"),)
                yield self.finding(event, message, help=help, owner=split, cures=by_hand)
            case ChangedAlone(spelling=what, split=split):
                message = f"may hang: `{what}` is in the graph of some replicas only, with a sum of all in it"
                help = "change it on all replicas, or a copy on the host below a `torch_xla.sync()` of all"
                by_hand = (ByHand(event.path[-1], title="Change it on all replicas"),)
                yield self.finding(event, message, help=help, owner=split, cures=by_hand)
            # A test of a value that differs between replicas, such as a loss, is not certain: XLA503.
            case UnmatchedCollective(obligation=obligation, split=split) if split.is_rank_test:
                what, _, tag = obligation.detail.partition(" ")
                if what == SAVE and self.target.low >= SAVE_WITHOUT_RENDEZVOUS:
                    return  # Since 2.1 it waits for nobody; XLA501 reports what it does to pending work.
                if what == _OF_GROUP and state.replicas.backend is None:
                    return  # The group may be of the `xla` backend, whose barrier waits for nobody: XLA511.
                if obligation.owed is Owed.LONE_CUT:
                    message = (
                        f"may hang: `{what}` runs the graph on some replicas only, and more work follows"
                    )
                    help = "call it on all replicas, above the rank test"
                else:
                    shown = f"`{what}`" + (f" (tag {tag})" if tag else "")
                    message = f"may hang: {shown} is reached by some replicas only, and waits for the others"
                    help = "move it out of the branch, or call it on the other replicas too"
                yield self.finding(event, message, help=help, owner=split, cures=_cures(event))


_OF_GROUP = "barrier"
"""How the barrier of `torch.distributed` is called."""


def _cures(event: UnmatchedCollective) -> tuple[Cure, ...]:
    what, split, shown = event.path[0], event.split, Applicability.SHOWN
    above = MoveAbove(what, split, title="Call it on all replicas, above the rank test", applicability=shown)
    if event.obligation.owed is Owed.LONE_CUT:
        return (above,)
    return (MoveBelow(what, split, title="Move it out of the branch", applicability=shown), above)
