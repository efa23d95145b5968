"""XLA408: work that chance decides on, in one graph with the step."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import RANDOM_NUMBERS, ByHand, Cure, SyncBelow
from xlalint.diagnostic import Severity
from xlalint.lazy.events import WorkLeaked
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class LeakedWork(Rule[WorkLeaked]):
    """
    ## What it does
    Finds tests of a random number, such as `if random.random() < 0.5:`, that decide which operations a
    training loop records, where nothing cuts the graph between these and the forward pass. Of several it
    tells the last.

    Silent inside a model's `forward`, where no cut could part it from the step. While a program runs, the
    guard tells of the graphs that are compiled anew, as XLA407.

    ## Why is this bad?
    The whole step is compiled again for each way that chance may take. What is recorded above the step
    leaks into its graph, and two graphs that differ in one operation are two programs for the compiler.
    Four such tests make up to 16 of them, and each takes as long to compile as the model does.

    ## Example
    ```python
    import random

    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.randn(10, 4, 8).to(device):
        if random.random() < 0.5:
            batch = batch.flip(-1)
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
    ```

    ## Use instead
    ```python
    import random

    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.randn(10, 4, 8).to(device):
        if random.random() < 0.5:
            batch = batch.flip(-1)
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    Unsafe: a `torch_xla.sync()` comes below what chance decides on, so that it is a small graph of its own,
    launched in each step. Inside `with torch_xla.step():` `torch.where` is only shown.

    ## On the engine
    Ten steps with two such tests compile graphs of 114 operations in all, and of 29 with a step in a graph
    of its own. Of a small model, 20 steps with four random tests took 15.4 s to compile, and 4.1 s with the
    step apart.

    ## References
    - pytorch/xla RFC #7253, "accidental graph breaks and leaks"
    """

    code = "XLA408"
    name = "leaked-work"
    severity = Severity.WARNING
    only_definite = True

    def judge(self, event: WorkLeaked, state: View) -> Iterator[Finding]:
        if not (event.obligation.in_loop and state.scopes.in_loop) or state.eager:
            return
        cures: tuple[Cure, ...] = (ByHand(event.path[-1], title="Choose by `torch.where`"),)
        help = "record both, and choose by `torch.where` with a tensor of the drawn truth"
        if state.scopes.step is None:
            help = "put the step below it in `with torch_xla.step():`, or call `torch_xla.sync()` between"
            if event.obligation.since:  # the function returns from there
                cures = (ByHand(event.path[-1], title="Sync where it has been called"),)
            else:
                cures = (SyncBelow(event.path[0], title="Sync below it", changes=RANDOM_NUMBERS),)
        yield self.finding(
            event,
            "compiles the whole step again for each way that chance may take: what "
            f"`{event.obligation.detail}` decides on is recorded in one graph with it",
            help=help,
            cures=cures,
        )
