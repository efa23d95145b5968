"""XLA501: one replica saves or reads what all replicas have to run."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, MoveBelow, SyncBefore
from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import IS_SET, MANY_NUMBERS, STARTED, assume, both
from xlalint.lazy.events import HostRead, Reading, Save
from xlalint.lazy.scopes import Split
from xlalint.lazy.state import View
from xlalint.lazy.values import Kind, Recorded, Value, Weight
from xlalint.rule import Finding, Rule


class MasterOnlySaveBeforeSync(Rule[Save | HostRead]):
    """
    ## What it does
    Finds a checkpoint or a log under a rank test (`if xm.is_master_ordinal():`) that saves or reads
    the result of operations that every replica has recorded and none has run.

    A function `save...` that nobody in the project is seen to call is looked at as if a step were
    pending: *likely*, and for information. So it is where nothing in the project starts several replicas.

    ## Why is this bad?
    The program may hang. Saving runs the recorded graph, on this replica only. The sum of the
    gradients is part of that graph and waits for the other replicas, which never join. At best, for
    a value that depends on no such sum, the operations run twice.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss = model(torch.ones(8, 4, device=device)).sum()
        loss.backward()
        xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            xm.save(model.state_dict(), "model.pt")


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with torch_xla.step():
            model(torch.ones(8, 4, device=device)).sum().backward()
            xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            xm.save(model.state_dict(), "model.pt")


    torch_xla.launch(train)
    ```

    ## Fix safety
    Unsafe: a `torch_xla.sync()`, and so a graph cut, comes above the test; in a step, the test moves
    below it.

    ## On the engine
    Two replicas: with the save before the cut, the program waits for 10 seconds and aborts; with it
    after the cut, it finishes. A lone `loss.item()` finished, a lone `print(loss)` aborted in one of two.

    ## References
    - pytorch/xla RFC #6751
    - https://huggingface.co/blog/pytorch-xla
    """

    code = "XLA501"
    name = "master-only-save-before-sync"
    severity = Severity.ERROR

    def judge(self, event: Save | HostRead, state: View) -> Iterator[Finding]:
        # A test of a value that differs between replicas, such as a loss, is not certain: XLA503.
        split = state.replicas.rank_test
        if split is None or state.replicas.spmd:
            return
        # A test for the master means several replicas, even if nothing here starts them.
        assumes = both(split.assumes, STARTED) if state.replicas.launched is False else split.assumes
        match event:
            case Save(recorded=Recorded(must=Weight.HEAVY), spelling=spelling):
                does, assumes = "saves", both(assumes, event.unless_cut)
            case HostRead(value=Value(Kind.TENSOR, _, Recorded(must), _, reduced), spelling=spelling) if (
                reduced is not False and must >= Weight.LIGHT
            ):
                does, assumes = "reads", assumes if reduced else both(assumes, IS_SET)
            case HostRead(value=Value(Kind.TENSOR, _, Recorded(Weight.HEAVY)), spelling=spelling) if (
                event.reading in (Reading.TEXT, Reading.FORMAT)
            ):
                shows = MANY_NUMBERS if event.reading is Reading.FORMAT else _PRINTS
                does, assumes = "reads", both(assumes, shows)  # one without a collective waits for nobody
            case _:
                return
        yield self.finding(
            event,
            f"may hang: `{spelling}` {does} on some replicas only, so they run the work recorded since "
            "{since} without the others",
            help="call `torch_xla.sync()` on all replicas above the rank test, or end the step above it",
            owner=split,
            assumes=assumes,
            since=state.since,
            cures=(_cure(split, state),),
        )


_PRINTS = assume("the replicas must meet to print this")


def _cure(split: Split, state: View) -> Cure:
    if (scope := state.scopes.step) is None:
        return SyncBefore(split, title="Sync on all replicas above the rank test")
    return MoveBelow(split, scope, title="Move the rank test below the step")
