"""XLA407: a step is compiled again long after the first ones, as it records another graph."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.lazy import events
from xlalint.lazy.events import Change, Changed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class GraphChanged(Rule[events.GraphChanged]):
    """
    ## What it does
    Finds steps that are compiled again after the first ones of their loop, and names the operation by which
    the new graph differs: its shape, dtype, arguments, or that it was not there before. Only the guard
    (`xlalint run`) sees that. A smaller last batch of a loader in a training loop is told by XLA404.

    ## Why is this bad?
    The device waits while the whole step is compiled, on a TPU often for minutes. What changes in every step
    is compiled in every step.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    table, model = torch.randn(16, 8).to(device), torch.nn.Linear(8, 4).to(device)
    for step in range(10):
        with torch_xla.step():
            score = model(table[: step + 1]).sum()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    table, model = torch.randn(16, 8).to(device), torch.nn.Linear(8, 4).to(device)
    rows = torch.arange(16).unsqueeze(1).to(device)
    for step in range(10):
        last = torch.tensor(step).to(device)
        with torch_xla.step():
            score = torch.where(rows <= last, model(table), 0.0).sum()
    ```

    ## Fix safety
    Nothing is changed for you. `torch_xla.compile(step, max_different_graphs=2)` raises where graphs differ.

    ## On the engine
    Ten steps with a longer slice each compile ten graphs, with `torch.where` one. Learning rates that change,
    and other numbers that are computed with, compile nothing.

    ## References
    - [Recompilation in PyTorch/XLA](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    - [pytorch/xla#3043](https://github.com/pytorch/xla/issues/3043)
    """

    code = "XLA407"
    name = "graph-changed"
    severity = Severity.WARNING
    of_runs = True

    def judge(self, event: events.GraphChanged, state: View) -> Iterator[Finding]:
        yield self.finding(
            event, f"the whole step is compiled again: {_told(event.change)}", help=_HELP[event.change.how]
        )


def _told(change: Change) -> str:
    name, now, before = f"`{change.operation}`", change.now, change.before
    match change.how:
        case Changed.SHAPE:
            return f"{name} gets a tensor of shape {now}, in earlier steps {before}"
        case Changed.DTYPE:
            return f"{name} gets a tensor of {now}, in earlier steps {before}"
        case Changed.COUNT:
            return f"{name} gets {now} tensors, in earlier steps {before}"
        case Changed.ARGUMENT | Changed.NUMBER:
            return f"{name} gets `{now}`, in earlier steps `{before}`"
        case Changed.RESULT:
            return f"{name} yields {now}, in earlier steps {before}"
        case Changed.NEW:
            return f"`{now}` is an operation more than earlier steps have"
        case Changed.GONE:
            return f"`{before}` on line {change.before_line} is left out"
        case Changed.OTHER:
            return f"`{now}` takes the place of `{before}` on line {change.before_line}"


_SAME_OPERATIONS = (
    "record the same operations in every step: choose with `torch.where`, and do what is needed now and then "
    "in a step of its own"
)
_SAME_SHAPES = "pad to one shape, or to a few: drop or fill up the last batch, pad texts to a fixed length"
_SAME_NUMBERS = "keep it the same in every step, or give it as a tensor"
_HELP = {
    Changed.SHAPE: _SAME_SHAPES,
    Changed.RESULT: "take what is wanted by `torch.where` instead of by a mask or a count: the shape stays",
    Changed.DTYPE: "convert to one dtype before the loop",
    Changed.COUNT: "write into a tensor of fixed size in place of a list that grows",
    Changed.ARGUMENT: f"what is no tensor is part of the graph: {_SAME_NUMBERS}",
    Changed.NUMBER: f"this number is part of the graph: {_SAME_NUMBERS}",
    Changed.NEW: _SAME_OPERATIONS,
    Changed.GONE: _SAME_OPERATIONS,
    Changed.OTHER: _SAME_OPERATIONS,
}
