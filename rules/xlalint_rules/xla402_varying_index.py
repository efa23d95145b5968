"""XLA402: a Python number that changes in each step is an index of a device tensor, or a size."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ShapeVaries
from xlalint.lazy.state import View
from xlalint.lazy.values import Form
from xlalint.rule import Finding, Rule


class VaryingIndex(Rule[ShapeVaries]):
    """
    ## What it does
    Finds a Python number that is a part of the graph, and another one in each step, such as the counter of
    the training loop. It is an index or a slice, as in `x[step]`, `x[i : i + 8]` and `buffer[step] = loss`;
    a size, as in `torch.arange(step, device=device)` and `x.repeat(step, 1)`; or another argument that is no
    data: an exponent, or how far `roll` and `tril` go.

    Silent for loops that are one graph, as over the layers of a model: there the numbers are the same
    each time. Silent for numbers that only take part in arithmetic, such as a learning rate, and for those in
    a list that is an index: these go to the device as data. Information where a loop takes batches by their
    places, `for i in range(0, len(x), 32)`, inside another loop: each is compiled in the first epoch alone;
    and where it counts within a step, `for g in range(x.shape[0])`: the same few numbers come in the next.

    ## Why is this bad?
    The graph is compiled again in each step. Positions and sizes are a part of the graph, not of its data,
    so that no two steps have the same one.

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
    an index drops. What has another size in each step is made as long as it ever gets.

    ## On the engine
    Four steps that write `losses[step] = loss` compile four graphs, with `index_copy_` two. Four windows
    `x[i : i + 2]` compile four graphs, with `index_select` one. Five rows `x[g]` of each batch, with a cut
    after each, compile five graphs in the first step and none in the three that follow. Steps that repeat,
    roll and raise a tensor to a power by their number compile one graph each, and one in all where a mask,
    an index and an exponent on the device do the same.

    ## References
    - [Recompilation](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    - huggingface/transformers #31129, #31857
    """

    code = "XLA402"
    name = "varying-index"
    severity = Severity.WARNING

    def judge(self, event: ShapeVaries, state: View) -> Iterator[Finding]:
        if event.by not in _INSTEAD or not state.scopes.in_loop:
            return
        when = "for each number, until they come again" if event.comes_again else "in each step"
        yield self.finding(
            event,
            f"compiles again {when}: {_REASONS[event.by].format(event.spelling, _named(event.number))}",
            help=_INSTEAD[event.by],
            severity=Severity.INFO if event.comes_again else Severity.WARNING,
            cures=(ByHand(event.site, title=_TITLES[event.by]),),
        )


def _named(number: str) -> str:
    return f"Python's number `{number}`" if number else "a number of Python's"


_IN_GRAPH = "in `{}` {} is a part of the graph, and another one each time"
_REASONS = {
    Form.INDEX: _IN_GRAPH,
    Form.NUMBER: _IN_GRAPH,
    Form.LENGTH: "what `{}` moves to the device has another length each time",
}
_INSTEAD = {
    Form.INDEX: "put the number into a tensor, and use `index_select` to read or `index_copy_` to write",
    Form.NUMBER: "keep the number the same in every step: make what it is the size of as long as it ever "
    "gets, and choose by a mask; an exponent may be a tensor",
    Form.LENGTH: "fill it up to one length before it moves, as by `torch.nn.functional.pad`, or to a few",
}
_TITLES = {
    Form.INDEX: "Index by a tensor",
    Form.NUMBER: "Keep one size, and choose by a mask",
    Form.LENGTH: "Fill up to one length by `torch.nn.functional.pad`",
}
