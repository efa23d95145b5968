"""XLA212: device work in the loop, outside its step scope."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, MoveInto, ReadFirst
from xlalint.diagnostic import Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Cut, HostRead, LoopLeft
from xlalint.lazy.site import Site
from xlalint.lazy.state import Activity, Loop, View
from xlalint.lazy.values import Kind, Recorded, Value, Weight
from xlalint.rule import Finding, Rule


class WorkOutsideStep(Rule[Cut | HostRead | LoopLeft]):
    """
    ## What it does
    Finds operations on the device that a training loop records outside its own `torch_xla.step()`:
    augmentation above it, moving averages or metrics below it, and arithmetic or a comparison on a
    result just before the result is read.

    It is for information where a counter's test leads there: a report once in so many steps costs little.

    ## Why is this bad?
    Every iteration launches an extra graph. `torch_xla.step()` cuts the graph at its entry and at
    its exit, so that operations between two steps become a graph of their own: compiled and
    launched separately, and not fused with the step.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
        print((loss / 8).item())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
        print(loss.item() / 8)
    ```

    ## Fix safety
    Unsafe: the operations move into the step, or the value is read first and Python computes:
    `loss.item() / 8` is computed in double precision, `(loss / 8).item()` is not. Where the step is a whole
    function, called in this place alone, it takes what the work needs, and returns what that computes.

    ## On the engine
    A division before the read doubles the launched graphs: 5 steps launch 5 graphs without it, and
    10 with it. An augmentation above the step or a moving average below it costs the same.

    ## References
    - pytorch/xla RFC #7253
    """

    code = "XLA212"
    name = "work-outside-step"
    severity = Severity.WARNING
    only_definite = True
    yields_to = ("XLA106", "XLA101", "XLA103", "XLA102", "XLA402")

    def judge(self, event: Cut | HostRead | LoopLeft, state: View) -> Iterator[Finding]:
        if state.scopes.step is not None or state.scopes.in_closure:
            return
        since: tuple[Site, ...] = ()
        match event:
            case Cut(cause=Cause.SCOPE_ENTRY | Cause.LOADER) if _in_stepped_loop(state):
                since = event.since if _is_work(event.recorded) else ()
            # The step of an inner loop does not count: an evaluation after that loop runs rarely.
            case LoopLeft(loop=Loop(own=Activity(opens_step=True))):
                since = event.since if _is_work(event.recorded) else ()
            # Heavy work that is read and then cut runs twice: that is XLA102. Numbers that are read one by
            # one are to be read at once first: that is XLA104.
            case HostRead(
                apart=False, value=Value(kind=Kind.TENSOR, recorded=Recorded(must=Weight.LIGHT))
            ) if _in_stepped_loop(state):
                since = state.since or (event.site,)
        if not isinstance(event, HostRead) and state.read_outside.issuperset(since):
            return  # all is work of calls in which it is read, which tells of it
        if since:
            # Work that a caller recorded has no place in this function: report the place of the event.
            at = next((site for site in since if not site.is_entry), None)
            seldom = isinstance(event, HostRead) and event.seldom
            yield self.finding(
                event,
                f"launches an extra graph each {'time' if seldom else 'iteration'}: this work is outside the "
                "loop's `torch_xla.step()`",
                help="move it into the `with` block of the step, or read first and compute in Python: "
                "`loss.item() / n`",
                at=at,
                severity=Severity.INFO if seldom else self.severity,
                cures=_cures(event, tuple(site for site in since if not site.is_entry)),
            )


def _cures(event: Cut | HostRead | LoopLeft, work: tuple[Site, ...]) -> tuple[Cure, ...]:
    inside = (MoveInto(work),) if work else ()
    return (ReadFirst(event.site, work), *inside) if isinstance(event, HostRead) else inside


def _is_work(recorded: Recorded) -> bool:
    return recorded.must >= Weight.LIGHT


def _in_stepped_loop(state: View) -> bool:
    return state.scopes.in_loop and state.opened_step
