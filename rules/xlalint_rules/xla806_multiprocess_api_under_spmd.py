"""XLA806: what is for several replicas, under SPMD, where there is one."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.knowledge import functions
from xlalint.lazy.events import Collective, GroupJoined, ReplicasLaunched
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class MultiprocessApiUnderSpmd(Rule[ReplicasLaunched | Collective | GroupJoined]):
    """
    ## What it does
    Finds `torch_xla.launch`, a process group of the `xla` backend and collectives such as `xm.all_reduce`
    in a program that has turned SPMD on.

    ## Why is this bad?
    A launch and the process group raise. A collective does nothing, without an error: under SPMD one program
    sees whole tensors and drives all devices, so there is one replica, and what is summed over it is what it
    was. The compiler puts in the communication that sharded tensors need.

    Silent after `xs.enable_manual_sharding`, where collectives are meant, for collectives within groups,
    and for `xmp.spawn`, `optimizer_step` and rendezvous, which do no harm.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr

    xr.use_spmd()
    loss = torch.ones(4, device=torch_xla.device()).mean()
    mean = xm.all_reduce(xm.REDUCE_SUM, loss, scale=1.0 / xr.world_size())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr

    xr.use_spmd()
    loss = torch.ones(4, device=torch_xla.device()).mean()
    ```

    ## Fix safety
    Only shown: which of the two ways to train is meant, nobody but the author knows.

    ## On the engine
    On four devices `torch_xla.launch` raises `NotImplementedError` and `init_process_group("xla")`
    `AssertionError`; `xm.all_reduce` returns what it was given.

    ## References
    - pytorch/xla #6465, #7855
    """

    code = "XLA806"
    name = "multiprocess-api-under-spmd"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: ReplicasLaunched | Collective | GroupJoined, state: View) -> Iterator[Finding]:
        if not state.replicas.spmd:
            return
        match event:
            case ReplicasLaunched(spelling=spelling) if spelling.startswith("torch_xla.launch"):
                yield self._found(
                    event,
                    "raises `NotImplementedError`: replicas are launched, and SPMD is on",
                    "call the function itself",
                    "Call the function itself",
                )
            case GroupJoined(backend="xla"):
                yield self._found(
                    event,
                    "raises `AssertionError`: the `xla` backend is not for SPMD",
                    'use the "gloo" backend, if processes have to meet at all',
                    "Join a group of gloo",
                )
            # What a framework reduces all the same is not the user's to leave out.
            case Collective(operation=operation) if (
                operation in functions.REDUCING and not event.site.in_framework
            ):
                yield self._found(
                    event,
                    f"does nothing: under SPMD there is one replica, over which `{operation}` goes",
                    "leave it out: tensors are whole under SPMD, whatever devices they lie on",
                    "Leave the collective out",
                )

    def _found(
        self, event: ReplicasLaunched | Collective | GroupJoined, message: str, help: str, title: str
    ) -> Finding:
        return self.finding(event, message, help=help, cures=(ByHand(event.site, title=title),))
