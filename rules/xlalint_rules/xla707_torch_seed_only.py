"""XLA707: the host gets a seed, and what is drawn on the device follows another one."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, SeedDevice
from xlalint.diagnostic import Severity
from xlalint.lazy.events import SeedMissed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class TorchSeedOnly(Rule[SeedMissed]):
    """
    ## What it does
    Finds `torch.manual_seed(seed)` where random numbers are drawn on an XLA device later, and nothing sets
    the seed of the device: dropout in training, or `torch.randn(..., device=device)`. The seed may stand
    before `spawn` or `launch`, and the random numbers in the function that is launched. `set_seed` of
    transformers and `seed_everything` of Lightning call nothing else; `set_seed` of accelerate sets both.

    ## Why is this bad?
    What is drawn on the device is the same whatever the seed is, so that runs with several seeds are not
    what they seem. All replicas drop the same, though each has a seed of its own. A seed that is set again
    brings nothing back.

    ## Example
    ```python
    import torch
    import torch_xla

    torch.manual_seed(7)
    device = torch_xla.device()
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout()).to(device)
    with torch_xla.step():
        loss = model(torch.ones(8, 4).to(device)).sum()
        loss.backward()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    torch.manual_seed(7)
    torch_xla.manual_seed(7)
    device = torch_xla.device()
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout()).to(device)
    with torch_xla.step():
        loss = model(torch.ones(8, 4).to(device)).sum()
        loss.backward()
    ```

    ## Fix safety
    Unsafe: other random numbers are drawn. Setting the seed of the device starts the runtime of XLA, which
    must not happen before replicas are launched.

    ## On the engine
    Two processes that call `torch.manual_seed(1)` and `torch.manual_seed(2)` drop the same elements. After
    `torch_xla.manual_seed` they differ, and the same seed brings the same elements again.

    ## References
    - [pytorch/xla#2092](https://github.com/pytorch/xla/issues/2092)
    """

    code = "XLA707"
    name = "torch-seed-only"
    severity = Severity.WARNING

    def judge(self, event: SeedMissed, state: View) -> Iterator[Finding]:
        where = ""
        cure: Cure = SeedDevice(event.path[-1])
        if event.before_launch:
            # No device may be touched there.
            where, cure = ", in the function that is launched", ByHand(event.site, title=_IN_EACH)
        yield self.finding(
            event,
            "has no effect on the device: what is drawn there, as by dropout, is the same for every seed",
            help=f"set the seed of the device, too{where}: `torch_xla.manual_seed(seed)`",
            cures=(cure,),
        )


_IN_EACH = "Set the seed of the device in each replica"
