"""XLA204: a graph cut inside a step scope."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import LAST_DIGITS, Cure, DropArgument, MoveBelow, Remove, Swap, Unwrap
from xlalint.diagnostic import Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import Cut, StepCut
from xlalint.lazy.scopes import Scope, ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.state import View
from xlalint.lazy.values import NOTHING
from xlalint.rule import Finding, Rule


class MarkerInStep(Rule[Cut | StepCut]):
    """
    ## What it does
    Finds graph cuts inside `torch_xla.step()` or a function compiled by `torch_xla.compile`, at any
    depth of calls: markers (`torch_xla.sync()`, `xm.mark_step()`), barriers, rendezvous, the next
    batch of a loader, and nested steps.

    ## Why is this bad?
    The step was meant to be one graph and becomes several. Each is compiled and launched on its
    own, and results are carried from one to the next. Under `full_graph=True` the cut raises an
    error. One that comes first or last in its step does no harm, and is only a note.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(3)]

    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to("xla")).square().mean()
            loss.backward()
            torch_xla.sync()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(4, 8) for _ in range(3)]

    for batch in batches:
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(batch.to("xla")).square().mean()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    Unsafe: the marker goes. Someone may have cut the graph because it was too large to compile;
    without the cut it is that large again.

    ## On the engine
    Ten steps with a marker before the optimizer step launch 20 graphs, without it 10.

    ## References
    - [RFC #6751](https://github.com/pytorch/xla/issues/6751), the step scope
    """

    code = "XLA204"
    name = "marker-in-step"
    severity = Severity.WARNING
    yields_to = ("XLA301",)

    def judge(self, event: Cut | StepCut, state: View) -> Iterator[Finding]:
        scope = state.scopes.step
        if scope is None or event.cause not in _CUTS:
            return
        subject, cure = _CUTS[event.cause]
        whole = state.scopes.of(ScopeKind.FULL_GRAPH) is not None
        last = event.last if isinstance(event, StepCut) else event.recorded == NOTHING
        waits = not (whole or last) and isinstance(event, Cut)
        if event.cause.explicit and (waits or (whole and isinstance(event, StepCut))):
            return  # what follows will tell, or it has been told
        last &= event.cause.explicit
        harm = "`full_graph=True` raises an error" if whole else _IN_VAIN if last else _SPLITS
        severity = Severity.ERROR if whole else Severity.INFO if last else None
        yield self.finding(
            event,
            f"{harm}: {subject} cuts the step that opens on {{owner}}",
            help=cure,
            owner=scope,
            severity=severity,
            cures=(_cure(event.cause, event.path[-1], scope),),
        )


def _cure(cause: Cause, site: Site, scope: Scope) -> Cure:
    match cause:
        case Cause.BARRIER:
            return DropArgument(site, "barrier", title="Remove `barrier=True`", changes=LAST_DIGITS)
        case Cause.RENDEZVOUS:
            return MoveBelow(site, scope, title="Move the rendezvous below the step")
        case Cause.LOADER:
            return Swap(scope, site, title="Open one step for each batch")
        case Cause.SCOPE_ENTRY:
            return Unwrap(site, title="Remove the inner step")
    return Remove(site, title="Remove the marker")


_SPLITS, _IN_VAIN = "one step becomes several graphs", "does what the step does itself at this border"
_REMOVE = "remove it: the end of the step runs everything"
_CUTS = {
    Cause.MARKER: ("a marker", _REMOVE),
    Cause.BARRIER: ("`barrier=True`", "remove `barrier=True`: the end of the step runs everything"),
    Cause.RENDEZVOUS: ("a rendezvous", "move it below the step"),
    Cause.FRAMEWORK: ("a call of the framework", "move it below the step"),
    Cause.LOADER: ("the loader's next batch", "move the loop outside, and open one step for each batch"),
    Cause.SCOPE_ENTRY: ("a nested step", "keep only one of the two steps"),
}
