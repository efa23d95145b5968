"""XLA501: a save or read on one replica of what waits on all."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, MoveBelow, SyncBefore
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead, Reading, Save
from xlalint.lazy.state import Split, View
from xlalint.lazy.values import Kind, Recorded, Value, Weight
from xlalint.rule import Finding, Rule


class MasterOnlySaveBeforeSync(Rule[Save | HostRead]):
    """
    ## What it does
    Finds a checkpoint or log under a rank test (`if xm.is_master_ordinal():`) that saves or reads
    what is recorded on every replica and has not run on any.

    ## Why is this bad?
    Saving runs the graph, on this replica only. The sum of the gradients is part of that graph and
    waits for the other replicas, which are not coming: the program may hang. What does not depend
    on a sum over the replicas, such as a loss, runs twice at best.

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
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with torch_xla.step():
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            xm.optimizer_step(optimizer)
        if xm.is_master_ordinal():
            xm.save(model.state_dict(), "model.pt")


    torch_xla.launch(train)
    ```

    ## Fix safety
    Unsafe: `torch_xla.sync()` is inserted before the test, on all replicas; in a loop the step
    becomes a scope. Both add a point at which the graph is cut.

    ## On the engine
    Two replicas: saved before the cut, the program waits for 10 seconds and aborts; after the cut
    it finishes. A master-only `loss.item()` finished, a `print(loss)` aborted in one of two programs.

    ## References
    - pytorch/xla RFC #6751
    - https://huggingface.co/blog/pytorch-xla
    """

    code = "XLA501"
    name = "master-only-save-before-sync"
    severity = Severity.ERROR

    def judge(self, event: Save | HostRead, state: View) -> Iterator[Finding]:
        # A test of a value that differs, such as a loss, parts them too, into unsure arms: XLA503.
        split = next((split for split in state.replicas.splits if split.is_rank_test), None)
        if split is None or state.replicas.spmd:
            return
        # Whoever tests for the master means to run on several replicas, though nothing here starts them.
        doubts = (not split.certain) + (state.replicas.launched is False)
        match event:
            case Save(recorded=Recorded(must=Weight.HEAVY), spelling=spelling):
                message = (
                    f"`{spelling}` saves on some replicas what is pending on all since {{since}}: may hang"
                )
            case HostRead(
                value=Value(kind=Kind.TENSOR, recorded=Recorded(must=Weight.HEAVY), reduced=reduced),
                spelling=spelling,
                reading=reading,
            ) if reduced or reading is Reading.TEXT:
                # A value that no collective went into does not wait for one; printed, it sometimes did.
                doubts += not reduced
                message = (
                    f"`{spelling}` reads on some replicas what is pending on all since {{since}}: may hang"
                )
            case _:
                return
        yield self.finding(
            event,
            message,
            help="call `torch_xla.sync()` on all replicas before this test, or end the step scope above it",
            owner=split,
            doubts=doubts,
            since=state.since,
            cures=(_cure(split, state),),
        )


def _cure(split: Split, state: View) -> Cure:
    scope = state.scopes.step
    if scope is not None:
        return MoveBelow(split, scope, title="Test for the replica below the step")
    return SyncBefore(split, title="Cut on all replicas before the test")
