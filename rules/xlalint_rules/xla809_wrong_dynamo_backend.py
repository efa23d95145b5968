"""XLA809: `torch.compile` by a backend that cannot compile for XLA."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, PassArgument
from xlalint.diagnostic import Severity
from xlalint.knowledge import dynamo
from xlalint.lazy.events import DynamoRan
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class WrongDynamoBackend(Rule[DynamoRan]):
    """
    ## What it does
    Finds `torch.compile` without a backend, or with one that is gone, for what runs on an XLA device; the
    same of `module.compile()`.

    ## Why is this bad?
    It raises an error. Without a backend `torch.compile` uses inductor, which knows nothing of XLA: the
    first call with a device tensor fails with `KeyError: 'xla'`. The backend of torch_xla is called
    `openxla`; its former names, such as `torchxla_trace_once`, are refused.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla").eval()
    compiled = torch.compile(model)

    with torch.no_grad():
        output = compiled(torch.randn(4, 8).to("xla"))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla").eval()
    compiled = torch.compile(model, backend="openxla")

    with torch.no_grad():
        output = compiled(torch.randn(4, 8).to("xla"))
    ```

    ## Fix safety
    Unsafe: what raised an error computes. A file that is for CUDA, too, is left as it is: choose the
    backend by the device there. In training `torch_xla.compile` of the whole step is faster (XLA213).

    ## On the engine
    The first call raises `InductorError: KeyError: 'xla'`; with `backend="openxla"` it computes.

    ## References
    - [torch.compile with torch_xla](https://docs.pytorch.org/xla/master/perf/dynamo.html)
    """

    code = "XLA809"
    name = "wrong-dynamo-backend"
    severity = Severity.ERROR
    raises = True
    of_text = True

    def judge(self, event: DynamoRan, state: View) -> Iterator[Finding]:
        if event.backend in dynamo.GONE:
            harm = f"raises an error: there is no backend `{event.backend}` any more"
        elif event.backend in dynamo.FAILING:
            harm = f"raises an error on XLA: the backend `{event.backend}` cannot compile for it"
        else:
            return
        title = f'Pass `backend="{dynamo.OF_XLA}"`'
        changes = "it computes where it raised an error"
        cure: Cure = ByHand(event.built, title=title)
        if event.plain:
            text = f'"{dynamo.OF_XLA}"'
            cure = PassArgument(event.built, "backend", text, title=title, changes=changes, for_xla=True)
        yield self.finding(
            event,
            harm,
            help=f'pass `backend="{dynamo.OF_XLA}"`, the backend of torch_xla',
            at=event.built,
            cures=(cure,),
        )
