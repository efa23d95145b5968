"""XLA604: every replica opens the file that only the master writes."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import NONE, assume
from xlalint.lazy.events import Save
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class OpenForWriteOnEveryReplica(Rule[Save]):
    """
    ## What it does
    Finds `open(path, "wb")` on every replica for an `xm.save` that writes on the master only.

    *Definite* where the replicas are seen to be launched; where nothing is seen of that, *likely*.

    ## Why is this bad?
    The checkpoint may be empty or damaged. `xm.save` guards what it writes, not the `open` before it:
    opening a file to write it empties it, and a replica that comes later empties what the master has
    written.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        model = torch.nn.Linear(4, 1).to(torch_xla.device())
        torch_xla.sync()
        with open("model.pt", "wb") as file:
            xm.save(model.state_dict(), file)


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        model = torch.nn.Linear(4, 1).to(torch_xla.device())
        torch_xla.sync()
        xm.save(model.state_dict(), "model.pt")


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: the path goes to `xm.save`, and the `open` with its block goes.

    ## On the engine
    Not measured: which replica opens the file last is a matter of chance.

    ## References
    - facebookresearch/mmf@7b733ed3
    """

    code = "XLA604"
    name = "open-for-write-on-every-replica"
    severity = Severity.ERROR
    of_text = True

    def judge(self, event: Save, state: View) -> Iterator[Finding]:
        launched = state.replicas.launched
        if not event.opened or launched is False or state.replicas.spmd:
            return
        yield self.finding(
            event,
            "the file may be empty: every replica opens it to write, and each empties it again, while "
            f"`{event.spelling}` writes on the master only",
            help="hand the path to `xm.save`, which opens it on the master",
            assumes=NONE if launched else _SEVERAL,
            at=event.opened[-1],
            cures=(ByHand(event.opened[-1], title="Hand the path to `xm.save`"),),
        )


_SEVERAL = assume("several replicas are started")
