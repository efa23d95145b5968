"""XLA302: the time is taken of work that the device has not done yet."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, PassArgument
from xlalint.diagnostic import Severity
from xlalint.lazy.events import WorkTimed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class AsynchronousTiming(Rule[WorkTimed]):
    """
    ## What it does
    Finds clocks around work on the device with nothing between that waits for it.

    ## Why is this bad?
    The number is wrong, often a thousand times too small. The device works while Python goes on: between
    the two clocks Python records operations, and `torch_xla.sync()` hands them over without waiting. What
    is measured is how long that takes.

    A read of the result waits, as do `torch_xla.sync(wait=True)` and `xm.wait_device_ops()`. Silent where
    the clocks are in different rounds of a loop: over many steps the device keeps up with Python.

    ## Example
    ```python
    import time

    import torch
    import torch_xla

    x = torch.randn(512, 512, device="xla")
    torch_xla.sync(wait=True)
    start = time.perf_counter()
    y = x @ x
    torch_xla.sync()
    print(time.perf_counter() - start)
    ```

    ## Use instead
    ```python
    import time

    import torch
    import torch_xla

    x = torch.randn(512, 512, device="xla")
    torch_xla.sync(wait=True)
    start = time.perf_counter()
    y = x @ x
    torch_xla.sync(wait=True)
    print(time.perf_counter() - start)
    ```

    ## Fix safety
    Unsafe: the host waits there for the device, where it went on before. In a training loop that costs
    time; measure a few steps, or leave the measuring to a profiler.

    ## On the engine
    Twelve products of large matrices: 0.4 ms until they are recorded, 0.5 ms with `torch_xla.sync()`,
    1245 ms with `torch_xla.sync(wait=True)`.

    ## References
    - [Recording and execution](https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html)
    - pytorch/xla #8858
    """

    code = "XLA302"
    name = "asynchronous-timing"
    severity = Severity.INFO
    of_text = True

    def judge(self, event: WorkTimed, state: View) -> Iterator[Finding]:
        cure: Cure = ByHand(event.site, title="Wait by `torch_xla.sync(wait=True)` before the clock is read")
        if event.marker is not None:
            cure = PassArgument(
                event.marker,
                "wait",
                "True",
                title="Wait for the device by `wait=True`",
                changes="the host waits there for the device",
            )
        yield self.finding(
            event,
            "measures how long Python records, not how long the device computes: nothing waits for the work "
            "between the two clocks",
            help="wait before the clock is read, by `torch_xla.sync(wait=True)` or by reading the result",
            cures=(cure,),
        )
