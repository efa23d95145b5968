"""XLA302: the time is taken of work that the device has not done yet."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, WaitBefore
from xlalint.diagnostic import Severity
from xlalint.lazy.events import WorkTimed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class AsynchronousTiming(Rule[WorkTimed]):
    """
    ## What it does
    Finds clocks around work on the device with nothing between that waits for it: around one step, and
    around a loop of at most 128 rounds that trains nothing.

    ## Why is this bad?
    The number is wrong, often a hundred times too small. The device works while Python goes on: between
    the two clocks Python records operations, and `torch_xla.sync()` hands them over without waiting. What
    is measured is how long that takes. Python goes on until 32 graphs wait for the device: the time of a
    loop with fewer rounds says nothing of the device, that of 100 rounds leaves out a third.

    `torch_xla.sync(wait=True)` waits until the graph is handed over, not until the device has run it. A
    read of the result waits, and `xm.wait_device_ops()` does for all that has been launched: of what is
    recorded only, it knows nothing, so a sync comes first.

    Silent about loops that step an optimizer, in which the device was at most one step behind, about those
    of which the number of rounds is not known, and where the clocks are in different rounds.

    ## Example
    ```python
    import time

    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    x = torch.randn(512, 512, device="xla")
    torch_xla.sync()
    xm.wait_device_ops()
    start = time.perf_counter()
    for _ in range(10):
        with torch_xla.step():
            y = x @ x
    print((time.perf_counter() - start) / 10)
    ```

    ## Use instead
    ```python
    import time

    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    x = torch.randn(512, 512, device="xla")
    torch_xla.sync()
    xm.wait_device_ops()
    start = time.perf_counter()
    for _ in range(10):
        with torch_xla.step():
            y = x @ x
    xm.wait_device_ops()
    print((time.perf_counter() - start) / 10)
    ```

    ## Fix safety
    Unsafe: the host waits there for the device, where it went on before. In a training loop that costs
    time; measure a few steps, or leave the measuring to a profiler.

    ## On the engine
    Twelve products of large matrices: 0.5 ms with `torch_xla.sync()` and with `torch_xla.sync(wait=True)`,
    150 ms with `xm.wait_device_ops()` below. Of eight such products in each round, 10 rounds show 5 % of the
    time, 30 rounds 2 %, 50 rounds 34 %, 100 rounds 69 %, 200 rounds 85 %; with steps of an optimizer, one
    round shows 10 %, ten or more show all.

    ## References
    - [Recording and execution](https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html)
    - pytorch/xla #1665, #4626, #7815, #8858
    """

    code = "XLA302"
    name = "asynchronous-timing"
    severity = Severity.INFO
    of_text = True

    def judge(self, event: WorkTimed, state: View) -> Iterator[Finding]:
        cure: Cure = WaitBefore(event.read)
        if not event.launched:
            cure = ByHand(event.site, title="Cut by `torch_xla.sync()` and wait by `xm.wait_device_ops()`")
        yield self.finding(
            event,
            "the time leaves out what the device has yet to do: it is up to 32 graphs behind Python, and "
            "nothing waits for it between the two clocks",
            help="wait before the clock is read, by `torch_xla.sync()` and `xm.wait_device_ops()`, or by "
            "reading the result",
            cures=(cure,),
        )
