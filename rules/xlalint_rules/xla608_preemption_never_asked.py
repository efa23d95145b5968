"""XLA608: a checkpoint manager that never learns of a preemption."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, InEveryStep
from xlalint.diagnostic import Severity
from xlalint.lazy.events import CheckpointTaken
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class PreemptionNeverAsked(Rule[CheckpointTaken]):
    """
    ## What it does
    Finds `CheckpointManager.save` and `save_async` that are called under a test of the program's own, such as
    `if step % 100 == 0`, in a loop that does not ask `should_save` either.

    A manager with `chkpt_on_preemption=False` is not meant.

    ## Why is this bad?
    Work is lost when the machine is taken away. A preemption is announced for one step, and `save` asks in
    every call whether this is that step. Called once in a hundred steps, it asks in none of the others, and
    no checkpoint is taken in time. The manager counts steps by itself: it was given `save_interval`.

    ## Example
    ```python
    from torch_xla.experimental.distributed_checkpoint import CheckpointManager


    def train(model, loader):
        manager = CheckpointManager("checkpoints", save_interval=100)
        for step, batch in enumerate(loader):
            model(batch)
            if step % 100 == 0:
                manager.save(step, {"model": model.state_dict()})
    ```

    ## Use instead
    ```python
    from torch_xla.experimental.distributed_checkpoint import CheckpointManager


    def train(model, loader):
        manager = CheckpointManager("checkpoints", save_interval=100)
        for step, batch in enumerate(loader):
            model(batch)
            manager.save(step, {"model": model.state_dict()})
    ```

    ## Fix safety
    Unsafe: the call leaves the test of the counter, or the test loses that part of it; what else stands under
    it stays there. The manager saves once in `save_interval` steps, whatever the test said.

    ## On the engine
    Not measured: only a platform that takes machines away announces it.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/experimental/distributed_checkpoint/manager.py
    """

    code = "XLA608"
    name = "preemption-never-asked"
    severity = Severity.ERROR

    def judge(self, event: CheckpointTaken, state: View) -> Iterator[Finding]:
        title = "Call it in every step"
        if event.seldom:
            yield self.finding(
                event,
                f"no checkpoint is taken before a preemption: `{event.spelling}` is called in few steps, and "
                "asks for it in these alone",
                help="call it in every step: the manager saves once in `save_interval` steps by itself",
                cures=(
                    InEveryStep(event.site, title=title, changes="the manager alone decides when to save"),
                    ByHand(event.site, title=title),
                ),
            )
