"""XLA203: a loop is left early, and the step it recorded is still pending."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import SyncBefore, WrapBody
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Leaving, LeftPending
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class EarlyExitWithPendingGraph(Rule[LeftPending]):
    """
    ## What it does
    Finds `break`, `return` and `raise` that leave a loop before the cut that would have ended its
    step, where more work, a save of parameters or the end of the program comes before the next cut.

    ## Why is this bad?
    In a loop over `MpDeviceLoader` the next batch ends the step. An early exit skips it: the last
    step stays recorded. What follows is compiled together with it, as a graph of its own and larger
    than both; a save launches parts of it; at the end of the program it never runs.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(4)]

    for step, batch in enumerate(pl.MpDeviceLoader(batches, device)):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        if step == 2:
            break

    score = model(batches[3].to(device)).square().mean()
    torch_xla.sync()
    print(score.item())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(4)]

    for step, batch in enumerate(pl.MpDeviceLoader(batches, device)):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            optimizer.step()
        if step == 2:
            break

    score = model(batches[3].to(device)).square().mean()
    torch_xla.sync()
    print(score.item())
    ```

    ## Fix safety
    No fix yet. A step scope around the body moves the test below it; where the test reads the loss,
    that must become one `.item()`, or a second graph is launched for the comparison.

    ## On the engine
    A `break` after four steps, followed by two evaluations, compiles 3 graphs, the last step fused
    with the first evaluation among them; with a step scope 2. At the end of a program the weights
    stay pending: 6 tensors, with a step scope none.

    ## References
    - [RFC #6751](https://github.com/pytorch/xla/issues/6751), early exit
    """

    code = "XLA203"
    name = "early-exit-with-pending-graph"
    severity = Severity.WARNING

    def judge(self, event: LeftPending, state: View) -> Iterator[Finding]:
        left_at = event.path[-1]
        yield self.finding(
            event,
            f"`{event.obligation.detail}` leaves the loop with the step recorded since {{since}} pending, "
            f"and {_AFTER[event.leaving]}",
            help="end the step before the exit: `with torch_xla.step():` around it, or `torch_xla.sync()`",
            since=event.obligation.since,
            cures=(
                WrapBody(left_at, below=(left_at,)),
                SyncBefore(left_at, title="Cut before the exit"),
            ),
        )


_AFTER = {
    Leaving.WORK: "the work that follows is compiled together with it",
    Leaving.SAVE: "the save runs it piece by piece",
    Leaving.END: "nothing runs it any more",
}
