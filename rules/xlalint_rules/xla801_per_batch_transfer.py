"""XLA801: batches that are moved to the device one by one, while it waits."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, LoadAhead
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LoopLeft
from xlalint.lazy.state import View
from xlalint.lazy.values import Kind
from xlalint.rule import Finding, Rule


class PerBatchTransfer(Rule[LoopLeft]):
    """
    ## What it does
    Finds loops over a `DataLoader` of torch that move each batch to the device by `.to(device)`.

    Silent for lists and generators: nobody waits for workers there.

    ## Why is this bad?
    The transfer is waited for in each step. `MpDeviceLoader` moves the next batches by a thread of its own
    while the device computes, and ends the step. In pytorch/xla #3043 that took 3 to 4 % off a step of BERT;
    where batches are small it takes nothing off. It is no more than a hint, and off by default: nearly every
    program that is ported begins like this.

    ## Example
    ```python
    import torch
    import torch_xla
    from torchvision.datasets import FakeData
    from torchvision.transforms import ToTensor

    device = torch_xla.device()
    model = torch.nn.Linear(224, 10).to(device)
    loader = torch.utils.data.DataLoader(FakeData(64, transform=ToTensor()), batch_size=8, drop_last=True)
    for images, labels in loader:
        with torch_xla.step():
            model(images.to(device)).sum().backward()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl
    from torchvision.datasets import FakeData
    from torchvision.transforms import ToTensor

    device = torch_xla.device()
    model = torch.nn.Linear(224, 10).to(device)
    loader = torch.utils.data.DataLoader(FakeData(64, transform=ToTensor()), batch_size=8, drop_last=True)
    for images, labels in pl.MpDeviceLoader(loader, device):
        with torch_xla.step():
            model(images).sum().backward()
    ```

    ## Fix safety
    Unsafe: `MpDeviceLoader` cuts the graph before each batch, and a cut advances the device's random state.
    So the loop must cut there, too: by a step or a marker in each round, or by a marker in every n-th, which
    becomes `batches_per_execution=n`. Transfers that have become needless stay: what is no tensor, list,
    tuple or dict of such is moved by them alone.

    ## On the engine
    The same graphs are launched; what is saved is time, which is not measured on a CPU.

    ## References
    - https://github.com/pytorch/xla/issues/3043
    """

    code = "XLA801"
    name = "per-batch-transfer"
    severity = Severity.INFO
    enabled = False

    def judge(self, event: LoopLeft, state: View) -> Iterator[Finding]:
        over = event.over
        if over is None or over.kind is not Kind.LOADER or not over.sure or not event.loop.own.moves:
            return
        yield self.finding(
            event,
            "the device waits for each batch: it is moved there in the step that needs it",
            help="go over `pl.MpDeviceLoader(loader, device)`, which moves the next batches meanwhile",
            cures=(LoadAhead(event.site), ByHand(event.site, title="Load the batches ahead")),
        )
