"""XLA703: a host read in an optimizer's or gradient scaler's step."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, DropScaler, KeepOnDevice
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead, Reading, ScalerStepped
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.state import View
from xlalint.lazy.values import Role, Weight
from xlalint.rule import Finding, Later, Rule


class ItemInAmpOptimizer(Rule[HostRead | ScalerStepped]):
    """
    ## What it does
    Finds `.item()`, `bool` and other host reads of gradients or `found_inf` in the methods of an
    optimizer or gradient scaler. Also finds gradient scalers that read `found_inf` from the device
    in every step to decide whether to take the step; of those for CUDA only where the optimizer is known
    to be over a model on XLA.

    ## Why is this bad?
    Forward and backward are executed twice: the read comes in the middle of the step and runs them,
    and the end of the step runs them again with the update. bfloat16, the usual type on TPU and
    Trainium, has the range of float32 and needs no scaler.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("xla")
    for _ in range(10):
        optimizer.zero_grad()
        loss = model(torch.ones(8, 4, device=device)).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            with torch.autocast("xla", dtype=torch.bfloat16):
                loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    Unsafe: without the scaler, steps that it would have skipped are taken; `norm.item()` stays
    `norm`. The scaler stays where the file is for CUDA, too. A syncfree optimizer under `scaler.step`
    still reads; it does not if you step it with `found_inf=`. For targets below 2.9 torch_xla has a
    scaler of its own, `torch_xla.amp.GradScaler`, which steps syncfree optimizers without a read.

    ## On the engine
    Five steps with `GradScaler` launch 10 graphs, and 5 without it. The scaler reads one number in
    each step.

    ## References
    - pytorch/xla #3043
    """

    code = "XLA703"
    name = "item-in-amp-optimizer"
    aliases = ("XLA704", "non-syncfree-optimizer")
    severity = Severity.WARNING

    def judge(self, event: HostRead | ScalerStepped, state: View) -> Iterator[Finding]:
        scope = state.scopes.of(ScopeKind.OPTIMIZER)
        match event:
            case HostRead(value=value, spelling=spelling) if scope is not None and value.is_device:
                if value.recorded.may is Weight.HEAVY:
                    cost = "forward and backward are executed twice"
                elif value.role is Role.FOUND_INF:
                    cost = "the host waits for the device in every step"
                else:
                    return
                yield self.finding(
                    event,
                    f"{cost}: `{spelling}` reads a device value in the middle of the optimizer's step",
                    help="decide on the device with `torch.where(found_inf > 0, old, new)`, or use a "
                    "syncfree optimizer and pass it `found_inf=`",
                    owner=scope,
                    cures=(_cure(event),),
                )
            case ScalerStepped(spelling=spelling, built=built) if state.scopes.in_loop and not state.eager:
                hands_on = event.of_xla and self.target.high < _GONE
                if hands_on and event.decides_on_device:
                    return
                yield self.finding(
                    event,
                    "the device runs the step twice, for the same result: "
                    f"`{spelling}` reads `found_inf` on the host in every step",
                    help=_WITHOUT + (_HANDED_ON if hands_on else "and pass it `found_inf=`"),
                    cures=(DropScaler(event.site), ByHand(event.site, title=_SYNCFREE)),
                    later=Later(built[-1], "the optimizer is built here") if built else None,
                )


def _cure(event: HostRead) -> Cure:
    match event.reading:
        case Reading.EXPLICIT | Reading.SCALAR:
            return KeepOnDevice(event.site)
    return ByHand(event.site, title="Decide on the device with `torch.where`")


_GONE = (2, 9)
"""The first release without a scaler of torch_xla's own."""
_WITHOUT = "use bfloat16 autocast without a scaler; for float16, use a syncfree optimizer "
_HANDED_ON = "of `torch_xla.amp.syncfree`, which this scaler steps without a read"
_SYNCFREE = "Step a syncfree optimizer with `found_inf=`"
