"""XLA301: a graph cut inside a profiler scope."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, DropArgument, EndBefore, Remove, Swap, SyncBelow
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Cut
from xlalint.lazy.scopes import Scope, ScopeKind
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class MarkerInTrace(Rule[Cut]):
    """
    ## What it does
    Finds graph cuts inside `xp.Trace`, `xp.StepTrace` or a function under `@xp.trace_me`: a marker
    (`torch_xla.sync()`, `xm.mark_step()`), `optimizer_step(barrier=True)`, the entry of a step, a
    rendezvous, or the next batch of an `MpDeviceLoader`.

    ## Why is this bad?
    The program raises `RuntimeError: Expecting scope to be empty` in the first iteration, because a
    graph cut requires that every profiler scope is closed. Only `torch_xla.sync(reset_scope=False)`
    does not check this.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.debug.profiler as xp

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    for _ in range(10):
        with xp.Trace("loss"):
            loss = model(torch.ones(8, 4, device=device)).sum()
            torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.debug.profiler as xp

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    for _ in range(10):
        with torch_xla.step():
            with xp.Trace("loss"):
                loss = model(torch.ones(8, 4, device=device)).sum()
    ```

    ## Fix safety
    Unsafe: the marker and the lines after it move below the profiler scope, where they no longer
    count as traced.

    ## On the engine
    The program raises `RuntimeError: Expecting scope to be empty but it is loss.1` at the first
    cut, even with nothing recorded and in eager mode. With the marker below the scope it launches 1
    graph a step.

    ## References
    - pytorch/xla RFC #6751
    - pytorch/xla #6422, #7123
    """

    code = "XLA301"
    name = "marker-in-trace"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: Cut, state: View) -> Iterator[Finding]:
        scope = state.scopes.profiler
        match event:
            # The exit of a step scope inside a Trace is never reached: its entry has raised.
            case Cut(resets_scope=True, cause=cause) if scope is not None and cause is not Cause.SCOPE_EXIT:
                what = WHAT[cause].format(spelling=event.spelling)
                yield self.finding(
                    event,
                    f"raises RuntimeError: {what} while `{scope.kind.value}` is still open",
                    help=HELP.get(cause, "move it below the profiler's `with` block"),
                    owner=scope,
                    cures=(_cure(event, scope),),
                )


def _cure(event: Cut, scope: Scope) -> Cure:
    site, ends_step = event.site, scope.kind is ScopeKind.STEP_TRACE
    match event.cause:
        case Cause.MARKER if ends_step:
            return Remove(
                site, title="Remove the marker: the end of the `StepTrace` cuts the graph", changes=""
            )
        case Cause.BARRIER:
            also = () if ends_step else (SyncBelow(scope),)
            title = "Remove `barrier=True`" if ends_step else "Sync below the profiler scope instead"
            return DropArgument(site, "barrier", title=title, also=also)
        case Cause.SCOPE_ENTRY:
            return Swap(scope, site, title="Open the profiler scope inside the step")
        case Cause.LOADER:
            title, shown = "Open the profiler scope inside the loop", Applicability.SHOWN
            return Swap(scope, site, title=title, applicability=shown)
        case Cause.STEP_TRACE:
            return Swap(scope, site, title="Make the `StepTrace` the outer scope")
    return EndBefore(scope, site, title="End the profiler scope before it")


WHAT = {
    Cause.MARKER: "`{spelling}` cuts the graph",
    Cause.BARRIER: "`optimizer_step(barrier=True)` cuts the graph",
    Cause.SCOPE_ENTRY: "a step opens",
    Cause.SCOPE_EXIT: "a step closes",
    Cause.LOADER: "the loader's next batch cuts the graph",
    Cause.STEP_TRACE: "a `StepTrace` closes",
    Cause.RENDEZVOUS: "a rendezvous cuts the graph",
    Cause.FRAMEWORK: "the framework cuts the graph",
}

HELP = {
    Cause.BARRIER: "remove `barrier=True`, and call `torch_xla.sync()` below the profiler's `with` block",
    Cause.SCOPE_ENTRY: "swap them: open the profiler scope inside the step",
    Cause.LOADER: "open the profiler scope inside the loop, around one step",
    Cause.STEP_TRACE: "make the `StepTrace` the outermost profiler scope",
}
