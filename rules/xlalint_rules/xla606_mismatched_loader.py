"""XLA606: a checkpoint of references that `torch.load` does not follow."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LoadedByAnother
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class MismatchedLoader(Rule[LoadedByAnother]):
    """
    ## What it does
    Finds `torch.load` of a file that `torch_xla.utils.serialization.save` has written.

    A file is known again by its name, or where one function spells it alike for both.

    ## Why is this bad?
    The program ends with `UnpicklingError`. That function writes each tensor to a file of its own, and in
    the checkpoint it leaves references to them, which `torch.load` refuses. With `weights_only=False` it
    loads the references, and `load_state_dict` fails.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.utils.serialization as xser

    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    torch_xla.sync()
    xser.save(model.state_dict(), "model.pt")
    model.load_state_dict(torch.load("model.pt"))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.utils.serialization as xser

    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    torch_xla.sync()
    xser.save(model.state_dict(), "model.pt")
    model.load_state_dict(xser.load("model.pt"))
    ```

    ## Fix safety
    Only shown: `torch.load` may be right, and `xm.save` what was meant.

    ## On the engine
    `torch.load` raises `UnpicklingError`; `xser.load` gives the tensors back, on the CPU. It reads what
    `xm.save` has written, too.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/utils/serialization.py
    """

    code = "XLA606"
    name = "mismatched-loader"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: LoadedByAnother, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"`{event.spelling}` on {{later}} raises `UnpicklingError`: the file holds references only",
            help="load it by `torch_xla.utils.serialization.load`, or save it by `xm.save`",
            cures=(ByHand(event.path[-1], title="Save by `xm.save`, or load by `xser.load`"),),
            later=Later(event.site, "the file is loaded here"),
        )
