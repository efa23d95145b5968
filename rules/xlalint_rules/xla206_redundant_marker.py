"""XLA206: a marker beside another graph cut, with nothing recorded between."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import RANDOM_NUMBERS, Remove
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import MarkerRepeated
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class RedundantMarker(Rule[MarkerRepeated]):
    """
    ## What it does
    Finds markers (`torch_xla.sync()`, `xm.mark_step()`) that have nothing to run, because another
    graph cut has just been made: the next batch of an `MpDeviceLoader`, the end of a step,
    `optimizer_step(barrier=True)`, another marker. Finds markers that the next batch of a loader
    follows before anything else is recorded or read. Silent about `wait=True`, about a marker that
    runs step closures, and about one in a helper that other code may need.

    ## Why is this bad?
    It does nothing, and says something wrong: a reader takes it for the end of a step, and adds work
    between the two cuts that is then compiled and launched on its own. Each cut also advances the
    device's random state. It costs next to nothing on the device, so the rule is off by default.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8).to("xla")).square().mean().backward()
        xm.optimizer_step(optimizer, barrier=True)
        torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    model = torch.nn.Linear(8, 1).to("xla")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8).to("xla")).square().mean().backward()
        xm.optimizer_step(optimizer, barrier=True)
    ```

    ## Fix safety
    Unsafe: the marker goes. An empty cut still advances the device's random state, so that dropout
    draws other numbers without it: measured on torch_xla 2.9. Where an unknown call stands between
    the two cuts, the fix is only shown.

    ## On the engine
    Ten steps with both cuts make 20 cuts and launch 10 graphs, as without the marker.

    ## References
    - [PyTorch on XLA devices](https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html)
    """

    code = "XLA206"
    name = "redundant-marker"
    severity = Severity.INFO
    enabled = False
    yields_to = ("XLA301", "XLA204", "XLA205")

    def judge(self, event: MarkerRepeated, state: View) -> Iterator[Finding]:
        what = _CUTS[event.cause] if len(event.cuts) == 1 else "another graph cut"
        later: Later | None = None
        if event.comes_next:
            later = Later(event.cuts[0], f"{what} cuts the graph here")
            harm = f"this marker does nothing that {what} on {{later}} would not do"
        else:
            harm = f"this marker has nothing to run: {what} on {{since}} has cut the graph already"
        proven = not event.assumes
        yield self.finding(
            event,
            harm,
            help="remove it",
            since=event.cuts,
            cures=(
                Remove(
                    event.site,
                    title="Remove the marker",
                    applicability=Applicability.UNSAFE if proven else Applicability.SHOWN,
                    changes=RANDOM_NUMBERS,
                ),
            ),
            later=later,
        )


_CUTS = {
    Cause.MARKER: "another marker",
    Cause.BARRIER: "`barrier=True`",
    Cause.SCOPE_ENTRY: "the step",
    Cause.SCOPE_EXIT: "the end of the step",
    Cause.LOADER: "the loader's next batch",
    Cause.STEP_TRACE: "the end of `StepTrace`",
    Cause.RENDEZVOUS: "the rendezvous",
    Cause.FRAMEWORK: "the framework's step",
}
