"""XLA103: Python turns a device tensor into a bool or a number."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import DEVICE_PRECISION, ByHand, Cure, PassArgument, Rename
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HostRead, Reading
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule


class TensorAsBool(Rule[HostRead]):
    """
    ## What it does
    Finds device tensors that Python turns into a bool or a number: `if t:`, `while t < n`, `assert
    t.all()`, `max(t, u)`, `range(t)`, `math.sqrt(t)`; and masks without `is_causal`, of which
    `nn.TransformerEncoder`, `nn.TransformerDecoder` and `nn.Transformer` ask whether they are causal. A
    warning in a loop, else an info, as is what comes once at the end of an epoch. Inside a step,
    `host-read-in-step` reports all but masks.

    ## Why is this bad?
    Each use launches an extra graph and blocks the host, although nothing on the line says so. The
    operations that were recorded so far run again at the end of the step.

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
    `math.sqrt(t)` becomes `torch.sqrt(t)`, and masks come with `is_causal=False`, unsafe: results are rounded
    otherwise. All else is shown.

    ## On the engine
    Ten steps with `if loss > limit`, or with a mask, launch 20 graphs, and 10 without.

    ## References
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
        has_run = event.reading is Reading.BOOL and value.recorded.may is not Weight.HEAVY
        spared = f"pass `{event.unless}=False`: nothing is asked then" if event.unless else ""
        hot = (state.scopes.in_loop and not event.after_steps) or state.scopes.step is not None
        yield self.finding(
            event,
            f"launches an extra graph and blocks the host: `{event.spelling}` {_ASKS[event.reading]}",
            help=spared or (_OF_WHAT_HAS_RUN if has_run else _INSTEAD[event.reading]),
            severity=Severity.WARNING if hot else Severity.INFO,
            cures=(_cure(event),),
        )


def _cure(event: HostRead) -> Cure:
    function = event.spelling.partition("(")[0].rpartition(".")[2]
    if event.reading is Reading.MATH and function in _SAME_IN_TORCH:
        own, new = f"math.{function}", f"torch.{function}"
        return Rename(event.site, own, new, (("x", "input"),), title=f"Use `{new}`", changes=DEVICE_PRECISION)
    title = f"Pass `{event.unless}=False`" if event.unless else _BY_HAND[event.reading]
    if event.reading is Reading.MASK:
        return PassArgument(event.site, event.unless, "False", title=title, changes=DEVICE_PRECISION)
    return ByHand(event.site, title=title)


_SAME_IN_TORCH = frozenset({"cos", "exp", "expm1", "log", "log10", "log1p", "log2", "sin", "sqrt", "tan"})
_BY_HAND = {
    Reading.BOOL: "Choose on the device with `torch.where`",
    Reading.INDEX: "Index on the device with `torch.index_select`",
    Reading.MATH: "Compare on the device with `torch.maximum` or `torch.minimum`",
}
_OF_WHAT_HAS_RUN = "no sync is missing: read what has run, by `.item()`, and compare it in Python; ask rarely"
_ASKS = {
    Reading.BOOL: "turns a device tensor into a Python bool",
    Reading.INDEX: "turns a device tensor into a Python integer",
    Reading.MATH: "turns a device tensor into a Python number",
    Reading.MASK: "compares its mask with the causal one in each call",
}
_INSTEAD = {
    Reading.BOOL: "where a branch needs it, call `torch_xla.sync()` first and ask rarely; to choose between "
    "tensors, use `torch.where`",
    Reading.INDEX: "keep the count on the host, or index on the device with `torch.index_select`",
    Reading.MATH: "stay on the device: `torch.sqrt`, `torch.maximum`, `torch.minimum`",
}
