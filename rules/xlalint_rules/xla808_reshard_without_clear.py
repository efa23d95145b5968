"""XLA808: a tensor that is sharded is sharded once more, in another way."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Sharded
from xlalint.lazy.sharding import shown
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class ReshardWithoutClear(Rule[Sharded]):
    """
    ## What it does
    Finds parameters of a model that are sharded once more, by another spec, with no `clear_sharding`
    between. While a program runs, all tensors are seen.

    ## Why is this bad?
    The second `mark_sharding` raises `RuntimeError`, "Existing annotation must be cleared first". Typically a
    rule for all weights comes after one for some of them, or a checkpoint is loaded into a model that is
    sharded already.

    Silent where the spec is the same, and where the tensor was only replicated before: both are accepted.

    ## Example
    ```python
    import torch
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    xr.use_spmd()
    mesh = xs.get_1d_mesh("data")
    model = torch.nn.Linear(8, 8).to("xla")
    xs.mark_sharding(model.weight, mesh, ("data", None))
    xs.mark_sharding(model.weight, mesh, (None, "data"))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    xr.use_spmd()
    mesh = xs.get_1d_mesh("data")
    model = torch.nn.Linear(8, 8).to("xla")
    xs.mark_sharding(model.weight, mesh, ("data", None))
    xs.clear_sharding(model.weight)
    xs.mark_sharding(model.weight, mesh, (None, "data"))
    ```

    ## Fix safety
    Only shown: which of the two is meant, nobody but the author knows.

    ## On the engine
    The second call raises on four devices, also after training steps. After `clear_sharding` it does not.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/distributed/spmd/xla_sharding.py (`clear_sharding`)
    """

    code = "XLA808"
    name = "reshard-without-clear"
    severity = Severity.ERROR
    only_definite = True
    yields_to = ("XLA807",)

    def judge(self, event: Sharded, state: View) -> Iterator[Finding]:
        if event.before and not event.fault:
            yield self.finding(
                event,
                f"raises `RuntimeError`: the tensor is sharded as `{shown(event.before)}` already",
                help="clear the sharding first, with `xs.clear_sharding`, or shard it once",
                cures=(ByHand(event.site, title="Clear the sharding before this"),),
            )
