"""XLA609: a checkpoint in the background, of which nobody learns that it failed."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import CheckpointTaken
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class HiddenAsyncSaveError(Rule[CheckpointTaken]):
    """
    ## What it does
    Finds `CheckpointManager.save_async` in files that ask nowhere what came of it: neither by `all_steps()`
    nor by the futures of the manager.

    ## Why is this bad?
    The run goes on without checkpoints, and nobody knows until one is needed. The manager saves in a thread.
    An error there, such as a full disk, is kept in the thread's future, and no method of the manager raises
    it: `save_async` has returned `True` by then, and `join()` only waits.

    ## Example
    ```python
    from torch_xla.experimental.distributed_checkpoint import CheckpointManager


    def train(model, loader):
        manager = CheckpointManager("checkpoints", save_interval=100)
        for step, batch in enumerate(loader):
            model(batch)
            manager.save_async(step, {"model": model.state_dict()})
        manager.join()
    ```

    ## Use instead
    ```python
    from torch_xla.experimental.distributed_checkpoint import CheckpointManager


    def train(model, loader):
        manager = CheckpointManager("checkpoints", save_interval=100)
        taken = set()
        for step, batch in enumerate(loader):
            model(batch)
            if manager.save_async(step, {"model": model.state_dict()}):
                taken.add(step)
        manager.join()
        if missing := taken - set(manager.all_steps()):
            raise RuntimeError(f"the checkpoints of steps {sorted(missing)} could not be written")
    ```

    ## Fix safety
    Only shown: whether to stop, to save again, or to warn is for you to say. With `max_to_keep` the manager
    forgets steps that it has deleted.

    ## On the engine
    With an object among the values that cannot be pickled, `save_async` returns `True`, `join()` returns
    `None`, `all_steps()` lacks the step, and the future holds a `CheckpointException`, which `save` raises.

    ## References
    - https://github.com/pytorch/xla/blob/v2.9.0/torch_xla/experimental/distributed_checkpoint/manager.py
    """

    code = "XLA609"
    name = "hidden-async-save-error"
    severity = Severity.WARNING
    enabled = False

    def judge(self, event: CheckpointTaken, state: View) -> Iterator[Finding]:
        if event.hidden:
            yield self.finding(
                event,
                f"nobody learns if this checkpoint fails: `{event.spelling}` writes in a thread, and not "
                "even `join()` raises the error",
                help="after `join()`, see whether `all_steps()` has the steps that were saved",
                cures=(ByHand(event.site, title="Compare the steps with `all_steps()` after `join()`"),),
            )
