"""XLA701: the model moves to the device after its optimizer was created."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, MoveAbove, MoveBelow
from xlalint.diagnostic import Severity
from xlalint.lazy.events import OptimizerRefused, OptimizerStepped
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class OptimizerBeforeDeviceMove(Rule[OptimizerStepped | OptimizerRefused]):
    """
    ## What it does
    Finds an optimizer that is created before its model moves to the XLA device, and is then
    stepped, or that is given a list of parameters taken before that. A `ZeroRedundancyOptimizer`
    raises where it is created, and is told there.

    ## Why is this bad?
    The model does not train, and no error is raised. On XLA the move creates new parameters. The
    optimizer keeps the old ones, which never get a gradient. On CUDA the same program works.
    `ZeroRedundancyOptimizer` cuts the parameters in parts at once, and refuses those of the CPU.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.to(device)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    Unsafe: the model moves above the optimizer, or the optimizer below the move. All numbers
    change, because the model then trains.

    ## On the engine
    After 10 steps the parameters are the same, bit for bit, as before them. With the optimizer
    created after the move, they change. `ZeroRedundancyOptimizer` raises `AssertionError`.

    ## References
    - pytorch/xla #1623, #1764, #4482
    """

    code = "XLA701"
    name = "optimizer-before-device-move"
    severity = Severity.ERROR

    def judge(self, event: OptimizerStepped | OptimizerRefused, state: View) -> Iterator[Finding]:
        match event:
            case OptimizerStepped(stale=stale, built=built, off_device=False) if stale:
                where = " created on {since}" if built else ""
                listed = built and built[-1].section == stale[0].section and built[-1] > stale[0]
                then = "take its parameters" if listed else "create the optimizer"
                by_hand = ByHand(stale[0], title="Take the parameters below the move")
                yield self.finding(
                    event,
                    f"nothing is trained: the optimizer{where} keeps the parameters from before this move",
                    help=f"move the model to the device first, then {then}",
                    since=built[-1:],
                    cures=(by_hand,) if listed else _cures(stale[0], built[-1]) if built else (),
                )
            case OptimizerRefused(moved=moved, built=built):
                yield self.finding(
                    event,
                    "raises `AssertionError`: the parameters are not on the device yet, and this optimizer "
                    "shares them out among the replicas at once",
                    help="move the model to the device first, then create the optimizer",
                    cures=_cures(moved[0], built[-1]) if moved and built else (_by_hand(event.path[-1]),),
                )


def _cures(move: Site, built: Site) -> tuple[Cure, ...]:
    return (
        MoveAbove(move, built, title="Move the model above the optimizer", changes=_TRAINS),
        MoveBelow(built, move, title="Build the optimizer below the move", changes=_TRAINS),
    )


def _by_hand(built: Site) -> Cure:
    return ByHand(built, title="Move the model to the device above the optimizer")


_TRAINS = "the model trains, so all its numbers change"
