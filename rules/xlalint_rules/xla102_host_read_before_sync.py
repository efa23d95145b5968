"""XLA102: a device value is read on the host, and a later graph cut runs the step again."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, MoveBelow, SyncBefore, WrapBody
from xlalint.diagnostic import Severity
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import ReadThenCut
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule
from xlalint.spelling import COMPUTED_INTO


class HostReadBeforeSync(Rule[ReadThenCut]):
    """
    ## What it does
    Finds reads of device values before the graph cut that ends their step: a marker
    (`torch_xla.sync()`, `xm.mark_step()`), the next batch of an `MpDeviceLoader`, or the entry of a
    step. The value must depend on a forward, a backward or an optimizer step that has not run yet.
    A warning in a loop, otherwise an info: also where the cut comes below an evaluation of which each
    batch is let go for the next, so that only the last one runs twice. Inside a step,
    `host-read-in-step` reports it. `total += loss` reads, too, where `total` is a tensor on the CPU.

    ## Why is this bad?
    The step is executed twice. The read runs the operations that the value needs, but torch_xla
    keeps them recorded, so that the cut runs all of them again. Both graphs also have to be
    compiled.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], device)
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        print(loss.item())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

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
        print(loss.item())
    ```

    ## Fix safety
    Unsafe: the loop body becomes a step with the read below it, or a `torch_xla.sync()` comes before
    the read, above the master's test. Each graph cut advances the device's random state: dropout differs.

    ## On the engine
    Ten steps that read their loss before the loader's next batch launch 20 graphs. With the work in
    `torch_xla.step()` and the read below it they launch 10. Losses and parameters are the same, bit
    for bit.

    ## References
    - [Troubleshooting](https://docs.pytorch.org/xla/master/learn/troubleshoot.html)
    - [pytorch/xla #2120](https://github.com/pytorch/xla/issues/2120)
    """

    code = "XLA102"
    name = "host-read-before-sync"
    severity = Severity.WARNING
    yields_to = ("XLA106", "XLA101", "XLA103", "XLA202", "XLA703")

    def judge(self, event: ReadThenCut, state: View) -> Iterator[Finding]:
        read = event.obligation
        what = "last iteration" if read.of_last_round else "step"
        in_loop = _OF_FRAMEWORK if event.cause is Cause.FRAMEWORK else _OF_LOOP
        yield self.finding(
            event,
            f"the device runs the {what} twice, for the same result: "
            f"`{read.detail}` runs the work recorded since {{since}}, and "
            f"{event.cause.in_words} runs it again",
            help=_ON_DEVICE if COMPUTED_INTO in read.detail else in_loop,
            severity=Severity.WARNING if read.in_loop and not read.of_last_round else Severity.INFO,
            since=read.since,
            cures=tuple(_cures(event, state)),
        )


def _cures(event: ReadThenCut, state: View) -> Iterator[Cure]:
    # Where a called function reads, the call moves, but the sync comes to the read itself.
    cut, what, scopes, in_loop = event.site, event.path[0], state.scopes, event.obligation.in_loop
    work = tuple(site for site in event.obligation.since if not (site.is_entry or site.in_framework))
    if COMPUTED_INTO in event.obligation.detail:
        yield ByHand(what, title="Make the tensor on the device, by `device=`")
        return
    closed = scopes.profiler or scopes.in_forward or state.opened_step
    reads_its_own = any(f.site == what and f.leaves is Weight.HEAVY for f in event.fetches)
    if in_loop and scopes.in_loop and not (closed or reads_its_own):
        if event.cause is Cause.MARKER:
            yield WrapBody(what, markers=(cut,), below=(what,), recorded=work).of_loop(event.fetches)
        elif event.cause is Cause.LOADER:
            yield WrapBody(cut, below=(what,), recorded=work).of_loop(event.fetches)
    # A read in a loop that ends before the cut stays in it.
    if event.cause in _STATEMENTS and in_loop <= scopes.in_loop and not reads_its_own:
        yield MoveBelow(what, cut, title="Move the read below the cut")
    yield SyncBefore(event.path[-1], work, title="Sync before the read")
    if len(event.path) > 1 and not reads_its_own:
        yield SyncBefore(what, work, title="Sync before the call that reads")


_OF_LOOP = "put the step in `with torch_xla.step():` and read below it, or sync before the read"
_ON_DEVICE = "make the tensor on the device, by `device=`, and read it below the loop"
_OF_FRAMEWORK = "the framework ends the step after this: read `loss.detach()` in the next step, or seldom"

_STATEMENTS = (Cause.MARKER, Cause.BARRIER, Cause.STEP_TRACE)
