"""XLA401: the shape of a result depends on the numbers that are computed on."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, FillByMask
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ShapeVaries
from xlalint.lazy.state import View
from xlalint.lazy.values import Form
from xlalint.rule import Finding, Rule


class DataDependentShape(Rule[ShapeVaries]):
    """
    ## What it does
    Finds operations in a loop or a step whose result has a shape that the numbers decide on:
    `nonzero()`, `torch.where(condition)`, `masked_select`, `unique`, `bincount`, `one_hot` without
    `num_classes`, and an index that is a mask, as in `x[x > 0]` or `x[mask] = 0.0`.

    It is information: in public code most of them stand where a setting decides that they run.

    ## Why is this bad?
    All that follows is compiled again for every new size, and before that the device waits: the numbers
    go to the host, which counts them. A mask takes another number of elements in almost every step.

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
        errors = model(batch).square()
        loss = errors[errors > 0.1].sum()
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
        errors = model(batch).square()
        loss = torch.where(errors > 0.1, errors, 0.0).sum()
        loss.backward()
        optimizer.step()
    ```

    ## Fix safety
    `x[x < 0] = 0.0` becomes `x.masked_fill_(x < 0, 0.0)`, unsafe: `x` may be more than a tensor. It is done
    where the mask is seen to come from a tensor of the same shape, for `masked_fill_` matches one with fewer
    dimensions from the other end. All else is only shown: a sum over what a mask takes needs the
    numbers of all elements, and zero for the others.

    ## On the engine
    Four steps with a loss over what a mask takes compile four graphs, with `torch.where` one. Three
    batches that meet `torch.where(condition)`, `unique`, `one_hot` and `masked_select` launch 15 graphs
    instead of 3.

    ## References
    - [Recompilation](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    """

    code = "XLA401"
    name = "data-dependent-shape"
    severity = Severity.INFO
    yields_to = ("XLA811",)

    def judge(self, event: ShapeVaries, state: View) -> Iterator[Finding]:
        hot = state.scopes.in_loop or state.scopes.step is not None
        if event.by not in _INSTEAD or not hot:
            return
        what = "how much the mask takes" if event.by is Form.MASK else "the numbers"
        yield self.finding(
            event,
            f"compiles again for every new size, and waits for the device: in `{event.spelling}` the shape "
            f"depends on {what}",
            help=_INSTEAD[event.by],
            cures=(_cure(event),),
        )


def _cure(event: ShapeVaries) -> Cure:
    if event.fills:
        return FillByMask(event.site)
    return ByHand(event.site, title="Keep the shape, and choose by `torch.where`")


_INSTEAD = {
    Form.MASK: "keep all elements: multiply by the mask, or choose by `torch.where(mask, x, 0.0)`; to write, "
    "use `masked_fill_`",
    Form.DATA: "keep the shape: `torch.where` with three arguments, `topk`, or a sum over the mask; "
    "`one_hot` takes `num_classes`",
}
