"""XLA901: "xla" spelled in many places."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import DeviceSpelled
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule

FEW = 2
"""So many places of a file may name the device: where it is chosen, and where that is tested."""


class ScatteredDeviceLiteral(Rule[DeviceSpelled]):
    """
    ## What it does
    Finds files that name the device by the text `"xla"` or `"xla:0"` in more than two places, where they
    move to it, keep it, or compare with it. Each place is told.

    ## Why is this bad?
    The program cannot move to another device by one change. The successor of torch_xla has a device
    of its own: each of these texts must be found and changed, and one that is forgotten raises.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    batch = torch.randn(4, 8, device="xla")
    target = torch.zeros(4, 1).to("xla:0")
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch.device("xla")
    model = torch.nn.Linear(8, 1).to(device)
    batch = torch.randn(4, 8, device=device)
    target = torch.zeros(4, 1).to(device)
    ```

    ## Fix safety
    Only shown: how the device gets to each place is for the author to decide. Use `device.type` where
    the type is wanted, as in `torch.autocast(device.type)`.

    ## On the engine
    Both spellings are the same device, so there is no harm to measure on torch_xla.

    ## References
    - [RFC #9684](https://github.com/pytorch/xla/issues/9684), a native device for TPUs
    """

    code = "XLA901"
    name = "scattered-device-literal"
    severity = Severity.INFO
    enabled = False

    def judge(self, event: DeviceSpelled, state: View) -> Iterator[Finding]:
        if event.places <= FEW:
            return
        yield self.finding(
            event,
            f"moving to another device means {event.places} changes in this file: "
            f'it spells "{event.spelling}" here',
            help="choose the device once, and pass it on",
            cures=(ByHand(event.site, title="Use the device that is chosen once"),),
        )
