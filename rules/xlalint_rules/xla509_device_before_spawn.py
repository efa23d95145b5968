"""XLA509: the process that launches the replicas has used a device before."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.knowledge import functions, lifecycle
from xlalint.lazy.events import LaunchedTooLate
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class DeviceBeforeSpawn(Rule[LaunchedTooLate]):
    """
    ## What it does
    Finds a device that is used before `xmp.spawn` or `torch_xla.launch`, in the process that launches:
    `torch_xla.device()`, a tensor or model on the device, but also questions such as `xr.world_size()`.

    ## Why is this bad?
    The program ends where it launches: `Runtime is already initialized. Do not use the XLA device before
    calling xmp.spawn.` The first use of a device starts the runtime, and a process that has one cannot
    start replicas, which need the devices for themselves.

    ## Example
    ```python
    import torch_xla


    def train(index):
        print("replica", index)


    if __name__ == "__main__":
        print("training on", torch_xla.device())
        torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch_xla


    def train(index):
        print("replica", index, "on", torch_xla.device())


    if __name__ == "__main__":
        torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: nobody but the author knows what the device was wanted for.

    ## On the engine
    With the device before the launch the program raises `RuntimeError`, with it in the launched function
    the replicas run.

    ## References
    - pytorch/xla #7765, #9303, #1587
    """

    code = "XLA509"
    name = "device-before-spawn"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: LaunchedTooLate, state: View) -> Iterator[Finding]:
        if self._gone(event.obligation.detail):
            return
        yield self.finding(
            event,
            f"the launch on {{later}} raises `RuntimeError`: `{event.obligation.detail}` starts the runtime "
            "in the process that launches the replicas",
            help="use devices in the launched function only",
            cures=(ByHand(event.path[-1], title="Move this into the launched function"),),
            later=Later(event.site, "the replicas are launched here"),
        )

    def _gone(self, spelling: str) -> bool:
        """Whether the target no longer has a function of `xla_model`: it starts nothing, and XLA001 tells."""
        life = lifecycle.of(f"{functions.XM}.{spelling.removesuffix('()').rpartition('.')[2]}")
        return life is not None and life.removed is not None and life.removed <= self.target.high
