"""XLA805: SPMD is turned on too late, or not at all where tensors are sharded."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, MoveAbove
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Sharded, SpmdTooLate
from xlalint.lazy.sharding import NOT_FROM_OUTSIDE
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class LateSpmd(Rule[SpmdTooLate | Sharded]):
    """
    ## What it does
    Finds `torch_xla.runtime.use_spmd()` below the first use of a device: below `torch_xla.device()`, a
    tensor or model on the device, `torch_xla.manual_seed`, but also `xm.is_master_ordinal()` or
    `xp.start_server`, or in a function that is launched as replicas. Also finds tensors that are sharded
    where SPMD is not on.

    ## Why is this bad?
    The program dies without a Python error where the next tensor moves to the device, or tensors that
    exist are copied to all devices first. The first use of a device settles for good that it is one of
    several; SPMD needs the virtual device that stands for all of them. torch_xla only warns. Sharding
    without SPMD raises `RuntimeError`.

    Silent below `xr.world_size()`, `xr.process_index()`, `xr.global_runtime_device_count()` and `xs.Mesh`,
    which leave it open, and where the program sets `XLA_USE_SPMD` itself, or a README, a shell script or a
    file of a container in its folder, or in one around that, names it.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr

    device = torch_xla.device()
    xr.use_spmd()
    model = torch.nn.Linear(4, 4).to(device)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr

    xr.use_spmd()
    device = torch_xla.device()
    model = torch.nn.Linear(4, 4).to(device)
    ```

    ## Fix safety
    Unsafe: `use_spmd()` moves above the first use of a device in the same block. Only shown in a function
    that is launched: `torch_xla.launch` raises where SPMD is on.

    ## On the engine
    With four devices the process ends by a segmentation fault when the next tensor moves to the device.
    With `use_spmd()` first, the program runs. In a launched function the process ends so on one device, too,
    and with `use_spmd()` as the first call there.

    ## References
    - https://github.com/pytorch/xla/blob/master/docs/source/perf/spmd_basic.md
    """

    code = "XLA805"
    name = "late-spmd"
    severity = Severity.ERROR

    def judge(self, event: SpmdTooLate | Sharded, state: View) -> Iterator[Finding]:
        if isinstance(event, SpmdTooLate):
            first = event.path[-1]
            help_ = "call `use_spmd()` first, before anything uses a device"
            cures: tuple[Cure, ...] = (
                MoveAbove(event.site, first, title="Turn SPMD on first"),
                ByHand(first, title="Turn SPMD on above this"),
            )
            if state.replicas.launched:  # which is refused under SPMD
                help_ = "launch no replicas: call `use_spmd()` first, and then the function itself"
                cures = (ByHand(first, title="Call the function itself"),)
            yield self.finding(
                event,
                f"the program dies at the next tensor on the device: `{event.obligation.detail}` uses a "
                "device, and SPMD is turned on only on {later}",
                help=help_,
                cures=cures,
                later=Later(event.site, "SPMD is turned on here"),
            )
        elif state.replicas.spmd is False and not event.fault:
            yield self.finding(
                event,
                f"raises `RuntimeError`: SPMD is not on where `{event.spelling}` shards a tensor",
                help="call `torch_xla.runtime.use_spmd()` first, before anything uses a device",
                assumes=NOT_FROM_OUTSIDE,
                cures=(ByHand(event.site, title="Turn SPMD on where the program begins"),),
            )
