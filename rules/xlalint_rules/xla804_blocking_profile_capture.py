"""XLA804: a profile is captured by the thread that is to be profiled."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import CaptureBlocks
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class BlockingProfileCapture(Rule[CaptureBlocks]):
    """
    ## What it does
    Finds `xp.trace` in the process that has started the profiler's server with `xp.start_server`.

    ## Why is this bad?
    Nothing is captured, and the call raises `RuntimeError` after its time is out. It waits until the profile
    is there; the training that it should show goes on only after it. `xp.trace_detached` captures in a
    thread of its own.

    Silent in a process that has no server, such as a script that captures from another one, and where
    `xp.trace` is handed to a thread.

    ## Example
    ```python
    import torch_xla.debug.profiler as xp

    server = xp.start_server(9012)
    xp.trace("localhost:9012", "/tmp/profile", duration_ms=200, num_tracing_attempts=1, timeout_s=1)
    ```

    ## Use instead
    ```python
    import torch_xla.debug.profiler as xp

    server = xp.start_server(9012)
    xp.trace_detached("localhost:9012", "/tmp/profile", duration_ms=200, num_tracing_attempts=1, timeout_s=1)
    ```

    ## Fix safety
    Only shown: the steps to be captured must follow, and errors are raised in the other thread.

    ## On the engine
    `xp.trace` blocks until its time is out, writes nothing and raises. `xp.trace_detached` returns at once.

    ## References
    - https://github.com/pytorch/xla/blob/master/docs/source/learn/xla-profiling.md
    """

    code = "XLA804"
    name = "blocking-profile-capture"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: CaptureBlocks, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            "captures nothing, and blocks until its time is out: the server is that of this process, which "
            "does nothing meanwhile",
            help="capture with `xp.trace_detached`, and train on",
            at=event.site,
            cures=(ByHand(event.site, title="Capture with `xp.trace_detached`"),),
        )
