"""XLA402: a Python number that changes in each step is an index of a device tensor."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Form, ShapeVaries
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class VaryingIndex(Rule[ShapeVaries]):
    """
    ## What it does
    Finds a device tensor that is indexed, sliced or raised to a power by a Python number that is another
    one in each step, such as the counter of the training loop: `x[step]`, `x[i : i + 8]`,
    `buffer[step] = loss`, `x**step`.

    Silent for loops that are one graph, as over the layers of a model: there the numbers are the same
    each time. Silent for numbers that only take part in arithmetic, such as a learning rate: those go to
    the device as data.

    ## Why is this bad?
    The graph is compiled again in each step. The position is a part of the graph, not of its data, so
    that no two steps have the same one.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    data = torch.randn(64, 8, device=device)

    for step in range(8):
        with torch_xla.step():
            loss = model(data[step]).sum()
            loss.backward()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    data = torch.randn(64, 8, device=device)

    for step in range(8):
        with torch_xla.step():
            row = torch.tensor([step], device=device)
            loss = model(data.index_select(0, row)).sum()
            loss.backward()
    ```

    ## Fix safety
    Only shown: `index_select` and `index_copy_` take a tensor, which is data, and keep a dimension that
    an index drops.

    ## On the engine
    Four steps that write `losses[step] = loss` compile four graphs, with `index_copy_` two. Four windows
    `x[i : i + 2]` compile four graphs, with `index_select` one.

    ## References
    - [Recompilation](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    - huggingface/transformers #31129, #31857
    """

    code = "XLA402"
    name = "varying-index"
    severity = Severity.WARNING

    def judge(self, event: ShapeVaries, state: View) -> Iterator[Finding]:
        if event.by is not Form.INDEX or not state.scopes.in_loop:
            return
        yield self.finding(
            event,
            f"compiles again in each step: in `{event.spelling}` a number of Python's is a part of the "
            "graph, and another one each time",
            help="put the number into a tensor, and use `index_select` to read or `index_copy_` to write",
            cures=(ByHand(event.site, title="Index by a tensor"),),
        )
