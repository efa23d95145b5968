"""XLA508: gradients clipped or unscaled before the replicas' gradients are summed."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy import assumptions
from xlalint.lazy.events import ClippedEarly, GradientUsed, Use
from xlalint.lazy.state import View
from xlalint.lazy.values import SEVERAL
from xlalint.rule import Finding, Later, Rule


class ClipBeforeReduction(Rule[ClippedEarly | GradientUsed]):
    """
    ## What it does
    Finds gradients that are clipped or unscaled before they are summed over the replicas, by
    `xm.reduce_gradients` or inside `xm.optimizer_step`; *likely* where a file only asks how many replicas
    there are. By `clip_grad_value_`, it is an info. Also finds `torch.nn.utils.clip_grad_norm_` of a model
    in FSDP, of whose gradients each replica has a part.

    ## Why is this bad?
    The model trains incorrectly, and no error is raised. Each replica clips by the norm of its own
    gradients, so each scales them by a different factor, and the sum is not the clipped gradient of
    the batch. torch_xla 2.9 is worse: it does not sum gradients that were clipped, and every
    replica trains alone. What `clip_grad_value_` has cut off is summed, so that the replicas stay alike;
    the step is another one than that of one device with the whole batch.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm


    def train(index):
        torch.manual_seed(0)
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
        torch.manual_seed(0)
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
    Only shown: it changes the result of the training, for the better.

    ## On the engine
    Two replicas, each on one half of the data. Clipped first by `clip_grad_norm_`, the graph of the
    step contains no all-reduce, and the replicas end with different parameters. Summed first, they
    end with the same parameters. Both programs launch the same number of graphs. Of a model in FSDP
    `torch.nn.utils.clip_grad_norm_` returns 0 on one replica and 2.86 on the other, and its own method 2.86.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`reduce_gradients`)
    """

    code = "XLA508"
    name = "clip-before-reduction"
    severity = Severity.ERROR

    def judge(self, event: ClippedEarly | GradientUsed, state: View) -> Iterator[Finding]:
        replicas = state.replicas
        if replicas.launched is False or replicas.spmd:
            return
        several = assumptions.NONE if replicas.launched else SEVERAL
        if isinstance(event, GradientUsed):
            if (
                event.use is Use.CLIP
                and replicas.sharded
                and replicas.wrapped
                and not event.site.in_framework
            ):
                yield self.finding(
                    event,
                    "trains incorrectly: each replica clips its part of the gradients by a norm of its own",
                    help="call `clip_grad_norm_` of the model in FSDP: it computes the norm of all parts",
                    assumes=assumptions.NONE if replicas.launched else SEVERAL,
                    cures=(ByHand(event.site, title="Call `clip_grad_norm_` of the model"),),
                )
            return
        cure = ByHand(event.path[-1], title="Sum the gradients first")
        later = None if event.site.in_framework else Later(event.site, "the gradients are summed here")
        match event:
            case ClippedEarly(obligation=obligation):
                yield self.finding(
                    event,
                    f"trains incorrectly: `{obligation.detail}` scales the gradients of each replica by a "
                    f"different factor, before they are summed{' on {later}' if later else ''}",
                    help="sum first: call `xm.reduce_gradients(optimizer)`, then clip, then "
                    "`optimizer.step()` in place of `xm.optimizer_step(optimizer)`",
                    assumes=several,
                    cures=(cure,),
                    later=later,
                )
