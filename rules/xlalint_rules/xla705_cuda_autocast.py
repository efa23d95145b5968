"""XLA705: autocast for CUDA around work on an XLA device."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import AutocastOnXla
from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import is_of_device
from xlalint.lazy.events import WorkInAutocast
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class CudaAutocast(Rule[WorkInAutocast]):
    """
    ## What it does
    Finds `torch.autocast("cuda")` or `torch.cuda.amp.autocast()` around work on an XLA device.

    ## Why is this bad?
    It has no effect: autocast is a setting of one type of device, and the model goes on to compute in
    float32. With `dtype=torch.bfloat16` it raises `RuntimeError` where there is no CUDA device.

    Silent where `enabled` is false, or nobody knows whether it is. *Likely* where the device is one of XLA
    on some ways only, such as with a fallback to another. An info under a flag such as `if self.use_amp:`,
    which may be off on XLA.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    x = torch.ones(8, 4, device=device)
    with torch_xla.step():
        with torch.autocast("cuda"):
            prediction = model(x)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    x = torch.ones(8, 4, device=device)
    with torch_xla.step():
        with torch.autocast("xla"):
            prediction = model(x)
    ```

    ## Fix safety
    Unsafe: the model computes in lower precision, bfloat16 by default, so its numbers change.
    None where the file is for CUDA, too: write `torch.autocast(device.type)` there.

    ## On the engine
    In an autocast for CUDA a linear layer returns float32, in one for XLA bfloat16. With
    `dtype=torch.bfloat16` the one for CUDA raises `RuntimeError`.

    ## References
    - https://github.com/pytorch/xla/blob/master/docs/source/perf/amp.md
    """

    code = "XLA705"
    name = "cuda-autocast"
    severity = Severity.ERROR

    def judge(self, event: WorkInAutocast, state: View) -> Iterator[Finding]:
        if not is_of_device(event.assumes):
            return  # it may not be enabled
        message = "has no effect: this autocast is for CUDA, and the work on {later} is on an XLA device"
        if event.raises:
            message = "raises `RuntimeError`: this autocast is for CUDA, and the device is an XLA device"
        yield self.finding(
            event,
            message,
            help='use `torch.autocast("xla")`',
            cures=(
                AutocastOnXla(
                    event.obligation.since[0] if event.obligation.since else event.path[-1],
                    title="Use the autocast of XLA",
                    changes="the model computes in lower precision",
                ),
            ),
            later=None if event.raises else Later(event.site, "this is computed on an XLA device"),
        )
