"""XLA810: a method of a module that `torch_xla.compile` has made a function of."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import MethodMissed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class LostModuleMethods(Rule[MethodMissed]):
    """
    ## What it does
    Finds methods of a module, such as `parameters()` or `train()`, that are called on what
    `torch_xla.compile(module)` returned.

    ## Why is this bad?
    It raises `AttributeError`. Unlike `torch.compile`, `torch_xla.compile` returns a plain function, which
    can be called and nothing else.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    model = torch_xla.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    compiled = torch_xla.compile(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    ```

    ## Fix safety
    Only shown: keep the module under a name of its own, and ask that.

    ## On the engine
    `AttributeError: 'function' object has no attribute 'parameters'`.

    ## References
    - https://github.com/pytorch/xla/blob/v2.9.0/torch_xla/torch_xla.py (`compile`)
    """

    code = "XLA810"
    name = "lost-module-methods"
    severity = Severity.ERROR
    only_definite = True
    of_text = True

    def judge(self, event: MethodMissed, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            "raises AttributeError: `torch_xla.compile` made a function of the module, "
            f"which has no `{event.name}`",
            help="keep the module under a name of its own, and compile it to another",
            cures=(ByHand(event.site, title=f"Ask the module itself for `{event.name}`"),),
        )
