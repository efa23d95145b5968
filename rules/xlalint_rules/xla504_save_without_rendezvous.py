"""XLA504: replicas read a file that another one has yet to write."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import NONE, assume
from xlalint.lazy.events import ReadTooEarly
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class SaveWithoutRendezvous(Rule[ReadTooEarly]):
    """
    ## What it does
    Finds files that one replica writes, by `xm.save` or in the master's branch, and that all replicas read
    with nothing between at which they wait: no `xm.rendezvous`, mesh reduction, barrier or graph cut.

    A file is known again by its name, or where one function spells it alike for both. *Definite* where the
    replicas are seen to be launched; where nothing is seen of that, *likely*.

    ## Why is this bad?
    All replicas but the master may find no file, half of one, or that of the last epoch. Since torch_xla
    2.1 `xm.save` no longer waits until the file is there: the others go on while the master writes.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        model = torch.nn.Linear(4, 1).to(torch_xla.device())
        torch_xla.sync()
        xm.save(model.state_dict(), "best.pt")
        model.load_state_dict(torch.load("best.pt"))


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
        xm.save(model.state_dict(), "best.pt")
        xm.rendezvous("best is saved")
        model.load_state_dict(torch.load("best.pt"))


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: all replicas must come to the rendezvous, which only the author knows of a save under a test.

    ## On the engine
    Not measured: which replica comes first is a matter of chance.

    ## References
    - pytorch/xla #4936
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`save`)
    """

    code = "XLA504"
    name = "save-without-rendezvous"
    severity = Severity.ERROR
    enabled = False

    def judge(self, event: ReadTooEarly, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"replicas that do not write may find no file, or an old one: `{event.spelling}` on {{later}} "
            "does not wait for this save",
            help="call `xm.rendezvous('saved')` between the two, on all replicas",
            assumes=NONE if state.replicas.launched else _SEVERAL,
            cures=(ByHand(event.path[-1], title="Wait by `xm.rendezvous` below the save"),),
            later=Later(event.site, "all replicas read the file here"),
        )


_SEVERAL = assume("several replicas are started")
