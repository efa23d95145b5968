"""XLA106: an argument of a step closure is read before the closure runs."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, MoveBelow, WrapBody
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead, Reading
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule


class EagerClosureArgument(Rule[HostRead]):
    """
    ## What it does
    Finds step closures whose arguments are read from the device where the closure is added:
    `xm.add_step_closure(log, args=(loss.item(),))`.

    ## Why is this bad?
    The step is executed twice. A step closure exists to read values after the step has run, but
    Python evaluates its arguments at once: `.item()` runs the step so far, the host waits, and the
    end of the step runs the same operations again. The closure could have read the value at no
    cost.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.parallel_loader as pl


    def log(loss):
        print(f"loss {loss:.3f}")


    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], device)

    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        xm.add_step_closure(log, args=(loss.item(),))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl


    def log(loss):
        print(f"loss {loss:.3f}")


    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], device)

    for batch in loader:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            optimizer.step()
        log(loss.item())
    ```

    ## Fix safety
    Unsafe: the function is called below a step, with the same arguments, and no longer by the
    engine. Passing the tensor instead would change what it receives; that is left to you.

    ## On the engine
    Five steps whose closure gets `loss.item()` launch 10 graphs, and 5 when it gets `loss`.

    ## References
    - [RFC #6751](https://github.com/pytorch/xla/issues/6751), step closures
    """

    code = "XLA106"
    name = "eager-closure-argument"
    severity = Severity.WARNING
    only_definite = True

    def judge(self, event: HostRead, state: View) -> Iterator[Finding]:
        if not event.closure_argument:
            return
        value = event.value
        sure_enough = value.known or event.reading is Reading.EXPLICIT
        if not (value.is_device and sure_enough and value.recorded.must > Weight.NONE):
            return
        yield self.finding(
            event,
            "the device runs the step twice, for the same result: "
            f"`{event.spelling}` is read here, not when the closure runs, and "
            "the work recorded since {since} runs again at the end of the step",
            help="pass the tensor and read it inside the closure, or call the function below a "
            "`with torch_xla.step():` block",
            since=state.since,
            cures=(_cure(event, state),),
        )


def _cure(event: HostRead, state: View) -> Cure:
    scope = state.scopes.step
    if scope is None:
        return WrapBody(event.site, below=(event.site,))
    return MoveBelow(event.site, scope, title="Call the function below the step")
