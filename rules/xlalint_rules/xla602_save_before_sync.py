"""XLA602: every replica saves while a graph is pending."""

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
    Finds `xm.save` of device tensors, a module or its state dict while the step that changes them
    is recorded and has not run.

    ## Why is this bad?
    `xm.save` runs what it saves, but it is no cut: what else the step recorded stays pending, and
    the next cut runs the step again. The extra graph is one more to compile.

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
    Unsafe: `torch_xla.sync()` is inserted before the save, another place at which the graph is cut.

    ## On the engine
    One training step: 2 launched graphs with the save before the cut, 1 with the save after it.

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
                    f"`{spelling}` with work pending since {{since}}: the step runs here and at the next cut",
                    help="call `torch_xla.sync()` first, or save below the step scope",
                    since=state.since,
                    cures=(_cure(event, state),),
                )


def _cure(event: Save, state: View) -> Cure:
    scope = state.scopes.step
    if scope is not None:
        return MoveBelow(event.site, scope, title="Move the save below the step")
    return SyncBefore(event.site, title="Cut before the save")
