"""XLA105: a device value is read for every batch, if only after the graph cut."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule


class HostReadEveryIteration(Rule[HostRead]):
    """
    ## What it does
    Finds reads of device values in every round of a loop over a loader, also where the step has ended before.
    Reads under a test of a counter, such as `step % 100 == 0`, and in step closures are not meant.

    Reads in a step are XLA101's, and those of a step that has not run yet XLA102's. The guard does not tell
    of these: it counts them, and sees no test of a counter that has led to one.

    ## Why is this bad?
    The device idles. The host waits in each round until the step has run, and only then begins to record the
    next one; without the read it records the next while the device still computes this one.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    model = torch.nn.Linear(8, 1).to("xla")
    loader = pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], torch_xla.device())

    for step, batch in enumerate(loader):
        with torch_xla.step():
            loss = model(batch).square().mean()
        print(step, loss.item())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    model = torch.nn.Linear(8, 1).to("xla")
    loader = pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], torch_xla.device())

    for step, batch in enumerate(loader):
        with torch_xla.step():
            loss = model(batch).square().mean()
        if step % 100 == 0:
            print(step, loss.item())
    ```

    ## Fix safety
    Only shown: how often a number is wanted is for you to say. A sum over the steps may stay on the device,
    and be read once; `xm.add_step_closure(..., run_async=True)` reads in another thread.

    ## On the engine
    A read after the cut launches no graph: what it costs is time, in which the device has nothing to do.

    ## References
    - [Troubleshooting](https://docs.pytorch.org/xla/master/learn/troubleshoot.html)
    """

    code = "XLA105"
    name = "host-read-every-iteration"
    severity = Severity.INFO
    enabled = False
    of_text = True
    yields_to = ("XLA106", "XLA101", "XLA103", "XLA102", "XLA104", "XLA212", "XLA703")

    def judge(self, event: HostRead, state: View) -> Iterator[Finding]:
        value, scopes = event.value, state.scopes
        if not (event.in_every_round and value.is_device and value.known) or state.eager:
            return
        if scopes.step is not None or scopes.in_closure or value.recorded.may is Weight.HEAVY:
            return
        yield self.finding(
            event,
            f"the device idles after each step: `{event.spelling}` waits for it before the next is recorded",
            help="read once in so many steps, or sum up on the device and read below the loop",
            cures=(ByHand(event.site, title="Read once in so many steps"),),
        )
