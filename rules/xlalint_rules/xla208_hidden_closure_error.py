"""XLA208: an error in an asynchronous step closure that nobody sees."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ClosureAdded
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class HiddenClosureError(Rule[ClosureAdded]):
    """
    ## What it does
    Finds `xm.add_step_closure(..., run_async=True)`.

    ## Why is this bad?
    An exception in the closure is lost. It runs in a thread of its own, and torch_xla raises what went
    wrong there at the next asynchronous closure only. After the last one nobody asks: a log or a
    checkpoint is missing, and the program ends as if nothing had happened.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def log(loss):
        print(loss.item())


    x = torch.ones(4, device=torch_xla.device())
    xm.add_step_closure(log, args=(x.sum(),), run_async=True)
    torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def log(loss):
        print(loss.item())


    x = torch.ones(4, device=torch_xla.device())
    xm.add_step_closure(log, args=(x.sum(),))
    torch_xla.sync()
    ```

    ## Fix safety
    Only shown: without `run_async=True` the step waits for the closure. Where that takes too long,
    catch what it raises inside the closure and report it.

    ## On the engine
    A closure that raises `ValueError`: with `run_async=True` the program ends without an error, without
    it the error is raised at the cut.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`add_step_closure`)
    """

    code = "XLA208"
    name = "hidden-closure-error"
    severity = Severity.WARNING
    enabled = False
    of_text = True

    def judge(self, event: ClosureAdded, state: View) -> Iterator[Finding]:
        if event.asynchronous:
            yield self.finding(
                event,
                "an error in this closure is lost: it runs in a thread of its own that nobody asks",
                help="run it without `run_async=True`, or catch and report what it raises inside of it",
                cures=(ByHand(event.site, title="Run the closure without `run_async=True`"),),
            )
