"""XLA207: a step closure that sees later values than those of its step, or that never runs."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import BindNow, ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ClosureNeverRun, ClosureSeesLater
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class ClosureLateBinding(Rule[ClosureSeesLater | ClosureNeverRun]):
    """
    ## What it does
    Finds step closures that look up variables which are bound anew before the closure runs, and step
    closures after which no graph cut follows.

    ## Why is this bad?
    A wrong number is logged, or none at all. A step closure runs at the next graph cut, and looks its
    variables up then. If the loop has gone on by then, all of the closures that wait see its last values.
    Without a cut they never run.

    Silent where each next batch of the loader, or a marker, cuts before the loop binds its variables anew.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    model = torch.nn.Linear(8, 1).to("xla")


    def evaluate(batches):
        for step, batch in enumerate(batches):
            loss = model(batch.to("xla")).square().mean()
            xm.add_step_closure(lambda: print(step, loss.item()))
        torch_xla.sync()


    evaluate([torch.randn(4, 8) for _ in range(3)])
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    model = torch.nn.Linear(8, 1).to("xla")


    def evaluate(batches):
        for step, batch in enumerate(batches):
            loss = model(batch.to("xla")).square().mean()
            xm.add_step_closure(lambda step=step, loss=loss: print(step, loss.item()))
        torch_xla.sync()


    evaluate([torch.randn(4, 8) for _ in range(3)])
    ```

    ## Fix safety
    Unsafe: the closure sees the values of its own step, so other numbers are logged. What it looked up
    late on purpose, such as a running total, it sees as it was. A lambda gets parameters with defaults, and
    so does a function that the loop makes in each round.

    ## On the engine
    Three closures that are queued before one cut print `2 2 2`; with the names bound, `0 1 2`.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`add_step_closure`)
    """

    code = "XLA207"
    name = "closure-late-binding"
    severity = Severity.WARNING
    only_definite = True
    of_text = True

    def judge(self, event: ClosureSeesLater | ClosureNeverRun, state: View) -> Iterator[Finding]:
        added = event.path[-1]
        if isinstance(event, ClosureNeverRun):
            yield self.finding(
                event,
                "this step closure never runs: no graph cut follows it",
                help="cut the graph below it by `torch_xla.sync()`, or call the function itself",
                cures=(ByHand(added, title="Cut the graph below the closure"),),
            )
            return
        names = tuple(event.obligation.detail.split())
        yield self.finding(
            event,
            f"logs a later value: `{event.name}` is bound anew on {{later}} before this step closure runs",
            help="hand the closure what it needs by `args=`, or bind it by a default: "
            f"`lambda {event.name}={event.name}: ...`",
            later=Later(event.site, f"`{event.name}` is bound anew here"),
            cures=(BindNow(added, names),),
        )
