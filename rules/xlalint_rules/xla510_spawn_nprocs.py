"""XLA510: replicas launched with a number of processes that torch_xla does not accept."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import DropArgument
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ReplicasLaunched
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule

PJRT_ALONE = (2, 1)
"""The first release without XRT, in which any number could be asked for."""


class SpawnNprocs(Rule[ReplicasLaunched]):
    """
    ## What it does
    Finds `xmp.spawn` with an `nprocs` other than 1 or `None`, also one that an option or an environment
    variable is by default or that a test finds to be more than 1, and `torch_xla.launch` with any. The guard
    does not tell: while a program runs, the error that is raised says so itself.

    ## Why is this bad?
    The program ends before it starts: `xmp.spawn` raises `ValueError`, and `torch_xla.launch`, which
    has no such parameter, `TypeError`. Since torch_xla 2.1 a replica is started for every device;
    `nprocs=8` is left over from the time of XRT. To use fewer devices, set an environment variable
    such as `TPU_NUM_DEVICES` or `CPU_NUM_DEVICES`.

    ## Example
    ```python
    import torch_xla.distributed.xla_multiprocessing as xmp


    def train(index):
        print("replica", index)


    if __name__ == "__main__":
        xmp.spawn(train, nprocs=8)
    ```

    ## Use instead
    ```python
    import torch_xla


    def train(index):
        print("replica", index)


    if __name__ == "__main__":
        torch_xla.launch(train)
    ```

    ## Fix safety
    Unsafe: the argument goes. The program then runs on all devices, however many there are, and a batch
    size or learning rate that was chosen for `nprocs` replicas may no longer fit.

    ## On the engine
    `nprocs=8` raises `ValueError`, on one device and on eight. Without it the program runs.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/_internal/pjrt.py (`spawn`)
    """

    code = "XLA510"
    name = "spawn-nprocs"
    severity = Severity.ERROR
    raises = True
    of_text = True

    def judge(self, event: ReplicasLaunched, state: View) -> Iterator[Finding]:
        if self.target.high is not None and self.target.high < PJRT_ALONE:
            return
        cures = (
            DropArgument(event.site, "nprocs", title="Use all devices", changes="it runs on all devices"),
        )
        if not event.accepted:
            yield self.finding(
                event,
                "raises `TypeError`: `torch_xla.launch` has no parameter `nprocs`",
                help="leave it out: a replica is started for each device",
                cures=cures,
            )
        elif event.several or event.processes not in (None, 1):
            number = "more than 1" if event.several else event.processes
            yield self.finding(
                event,
                f"raises `ValueError`: `nprocs` is {number}, and may only be 1 or None",
                help="leave it out: a replica is started for each device; to use fewer, set "
                "`TPU_NUM_DEVICES` or the like in the environment",
                cures=cures,
            )
