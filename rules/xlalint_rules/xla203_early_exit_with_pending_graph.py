"""XLA203: a loop is left early, before its last step has run."""

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
    Finds `break`, `return` and `raise` that leave a loop before its step has run, where more work,
    a save of the parameters or the end of the program comes before the next graph cut.

    ## Why is this bad?
    The last step runs late, in pieces, or never. In a loop over `MpDeviceLoader` the next batch
    ends the step, and an early exit skips it. Work that follows is compiled together with the last
    step, as a graph larger than both. A save runs only what it needs. At the end of the program the
    step is lost.

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
    Unsafe: the loop body goes into a step and the test for the exit moves below it, where it asks
    with one `.item()`: to compare on the device would launch a second graph. Otherwise a
    `torch_xla.sync()` comes before the exit.

    ## On the engine
    A `break` after four steps and then two evaluations compile 3 graphs, one of them the last step
    together with the first evaluation. With `torch_xla.step()` they compile 2. At the end of a
    program 6 tensors stay pending, and none with `torch_xla.step()`.

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
            f"{_AFTER[event.leaving]}: {_leaves(event.obligation.detail)} before the work recorded "
            "since {since} has run",
            help="put the step in `with torch_xla.step():`, or call `torch_xla.sync()` before the exit",
            since=event.obligation.since,
            cures=(
                WrapBody(left_at, below=(left_at,)),
                SyncBefore(left_at, title="Sync before the exit"),
            ),
        )


def _leaves(detail: str) -> str:
    """Who leaves what."""
    match detail:
        case "continue":
            return "`continue` begins the next iteration"
        case "exception":
            return "an exception leaves the loop"
        case _:
            return f"`{detail}` leaves the loop"


_AFTER = {
    Leaving.WORK: "the last step runs together with the work that follows, as one larger graph",
    Leaving.SAVE: "the last step runs piece by piece, when the parameters are saved",
    Leaving.END: "the last step is never executed",
}
