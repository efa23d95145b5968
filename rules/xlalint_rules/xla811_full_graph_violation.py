"""XLA811: what the engine must run in the middle of a function that promises one graph."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ShapeVaries
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.state import View
from xlalint.lazy.values import Form
from xlalint.rule import Finding, Rule


class FullGraphViolation(Rule[ShapeVaries]):
    """
    ## What it does
    Finds results whose shape the numbers decide on, such as `x[mask]` and `nonzero`, in a function that
    is compiled with `full_graph=True`. Reads there are XLA101's, markers and nested steps XLA204's. The
    guard does not tell: while a program runs, the engine's own error stands at the line.

    ## Why is this bad?
    It raises an error. To know the shape the engine must run what is recorded, and `full_graph=True`
    forbids that until the function ends.

    ## Example
    ```python
    import torch
    import torch_xla


    @torch_xla.compile(full_graph=True)
    def positive(x):
        y = x - x.mean()
        return y[y > 0].sum()


    total = positive(torch.randn(8, device="xla"))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla


    @torch_xla.compile(full_graph=True)
    def positive(x):
        y = x - x.mean()
        return torch.where(y > 0, y, 0.0).sum()


    total = positive(torch.randn(8, device="xla"))
    ```

    ## Fix safety
    Only shown: what is to be computed of the elements that are left out, the author knows.

    ## On the engine
    `nonzero`, `masked_select`, `x[mask]`, `x[mask] = 0` and `one_hot` without `num_classes` raise
    `RuntimeError: Unexpected execution happens inside the compiled function`.

    ## References
    - https://github.com/pytorch/xla/blob/v2.9.0/torch_xla/torch_xla.py (`compile`)
    """

    code = "XLA811"
    name = "full-graph-violation"
    severity = Severity.ERROR
    only_definite = True
    of_text = True

    def judge(self, event: ShapeVaries, state: View) -> Iterator[Finding]:
        if event.by not in (Form.DATA, Form.MASK) or state.scopes.of(ScopeKind.FULL_GRAPH) is None:
            return
        if event.runs:
            yield self.finding(
                event,
                f"`full_graph=True` raises an error: to know the shape of `{event.spelling}` the engine must "
                "run what is recorded",
                help="keep the shape: `torch.where` with three arguments, `masked_fill_`, or `num_classes`",
                cures=(ByHand(event.site, title="Keep the shape, and choose by `torch.where`"),),
            )
