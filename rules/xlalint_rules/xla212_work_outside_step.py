"""XLA212: device work in the loop, outside its step scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xlalint.diagnostic import Severity
from xlalint.lazy.events import Cause, Cut, Event, HostRead, LoopLeft
from xlalint.lazy.site import Site
from xlalint.lazy.state import Deed, State
from xlalint.lazy.values import Kind, Recorded, Value, Weight
from xlalint.rule import Finding, Rule

STEP_SCOPE = "step scope"


class WorkOutsideStep(Rule):
    """
    ## What it does
    Finds device work that a training loop records outside its own step scope: augmentation above
    it, moving averages or metrics below it, arithmetic or a comparison on a result just before the
    result is read.

    ## Why is this bad?
    `torch_xla.step()` cuts the graph at its entry and at its exit. What is recorded between two
    scopes becomes a graph of its own in every iteration: compiled once more, launched once more,
    and not fused with the step.

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
    Unsafe: work moves into the scope; `(loss / 8).item()` becomes `loss.item() / 8`, which Python
    computes in double precision.

    ## On the engine
    A division before the read doubles the launched graphs: 5 in 5 steps without it, 10 with it. An
    augmentation above the scope or a moving average below it costs the same.

    ## References
    - pytorch/xla RFC #7253
    """

    code = "XLA212"
    name = "work-outside-step"
    severity = Severity.WARNING
    events = (Cut, HostRead, LoopLeft)
    yields_to = ("XLA106", "XLA101", "XLA103", "XLA102")

    def judge(self, event: Event, state: State) -> Iterator[Finding]:
        if state.step is not None or state.in_closure:
            return
        match event:
            case Cut(cause=Cause.SCOPE_ENTRY | Cause.LOADER, recorded=recorded, since=since):
                if _is_work(recorded) and since and state.in_loop and _has_step_scope(state.done):
                    yield self._recorded_outside(event, since)
            case LoopLeft(recorded=recorded, done=done, since=since):
                if _is_work(recorded) and since and _has_step_scope(done):
                    yield self._recorded_outside(event, since)
            # Heavy work that is read and then cut runs twice: that is XLA102.
            case HostRead(value=Value(kind=Kind.TENSOR, recorded=Recorded(must=Weight.LIGHT))):
                if state.in_loop and _has_step_scope(state.done):
                    yield self._recorded_outside(event, state.since)

    def _recorded_outside(self, event: Event, since: tuple[Site, ...]) -> Finding:
        finding = self.finding(
            event,
            "device work outside the loop's step scope: a graph of its own in every iteration",
            help="move it into the `with` block of the step, or read first and compute on the host: "
            "`loss.item() / n`",
        )
        # A caller's work has no place in this function; then the event has to stand for it.
        own = [site for site in since if not site.is_entry]
        return replace(finding, path=(own[0],)) if own else finding


def _is_work(recorded: Recorded) -> bool:
    return recorded.must >= Weight.LIGHT


def _has_step_scope(done: frozenset[Deed]) -> bool:
    # The step of a loop further in is not this loop's: an evaluation after it is no hot path.
    return any(deed.what == STEP_SCOPE and not deed.nested for deed in done)
