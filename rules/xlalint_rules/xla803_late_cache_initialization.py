"""XLA803: the persistent cache is set up after a graph has run, or for all processes at one place."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import CacheShared, CacheTooLate
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class LateCacheInitialization(Rule[CacheTooLate | CacheShared]):
    """
    ## What it does
    Finds `torch_xla.runtime.initialize_cache` below a cut or a host read that has run a graph, and one that
    gives all launched processes the same path to write to.

    ## Why is this bad?
    The call raises `AssertionError`: the cache is made when the first graph runs, with or without a path,
    and stays as it is. Processes that write to the same path get in each other's way; each needs its own,
    or `readonly=True`.

    Silent below devices, tensors, models on the device and `torch_xla.sync()` where nothing is recorded:
    none of them runs a graph.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr

    weights = torch.ones(4, device=torch_xla.device()) * 2
    print(weights.sum().item())
    xr.initialize_cache("/tmp/xla_cache")
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.runtime as xr

    xr.initialize_cache("/tmp/xla_cache")
    weights = torch.ones(4, device=torch_xla.device()) * 2
    print(weights.sum().item())
    ```

    ## Fix safety
    Only shown.

    ## On the engine
    After a graph has run, the call raises. As the first statement of the program it does not. What
    processes do at one path cannot be shown on CPU, which writes the cache and does not read it again.

    ## References
    - https://github.com/pytorch/xla/blob/master/API_GUIDE.md#compilation-caching
    """

    code = "XLA803"
    name = "late-cache-initialization"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: CacheTooLate | CacheShared, state: View) -> Iterator[Finding]:
        match event:
            case CacheTooLate():
                yield self.finding(
                    event,
                    f"`initialize_cache` on {{later}} raises `AssertionError`: `{event.obligation.detail}` "
                    "has run a graph, and with it made the cache",
                    help="call `initialize_cache` before anything runs on the device",
                    cures=(ByHand(event.site, title="Set the cache up where the program begins"),),
                    later=Later(event.site, "the cache is set up here"),
                )
            case CacheShared():
                yield self.finding(
                    event,
                    "may spoil the cache: all launched processes write it to the same path",
                    severity=Severity.WARNING,
                    help="put the process's number into the path, or pass `readonly=True`",
                    cures=(ByHand(event.site, title="Give each process a path of its own"),),
                )
