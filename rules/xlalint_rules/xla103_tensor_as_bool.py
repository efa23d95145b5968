"""XLA103: Python turns a device tensor into a bool or a number."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import DEVICE_PRECISION, ByHand, Cure, Rename
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead, Reading
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule


class TensorAsBool(Rule[HostRead]):
    """
    ## What it does
    Finds device tensors that Python turns into a bool or a number: `if t:`, `while t < n`, `assert
    t.all()`, `max(t, u)`, `range(t)`, `math.sqrt(t)`. A warning in a loop, otherwise an info, as is what
    comes once for many steps, at the end of an epoch. Inside a step, `host-read-in-step` reports it.

    ## Why is this bad?
    Each use launches an extra graph and blocks the host, although nothing on the line says so:
    Python needs the answer before it can go on. The operations that were recorded so far run again
    at the end of the step.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], device)

    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        if loss > 2.0:
            loss = loss * 0.5
        loss.backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.distributed.parallel_loader as pl

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader([torch.randn(4, 8) for _ in range(3)], device)

    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss = torch.where(loss > 2.0, loss * 0.5, loss)
        loss.backward()
        optimizer.step()
    ```

    ## Fix safety
    `math.sqrt(t)` and the like become `torch.sqrt(t)`, unsafe: the device computes in its own
    precision. All else is only shown: `torch.where` computes both sides, and a loop that ends on a
    device value has to be rewritten by hand.

    ## On the engine
    Ten steps with `if loss > limit` launch 20 graphs, with `torch.where` 10.

    ## References
    - [Recompilation](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    - [PyTorch on XLA devices](https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html)
    """

    code = "XLA103"
    name = "tensor-as-bool"
    severity = Severity.WARNING
    yields_to = ("XLA106", "XLA101", "XLA703")

    def judge(self, event: HostRead, state: View) -> Iterator[Finding]:
        if not event.reading.as_bool or state.scopes.in_closure:
            return
        value = event.value
        if not (value.is_device and value.known and value.recorded.must > Weight.NONE):
            return
        wanted, instead = _USES[event.reading]
        has_run = event.reading is Reading.BOOL and value.recorded.may is not Weight.HEAVY
        hot = (state.scopes.in_loop and not event.after_steps) or state.scopes.step is not None
        yield self.finding(
            event,
            "launches an extra graph and blocks the host: "
            f"`{event.spelling}` turns a device tensor into {wanted}",
            help=_OF_WHAT_HAS_RUN if has_run else instead,
            severity=Severity.WARNING if hot else Severity.INFO,
            cures=(_cure(event),),
        )


def _cure(event: HostRead) -> Cure:
    function = event.spelling.partition("(")[0].rpartition(".")[2]
    if event.reading is Reading.MATH and function in _SAME_IN_TORCH:
        own, new = f"math.{function}", f"torch.{function}"
        return Rename(event.site, own, new, (("x", "input"),), title=f"Use `{new}`", changes=DEVICE_PRECISION)
    return ByHand(event.site, title=_BY_HAND[event.reading])


_SAME_IN_TORCH = frozenset({"cos", "exp", "expm1", "log", "log10", "log1p", "log2", "sin", "sqrt", "tan"})
_BY_HAND = {
    Reading.BOOL: "Choose on the device with `torch.where`",
    Reading.INDEX: "Index on the device with `torch.index_select`",
    Reading.MATH: "Compare on the device with `torch.maximum` or `torch.minimum`",
}
_OF_WHAT_HAS_RUN = "no sync is missing: read what has run, by `.item()`, and compare it in Python; ask rarely"
_USES = {
    Reading.BOOL: (
        "a Python bool",
        "where a loop or a branch needs it, call `torch_xla.sync()` first and ask rarely; to choose between "
        "tensors, use `torch.where`",
    ),
    Reading.INDEX: (
        "a Python integer",
        "keep the count on the host, or index on the device with `torch.index_select`",
    ),
    Reading.MATH: ("a Python number", "stay on the device: `torch.sqrt`, `torch.maximum`, `torch.minimum`"),
}
