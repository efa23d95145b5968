"""XLA004: a device of XLA is asked for, and nothing imports torch_xla."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import DeviceUnregistered
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class DeviceWithoutTorchXla(Rule[DeviceUnregistered]):
    """
    ## What it does
    Finds `.to("xla")` and `device="xla"` in a program of which no file imports torch_xla. It is told once
    in a file, at the first such place.

    Silent where the import may come from elsewhere: from another module of the project, or from a
    library that imports torch_xla itself, such as accelerate or transformers. Where the file imports
    packages that nobody here knows, it is *likely*. Silent also in a `try`, and in modules that do not
    run by themselves.

    ## Why is this bad?
    The program raises. PyTorch knows the word "xla", and no device behind it: importing torch_xla is what
    registers one.

    ## Example
    ```python
    import torch

    model = torch.nn.Linear(4, 1).to("xla")
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(4, 1).to("xla")
    ```

    ## Fix safety
    Only shown: the import may belong into another module.

    ## On the engine
    Without the import `torch.ones(2).to("xla")`, and that of a module, raises `RuntimeError: PyTorch is
    not linked with support for xla devices`; `torch.ones(2, device="xla")` raises `NotImplementedError`,
    which is one, too.

    ## References
    - https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html
    """

    code = "XLA004"
    name = "device-without-torch-xla"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: DeviceUnregistered, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"raises `RuntimeError`: `{event.spelling}` needs torch_xla, and nothing here imports it",
            help="put `import torch_xla` beside `import torch`",
            cures=(ByHand(event.site, title="Import torch_xla"),),
        )
