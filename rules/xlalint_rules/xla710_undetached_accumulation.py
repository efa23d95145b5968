"""XLA710: results of an evaluation are gathered with all that autograd keeps for them."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import HistoryKept
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class UndetachedAccumulation(Rule[HistoryKept]):
    """
    ## What it does
    Finds evaluations that gather losses or outputs over a loop while autograd is on: `losses.append(loss)`,
    `total += loss`, and caches that grow by `torch.cat`. The model is in evaluation (`model.eval()`), and
    nothing says `torch.no_grad()`.

    Silent in training, where backward frees what autograd has kept, below `detach()`, and where the program
    freezes parameters by `requires_grad`. The guard does not tell: no hook sees what a list holds.

    ## Why is this bad?
    The device fills up, batch by batch. Each result holds its autograd graph, and that all activations of the
    forward pass: every cut of the graph computes and keeps them, as nobody can say that they are not needed.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    model.eval()
    losses = []
    for batch in torch.randn(10, 4, 8).to(device):
        with torch_xla.step():
            loss = model(batch).square().mean()
        losses.append(loss)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    model.eval()
    losses = []
    with torch.no_grad():
        for batch in torch.randn(10, 4, 8).to(device):
            with torch_xla.step():
                loss = model(batch).square().mean()
            losses.append(loss)
    ```

    ## Fix safety
    Only shown: `torch.no_grad()` goes around the whole evaluation, `detach()` where a result is kept.

    ## On the engine
    After six batches of a model of two layers 41 tensors are alive on the device, and 12 under
    `torch.no_grad()`. In training the number is the same with `detach()` and without.

    ## References
    - [Frequently asked questions of PyTorch](https://docs.pytorch.org/docs/stable/notes/faq.html)
    """

    code = "XLA710"
    name = "undetached-accumulation"
    severity = Severity.WARNING
    only_definite = True

    def judge(self, event: HistoryKept, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            "fills the device batch by batch: what "
            f"`{event.spelling}` gathers holds its autograd graph, and that all activations",
            help="evaluate under `torch.no_grad()`, or keep `detach()` of it",
            cures=(ByHand(event.site, title="Evaluate under `torch.no_grad()`"),),
        )
