"""XLA514: replicas that all train on all the samples."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import SamplesRepeated
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class MissingDistributedSampler(Rule[SamplesRepeated]):
    """
    ## What it does
    Finds loops that train several replicas over a `DataLoader` without a sampler, whose samples are the same
    on every replica.

    ## Why is this bad?
    An epoch takes as long as on one device. Every replica goes through all the samples, and with the same
    seed they even compute the same gradients; a `DistributedSampler` gives each of them its part.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.parallel_loader as pl
    from torchvision.datasets import MNIST


    def train(index):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(784, 10).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loader = torch.utils.data.DataLoader(MNIST("data"), batch_size=32, shuffle=True, drop_last=True)
        for images, labels in pl.MpDeviceLoader(loader, device):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images.flatten(1)), labels).backward()
            xm.optimizer_step(optimizer)


    if __name__ == "__main__":
        torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.parallel_loader as pl
    import torch_xla.runtime as xr
    from torchvision.datasets import MNIST


    def train(index):
        torch.manual_seed(0)
        device = torch_xla.device()
        model = torch.nn.Linear(784, 10).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        samples = MNIST("data")
        sampler = torch.utils.data.DistributedSampler(samples, xr.world_size(), xr.global_ordinal())
        loader = torch.utils.data.DataLoader(samples, batch_size=32, sampler=sampler, drop_last=True)
        for images, labels in pl.MpDeviceLoader(loader, device):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images.flatten(1)), labels).backward()
            xm.optimizer_step(optimizer)


    if __name__ == "__main__":
        torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: a sampler takes the place of `shuffle`, wants `set_epoch` in every epoch, and changes how many
    steps an epoch has.

    ## On the engine
    Not measured: it is the number of samples that each replica gets.

    ## References
    - https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    """

    code = "XLA514"
    name = "missing-distributed-sampler"
    severity = Severity.INFO
    enabled = False

    def judge(self, event: SamplesRepeated, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            "an epoch takes as long as on one device: every replica trains on all the samples of this loader",
            help="pass `sampler=DistributedSampler(dataset, xr.world_size(), xr.global_ordinal())`",
            cures=(ByHand(event.built[-1], title="Give each replica its part by a `DistributedSampler`"),),
        )
