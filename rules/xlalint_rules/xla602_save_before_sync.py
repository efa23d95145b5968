"""XLA602: every replica saves before the step has run."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, MoveBelow, SyncBefore
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Save
from xlalint.lazy.state import View
from xlalint.lazy.values import Recorded, Weight
from xlalint.rule import Finding, Rule


class SaveBeforeSync(Rule[Save]):
    """
    ## What it does
    Finds `xm.save` of device tensors, of a module or of its state dict before the step that changes
    them has run.

    ## Why is this bad?
    The step is executed twice, and an extra graph is compiled. `xm.save` runs what it saves, but it
    does not end the step: the rest of the step stays recorded, and the next graph cut runs the step
    again.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(8, 4, device=device)).sum()
    loss.backward()
    optimizer.step()
    xm.save(model.state_dict(), "model.pt")
    torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(8, 4, device=device)).sum()
    loss.backward()
    optimizer.step()
    torch_xla.sync()
    xm.save(model.state_dict(), "model.pt")
    ```

    ## Fix safety
    Unsafe: a `torch_xla.sync()` comes before the save, which adds a graph cut; in a step, the save
    moves below it.

    ## On the engine
    One training step launches 2 graphs with the save before the cut, and 1 with the save after it.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`save`)
    """

    code = "XLA602"
    name = "save-before-sync"
    severity = Severity.WARNING
    yields_to = ("XLA501",)

    def judge(self, event: Save, state: View) -> Iterator[Finding]:
        match event:
            case Save(by_xla=True, recorded=Recorded(must=Weight.HEAVY), spelling=spelling) if (
                not state.replicas.splits
            ):
                yield self.finding(
                    event,
                    "the device runs the step twice, for the same result: "
                    f"`{spelling}` runs the work recorded since {{since}}, and "
                    "the end of the step runs it again",
                    help="call `torch_xla.sync()` first, or save below the step",
                    assumes=event.unless_cut,
                    since=state.since,
                    cures=(_cure(event, state),),
                )


def _cure(event: Save, state: View) -> Cure:
    scope = state.scopes.step
    if scope is not None:
        return MoveBelow(event.site, scope, title="Move the save below the step")
    return SyncBefore(event.site, title="Sync before the save")
