"""XLA508: gradients clipped or unscaled before the replicas' gradients are summed."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ClippedEarly
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class ClipBeforeReduction(Rule[ClippedEarly]):
    """
    ## What it does
    Finds gradients that are clipped or unscaled first and summed over the replicas afterwards, by
    `xm.reduce_gradients` or inside `xm.optimizer_step`.

    ## Why is this bad?
    Each replica clips by the norm of its own gradients, so each scales them by another factor. The
    sum is then not the clipped gradient of the batch. In 2.9 it is worse: the clipped gradients lose
    the reduction that follows, every replica trains by itself, and nothing says so.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                loss = model(torch.ones(8, 4, device=device)).sum()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                xm.optimizer_step(optimizer)


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                loss = model(torch.ones(8, 4, device=device)).sum()
                loss.backward()
                xm.reduce_gradients(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()


    torch_xla.launch(train)
    ```

    ## Fix safety
    Shown only: it changes the training, for the better.

    ## On the engine
    Two replicas on halves of the data: clipped first by `clip_grad_norm_`, the graph of the step
    holds no all-reduce, and the replicas end with different parameters. Reduced first, with the
    same. Both programs launch as many graphs.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`reduce_gradients`)
    """

    code = "XLA508"
    name = "clip-before-reduction"
    severity = Severity.ERROR

    def judge(self, event: ClippedEarly, state: View) -> Iterator[Finding]:
        if state.replicas.launched is False or state.replicas.spmd:
            return
        cure = ByHand(event.path[-1], title="Sum the gradients first")
        match event:
            case ClippedEarly(obligation=obligation):
                yield self.finding(
                    event,
                    f"`{obligation.detail}` changes each replica's gradients before they are summed: every "
                    "replica scales by another norm",
                    help="sum first: `xm.reduce_gradients(optimizer)`, then this, then a plain "
                    "`optimizer.step()`",
                    cures=(cure,),
                )
