"""XLA516: replicas sum or gather a tensor, and drop what comes of it."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ResultDropped
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule

SUM = "all_reduce"
"""The one of these collectives that changes a list in place."""


class DroppedCollectiveResult(Rule[ResultDropped]):
    """
    ## What it does
    Finds `xm.all_reduce(op, tensor)`, `xm.all_gather(tensor)`, `xm.reduce_scatter(...)`, `xm.all_to_all(...)`
    and `xm.collective_permute(...)` whose result nobody takes. Silent where a list is given to
    `xm.all_reduce`, which changes that in place, and where an `output` is given.

    ## Why is this bad?
    The call does nothing, and no error is raised: each replica goes on with the number of its own. For one
    tensor these functions return a new one and leave the tensor as it is, unlike
    `torch.distributed.all_reduce`. A metric is that of one part of the data, a sum that is divided by the
    number of replicas is too small, and replicas that decide by it part and hang.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def count_over_replicas(hits):
        total = torch.tensor(hits, device=torch_xla.device())
        xm.all_reduce(xm.REDUCE_SUM, total)
        return total.item()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def count_over_replicas(hits):
        total = torch.tensor(hits, device=torch_xla.device())
        total = xm.all_reduce(xm.REDUCE_SUM, total)
        return total.item()
    ```

    ## Fix safety
    Only shown: the numbers change, and for parameters, gradients and buffers a list, which is changed in
    place, is better than another tensor.

    ## On the engine
    Two replicas with the numbers 3 and 4: after `xm.all_reduce(xm.REDUCE_SUM, t)` they hold 3 and 4, after
    `xm.all_reduce(xm.REDUCE_SUM, [t])` both hold 7.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`all_reduce`, *Returns*)
    """

    code = "XLA516"
    name = "dropped-collective-result"
    severity = Severity.ERROR

    def judge(self, event: ResultDropped, state: View) -> Iterator[Finding]:
        in_place = ", or pass a list, which is changed in place" if event.operation == SUM else ""
        yield self.finding(
            event,
            f"has no effect: `{event.spelling}` returns a new tensor, which is dropped here, and each "
            "replica keeps its own",
            help=f"assign what it returns{in_place}",
            cures=(ByHand(event.site, title="Assign what it returns"),),
        )
