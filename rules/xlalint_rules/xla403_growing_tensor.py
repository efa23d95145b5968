"""XLA403: a tensor grows in each round of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ShapeVaries
from xlalint.lazy.state import View
from xlalint.lazy.values import Form
from xlalint.rule import Finding, Rule


class GrowingTensor(Rule[ShapeVaries]):
    """
    ## What it does
    Finds `x = torch.cat([x, y])` in a loop of which each round runs by itself, because it cuts the graph
    or reads a value; `F.pad(x, (0, 1))` is the same. So are `torch.cat(parts)` and `torch.stack(parts)` of a
    list to which each round appends, and a model of transformers that is given the `past_key_values` that it
    has returned.

    Silent where the whole loop is one graph, as in a model that appends the outputs of its layers, and
    where `x` begins anew in each round.

    ## Why is this bad?
    Each round is compiled anew. The tensor has another length each time, and with it all that is
    computed of it: a text of 500 tokens takes 500 compilations.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Embedding(16, 16).to(device)
    tokens = torch.zeros(1, 1, dtype=torch.long, device=device)

    for _ in range(8):
        with torch_xla.step():
            token = model(tokens)[:, -1:].argmax(dim=-1)
            tokens = torch.cat([tokens, token], dim=1)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Embedding(16, 16).to(device)
    tokens = torch.zeros(1, 9, dtype=torch.long, device=device)
    last = torch.zeros(1, dtype=torch.long, device=device)

    for _ in range(8):
        with torch_xla.step():
            token = model(tokens.index_select(1, last)).argmax(dim=-1)
            last = last + 1
            tokens.index_copy_(1, last, token)
    ```

    ## Fix safety
    Only shown: a tensor of the full length has to be made first, and what reads it must leave out what
    is not yet filled.

    ## On the engine
    A program that appends four tokens compiles 7 graphs, with `index_copy_` into a tensor of the full
    length 4. A small Llama that decodes eight tokens compiles eight graphs, and two with a `StaticCache`.

    ## References
    - [Recompilation](https://docs.pytorch.org/xla/master/perf/recompilation.html)
    """

    code = "XLA403"
    name = "growing-tensor"
    severity = Severity.WARNING

    def judge(self, event: ShapeVaries, state: View) -> Iterator[Finding]:
        if event.by is not Form.GROWTH:
            return
        yield self.finding(
            event,
            f"compiles again in each round of the loop: `{event.spelling}` makes the tensor longer each time",
            help="make a tensor of the full length before the loop, and fill it by `index_copy_`; models of "
            "transformers take a `StaticCache`",
            cures=(ByHand(event.site, title="Fill a tensor of the full length"),),
        )
