"""XLA607: a sharded checkpoint, restored into the state of an optimizer that has none yet."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import RestoredUnprimed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class UnprimedOptimizer(Rule[RestoredUnprimed]):
    """
    ## What it does
    Finds a sharded checkpoint that is restored, by `CheckpointManager.restore` or by
    `torch.distributed.checkpoint.load` with an `SPMDLoadPlanner`, into the state dict of an optimizer that
    has not stepped yet: Adam and its kin, or SGD with a momentum.

    Silent for optimizers that keep no state, and where an unknown function gets the optimizer first.

    ## Why is this bad?
    The run that should go on from its checkpoint ends with an error. Sharded checkpoints are read into the
    tensors that are there, and before its first step an optimizer has none: what the file holds is not what
    the program asks for. `prime_optimizer` takes a step with gradients of zero, which makes the state; the
    checkpoint then overwrites it and the parameters.

    A checkpoint that was taken before any step holds no state either, and is restored.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr
    from torch_xla.experimental.distributed_checkpoint import CheckpointManager

    xr.use_spmd()
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    optimizer = torch.optim.AdamW(model.parameters())
    manager = CheckpointManager("checkpoints", save_interval=100)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    manager.restore(max(manager.all_steps()), state)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr
    from torch_xla.experimental.distributed_checkpoint import CheckpointManager, prime_optimizer

    xr.use_spmd()
    model = torch.nn.Linear(8, 8).to(torch_xla.device())
    optimizer = torch.optim.AdamW(model.parameters())
    manager = CheckpointManager("checkpoints", save_interval=100)
    prime_optimizer(optimizer)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    manager.restore(max(manager.all_steps()), state)
    ```

    ## Fix safety
    Only shown: priming updates the parameters, and must come where the checkpoint then overwrites them.

    ## On the engine
    On four devices under SPMD `restore` raises `CheckpointException` for Adam; with `prime_optimizer` the
    run goes on bit by bit. Sharded state that is saved without a planner does no harm there: `xm.save` and
    `torch.distributed.checkpoint.save` write all of it.

    ## References
    - https://github.com/pytorch/xla/blob/master/docs/source/perf/spmd_distributed_checkpoint.md
    """

    code = "XLA607"
    name = "unprimed-optimizer"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: RestoredUnprimed, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"`{event.spelling}` on {{later}} raises `CheckpointException`: this optimizer has no state "
            "before its first step",
            help="call `prime_optimizer(optimizer)` before its state dict is taken",
            cures=(ByHand(event.path[-1], title="Call `prime_optimizer` before the checkpoint is restored"),),
            later=Later(event.site, "the checkpoint is restored here"),
        )
