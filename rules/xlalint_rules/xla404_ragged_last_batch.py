"""XLA404: the last batch of an epoch has another size, and the step is compiled again for it."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import PassArgument
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LastBatchSmaller
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class RaggedLastBatch(Rule[LastBatchSmaller]):
    """
    ## What it does
    Finds a `DataLoader` without `drop_last=True` that feeds a training loop on the device.

    It is *likely*, as the number of samples is seldom known from the source, and then for information
    only: in public code, one in two such data sets was a multiple of the batch. The guard knows it. It is
    known of well-known data sets, and of what a range takes (`dataset.select(range(1000))`, `Subset`); of
    how many replicas share it, four and eight are tried.
    Silent with a batch size of 1, with a `batch_sampler` or a sampler that nobody knows, over an
    `IterableDataset`, and where a framework makes the device loader, which may fill the batch up.

    ## Why is this bad?
    The whole step is compiled a second time. Each graph is made for the shapes that it was recorded
    with, and at the end of an epoch the samples that are left make a smaller batch. For a large model
    that costs minutes, at the end of the first epoch; and with several replicas all wait for it.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl
    from torch.utils.data import DataLoader

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(torch.randn(10, 8), batch_size=4)

    for batch in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl
    from torch.utils.data import DataLoader

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(torch.randn(10, 8), batch_size=4, drop_last=True)

    for batch in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    ```

    ## Fix safety
    Unsafe: `drop_last=True` leaves up to a batch of samples out of each epoch, other ones each time if
    they are shuffled. A loader that is also gone over to evaluate is left alone. Where every sample
    counts, fill the last batch up to the full size instead.

    ## On the engine
    One epoch of 10 samples in batches of 4 compiles one graph more than with `drop_last=True`.

    ## References
    - [Recompilation](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    - pytorch/xla #1279, #2020
    """

    code = "XLA404"
    name = "ragged-last-batch"
    severity = Severity.WARNING

    def judge(self, event: LastBatchSmaller, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            "compiles the step again: the last batch of an epoch is smaller than the others",
            help="pass `drop_last=True`, or fill the last batch up to the full size",
            cures=(
                PassArgument(
                    event.built[-1],
                    "drop_last",
                    "True",
                    for_one=True,
                    title="Drop the last batch by `drop_last=True`",
                    changes="up to a batch of samples is left out of each epoch",
                ),
            ),
        )
