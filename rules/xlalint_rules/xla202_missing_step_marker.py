"""XLA202: a training loop whose steps nothing ends."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import WrapBody
from xlalint.diagnostic import Severity
from xlalint.lazy import assumptions
from xlalint.lazy.events import LoopLeft, StepsRun
from xlalint.lazy.obligations import REFINES, TRAINS, Obligation
from xlalint.lazy.state import Activity, Loop, View
from xlalint.rule import Finding, Later, Rule


class MissingStepMarker(Rule[LoopLeft | StepsRun]):
    """
    ## What it does
    Finds training loops in which nothing ends a step: no `torch_xla.step()`, no `torch_xla.sync()`, no
    `MpDeviceLoader`, no `barrier=True`, or only an evaluation now and then. Finds loops over a loader without
    training in which nothing runs what is recorded; that read what each round makes of the one before, as of
    a text, also in `model.generate`; that read and draw random numbers on the device; and of 32 rounds or
    more in which a model answers its own answers, as to denoise. Silent where nobody knows what it is over.

    ## Why is this bad?
    torch_xla adds every iteration to one recorded graph. Reading the loss does not end the step: it runs
    what it needs and leaves the new parameters pending. So the graph grows, and each read compiles all steps
    so far. Without one, memory grows. `xm.optimizer_step(optimizer)` alone does not help without `barrier`.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for _ in range(3):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.randn(4, 8).to(device)).square().mean()
            loss.backward()
            optimizer.step()
    ```

    ## Fix safety
    Unsafe: the loop body goes into a step, with its reads below it. The program does not say where its
    steps end, and the step decides it.

    ## On the engine
    Ten steps over a plain `DataLoader` launch no graph and leave every parameter pending; with steps they
    launch 10 and leave none. Eight that read their loss compile 8 graphs, the last one six times as large as
    the first; with steps two. Ten rounds that read what they made of the state before compile ten, with steps
    one; so do six that read what a model makes of random numbers. A decoder of 24 tokens compiles 168
    operations, with steps 7; three pictures of 40 rounds 659, and 27; six steps to an evaluation 185, and 37.

    ## References
    - [PyTorch on XLA devices](https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html)
    """

    code = "XLA202"
    name = "missing-step-marker"
    severity = Severity.WARNING

    def judge(self, event: LoopLeft | StepsRun, state: View) -> Iterator[Finding]:
        goes_on = isinstance(event, LoopLeft) and event.goes_on
        in_framework, assumes = event.site.in_framework, assumptions.NONE
        match event:
            case LoopLeft(loop=Loop(own=Activity(steps=trains)), refines=False) if event.lacks_cut(state):
                since, below, fetches = event.since, tuple(event.loop.closures), event.loop.all.fetches
                reads, keeps = event.loop.all.reads, event.keeps
                assumes = event.trains_now_and_then
                later = next((Later(cut, "the graph is cut here") for cut in event.seldom_cuts), None)
                harm = (
                    f"takes long to compile: only {{later}}, now and then, ends a step, and {_GROWS}"
                    if later
                    else _DRAWN
                    if event.draws and not (trains or goes_on)
                    else "compiles again for each read: nothing ends a step, so the graph of each iteration "
                    "holds all before it, since {since}"
                    if reads and (trains or goes_on)
                    else f"a read runs what it needs alone, and {_GROWS}"
                    if reads
                    else f"nothing is executed, and {_GROWS}"
                    if trains or keeps or event.loop.closures
                    else "nothing is executed: no iteration runs or keeps the work recorded since {since}"
                )
            case StepsRun(obligation=Obligation(detail=detail, since=since), by=by) if not in_framework:
                trains, below, fetches, goes_on = detail == TRAINS, (), frozenset(), detail == REFINES
                later = Later(event.site, "what is recorded runs here")
                harm = f"nothing is executed until {by} on {{later}}, and {_GROWS}"
                if goes_on:
                    harm = f"takes long to compile: {by} on {{later}} runs {_OF_ALL}"
            case _:
                return
        yield self.finding(
            event,
            harm.removesuffix(", since {since}") if in_framework else harm,
            help=_OF_FRAMEWORK if goes_on and in_framework else _OF_ROUNDS if goes_on else _OF_BATCHES,
            since=since,
            assumes=assumes,
            severity=Severity.ERROR if trains else Severity.WARNING,
            cures=(WrapBody(event.path[-1], below=below).of_loop(fetches),),
            later=later,
        )


_DRAWN = "compiles again in each round: no step ends, so the device's random numbers go on with all before"
_OF_FRAMEWORK = "write the loop yourself, with `torch_xla.step()` around each round and a `StaticCache`"
_OF_BATCHES = "put the loop body in `with torch_xla.step():`, or iterate over `pl.MpDeviceLoader`"
_OF_ROUNDS = "put the loop body in `with torch_xla.step():`, and read below it"
_OF_ALL = "all iterations as one graph, to which each adds what it has recorded since {since}"
_GROWS = "memory grows: each iteration adds to the work recorded since {since}"
