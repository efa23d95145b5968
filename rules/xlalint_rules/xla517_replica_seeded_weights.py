"""XLA517: each replica draws its own weights, and all train by the same gradients."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import WeightsDiffer
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class ReplicaSeededWeights(Rule[WeightsDiffer]):
    """
    ## What it does
    Finds a seed that is another one on each replica, such as `torch.manual_seed(seed + rank)`, before a model
    is made that is trained by `xm.optimizer_step` or `xm.reduce_gradients`, or by accelerate or ignite, as by
    `set_seed(seed, device_specific=True)`; and launches of a function that makes such a model where nothing
    gives a seed: then PyTorch draws one in each process. Silent where the model gets its weights from
    elsewhere: by `xm.broadcast_master_param`, DDP or FSDP, or from a file.

    ## Why is this bad?
    The model trains incorrectly, and no error is raised. Each replica draws other weights, and the sum of
    gradients keeps them as far apart as they were: it is made of gradients of different models, and fits none
    of them. What the master saves is one of these.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr


    def train(index):
        torch.manual_seed(1234 + xr.global_ordinal())
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                model(torch.ones(8, 4, device=device)).sum().backward()
                xm.optimizer_step(optimizer)


    torch_xla.launch(train)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr


    def train(index):
        torch.manual_seed(1234 + xr.global_ordinal())
        device = torch_xla.device()
        model = torch.nn.Linear(4, 1).to(device)
        xm.broadcast_master_param(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(10):
            with torch_xla.step():
                optimizer.zero_grad()
                model(torch.ones(8, 4, device=device)).sum().backward()
                xm.optimizer_step(optimizer)


    torch_xla.launch(train)
    ```

    ## Fix safety
    Only shown: all numbers change. A seed that is the same until the model is made serves as well.

    ## On the engine
    Two replicas with seeds of their own hold different parameters after each `xm.optimizer_step`, and the
    same after `xm.broadcast_master_param`. A process that starts without a seed draws one: `torch.rand(1)`
    gives another number in each.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/core/xla_model.py (`broadcast_master_param`)
    """

    code = "XLA517"
    name = "replica-seeded-weights"
    severity = Severity.ERROR

    def judge(self, event: WeightsDiffer, state: View) -> Iterator[Finding]:
        replicas = state.replicas
        if replicas.launched is False or replicas.wrapped is not False or replicas.spmd:
            return
        if event.is_unseeded and not event.by_hand:
            return
        why = "by this seed" if not event.is_unseeded else "as nothing gives them a seed"
        yield self.finding(
            event,
            f"trains incorrectly: each replica draws other weights {why}, and the step on {{later}} "
            "keeps them apart",
            help="call `xm.broadcast_master_param(model)` on the device, or let the seed be the same until "
            "the model is made",
            cures=(ByHand(event.path[0], title="Broadcast the weights of the master"),),
            later=Later(event.site, "gradients of different models are summed here"),
        )
