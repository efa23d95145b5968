"""XLA301: a graph cut inside a profiler scope."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, DropArgument, EndBefore, Remove, Swap, SyncBelow
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.events import Cut
from xlalint.lazy.state import Cause, Scope, ScopeKind, View
from xlalint.rule import Finding, Rule


class MarkerInTrace(Rule[Cut]):
    """
    ## What it does
    Finds graph cuts inside `xp.Trace`, `xp.StepTrace` or a function under `@xp.trace_me`: a marker,
    `optimizer_step(barrier=True)`, the entry of a step scope, a rendezvous, the next batch of an
    `MpDeviceLoader`.

    ## Why is this bad?
    A cut wants every profiler scope to be closed. The program raises `RuntimeError: Expecting scope
    to be empty` at the first iteration. `torch_xla.sync(reset_scope=False)` does not ask.

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
    Unsafe: the marker and what follows it in the block are dedented below the profiler scope, so
    they no longer count to the traced region. Only shown where the scope encloses a whole loop.

    ## On the engine
    Raises `RuntimeError: Expecting scope to be empty but it is loss.1` at the first cut, even with
    nothing recorded and in eager mode; the dedented program launches 1 graph a step.

    ## References
    - pytorch/xla RFC #6751
    - pytorch/xla #6422, #7123
    """

    code = "XLA301"
    name = "marker-in-trace"
    severity = Severity.ERROR

    def judge(self, event: Cut, state: View) -> Iterator[Finding]:
        scope = state.scopes.profiler
        match event:
            # The exit of a step scope inside a Trace is never reached: its entry has raised.
            case Cut(resets_scope=True, cause=cause) if scope is not None and cause is not Cause.SCOPE_EXIT:
                what = WHAT[cause].format(spelling=event.spelling)
                yield self.finding(
                    event,
                    f"{what} inside `{scope.kind.value}` raises RuntimeError: that scope is still open",
                    help=HELP.get(cause, "move it below the `with` block of the profiler scope"),
                    owner=scope,
                    cures=(_cure(event, scope),),
                )


def _cure(event: Cut, scope: Scope) -> Cure:
    site, ends_step = event.site, scope.kind is ScopeKind.STEP_TRACE
    match event.cause:
        case Cause.MARKER if ends_step:
            return Remove(site, title="Remove the marker: the end of the `StepTrace` cuts", changes="")
        case Cause.BARRIER:
            also = () if ends_step else (SyncBelow(scope),)
            title = "Drop `barrier=True`" if ends_step else "Cut below the profiler scope"
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
    Cause.MARKER: "`{spelling}`",
    Cause.BARRIER: "`optimizer_step(barrier=True)`",
    Cause.SCOPE_ENTRY: "opening a step scope",
    Cause.SCOPE_EXIT: "closing a step scope",
    Cause.LOADER: "the loader's next batch cuts the graph, which",
    Cause.STEP_TRACE: "closing a `StepTrace`",
    Cause.RENDEZVOUS: "a rendezvous cuts the graph, which",
}

HELP = {
    Cause.BARRIER: "drop `barrier=True` and cut below the `with` block of the profiler scope",
    Cause.SCOPE_ENTRY: "turn them around: open the profiler scope inside the step",
    Cause.LOADER: "open the profiler scope inside the loop, around one step",
    Cause.STEP_TRACE: "a `StepTrace` must be the outermost profiler scope",
}
