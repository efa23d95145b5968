"""XLA503: a test that does not come out the same on all replicas decides over a collective."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LeftAlone, UnmatchedCollective
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule

SAVE = "xm.save"
SAVE_WITHOUT_RENDEZVOUS = (2, 1)


class RankDivergentBranch(Rule[UnmatchedCollective | LeftAlone]):
    """
    ## What it does
    Finds a test of a value that each replica computes from its own batches, such as its loss or metric, or
    of the time that its own clock shows, that decides whether a collective is reached, or whether a loop
    that holds one is left. So does a loop that each replica goes through as often as it alone knows, such as
    one over `files[rank::world_size]`, unless the program makes these as many for all.

    ## Why is this bad?
    The program may hang: the test comes out true on some replicas and false on others. Those that go on
    wait in the collective for those that have left, or stayed out, for ever.

    While a program runs, the guard ends replicas that part before they hang, with the place of each and the
    test that has parted them, and tells of what some did not reach as XLA502.

    Silent where the value was reduced over the replicas before, by `xm.all_reduce` or `xm.mesh_reduce`.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index, batches):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in batches[index].to(device):
            with torch_xla.step():
                optimizer.zero_grad()
                loss = model(x).square().mean()
                loss.backward()
                xm.optimizer_step(optimizer)
            if loss.item() < 0.1:
                break


    torch_xla.launch(train, args=(torch.randn(8, 20, 4),))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index, batches):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in batches[index].to(device):
            with torch_xla.step():
                optimizer.zero_grad()
                loss = model(x).square().mean()
                loss.backward()
                xm.optimizer_step(optimizer)
                mean = xm.all_reduce(xm.REDUCE_SUM, loss.detach())
            if mean.item() < 0.1:
                break


    torch_xla.launch(train, args=(torch.randn(8, 20, 4),))
    ```

    ## Fix safety
    Only shown: whether the sum, the mean or the worst of all replicas decides is for the author to say.

    ## On the engine
    Two replicas: where one leaves the loop by its own loss, the other waits in the next step and aborts. With
    the loss summed over both they leave together.

    ## References
    - pytorch/xla #2712, #2772, #4571
    """

    code = "XLA503"
    name = "rank-divergent-branch"
    severity = Severity.ERROR
    yields_to = ("XLA501", "XLA502")

    def judge(self, event: UnmatchedCollective | LeftAlone, state: View) -> Iterator[Finding]:
        if state.replicas.launched is False or state.replicas.spmd or event.split.is_rank_test:
            return
        match event:
            case LeftAlone(meets=(what, *_), by_count=True):
                message = (
                    "may hang: replicas go through this loop a different number of times, and those that go "
                    f"on wait in `{what}` for the others"
                )
            case LeftAlone(meets=(what, *_)):
                message = (
                    "may hang: the test on {owner} differs between replicas, and those that stay in the loop "
                    f"wait in `{what}` for those that leave it here"
                )
            case UnmatchedCollective(obligation=obligation):
                what = obligation.detail.partition(" ")[0]
                if what == SAVE and self.target.low >= SAVE_WITHOUT_RENDEZVOUS:
                    return
                message = (
                    f"may hang: the test on {{owner}} differs between replicas, and only some reach `{what}`"
                )
            case _:
                return
        yield self.finding(
            event,
            message,
            help="reduce what is tested over all replicas first, by `xm.all_reduce` or `xm.mesh_reduce`",
            owner=event.split,
            cures=(ByHand(event.path[-1], title="Let all replicas decide alike"),),
        )
