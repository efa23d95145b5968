"""XLA505: samples of all replicas, parted by the number of a replica within its host."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Rename
from xlalint.diagnostic import Severity
from xlalint.lazy.events import NumberedWithinHost
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class LocalOrdinalAsGlobal(Rule[NumberedWithinHost]):
    """
    ## What it does
    Finds a `DistributedSampler` over all replicas whose `rank` counts those of one host alone:
    `xr.local_ordinal()`, `xm.get_local_ordinal()` or the environment variable `LOCAL_RANK`, beside
    `num_replicas=xr.world_size()` or none.

    Silent where `num_replicas` is any other number: each host may have samples of its own. The index that
    `torch_xla.launch` and `xmp.spawn` hand over counts all replicas in torch_xla 2.9, and is right here.
    `xm.is_master_ordinal()`, which is true once on every host, is not reported: most programs want a folder
    or a log on each.

    ## Why is this bad?
    On several hosts most samples are never trained on. Local numbers begin at 0 on every host, so that the
    hosts all take the parts of the first one, and no error says so. On one host the two numbers are the same,
    which is where such programs are tried.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr
    from torchvision.datasets import MNIST


    def train(index):
        samples = MNIST("data")
        sampler = torch.utils.data.DistributedSampler(
            samples, num_replicas=xr.world_size(), rank=xr.local_ordinal()
        )
        loader = torch.utils.data.DataLoader(samples, batch_size=32, sampler=sampler, drop_last=True)


    if __name__ == "__main__":
        torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr
    from torchvision.datasets import MNIST


    def train(index):
        samples = MNIST("data")
        sampler = torch.utils.data.DistributedSampler(
            samples, num_replicas=xr.world_size(), rank=xr.global_ordinal()
        )
        loader = torch.utils.data.DataLoader(samples, batch_size=32, sampler=sampler, drop_last=True)


    if __name__ == "__main__":
        torch_xla.launch(train)
    ```

    ## Fix safety
    Unsafe: replicas of other hosts get other samples, which is what is meant. A number that the program
    keeps under a name is left alone, as it may serve for something else, too.

    ## On the engine
    Not measured: one host is all there is on a CPU, and there both numbers are the same.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/runtime.py (`local_ordinal`, `global_ordinal`)
    """

    code = "XLA505"
    name = "local-ordinal-as-global"
    severity = Severity.ERROR

    def judge(self, event: NumberedWithinHost, state: View) -> Iterator[Finding]:
        title = "Count over all hosts, by `xr.global_ordinal()`"
        rename = (
            (Rename(event.asked, event.name, "torch_xla.runtime.global_ordinal", title=title),)
            if event.asked is not None
            else ()
        )
        yield self.finding(
            event,
            "on several hosts most samples are never trained on: `rank` begins at 0 on each of them, and "
            "`num_replicas` counts them all",
            help="pass `rank=xr.global_ordinal()`",
            later=_asked_for(event),
            cures=(*rename, ByHand(event.site, title=title)),
        )


def _asked_for(event: NumberedWithinHost) -> Later | None:
    if event.counted is None or event.asked is not None:
        return None
    return Later(event.counted, "this number counts the replicas of one host")
