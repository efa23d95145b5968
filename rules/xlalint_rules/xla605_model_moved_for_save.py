"""XLA605: the model leaves the device, and its optimizer keeps the parameters from before."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import is_of_ways
from xlalint.lazy.events import OptimizerStepped
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class ModelMovedForSave(Rule[OptimizerStepped]):
    """
    ## What it does
    Finds a model that leaves the device, by `model.cpu()` or `model.to("cpu")`, such as to be saved,
    and an optimizer over it that steps afterwards. *Likely* where a test decides whether it moves. Silent
    where nothing is trained after it, such as where a test may ask for the last round of a loop, and where
    moving keeps the parameters (`set_swap_module_params_on_conversion`).

    ## Why is this bad?
    From then on the model does not train, and no error is raised. On XLA each move between device and
    host makes new parameters. The optimizer keeps the old ones, which never get a gradient again, also
    when the model goes back to the device. On CUDA the same program works.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
        model.cpu()
        torch.save(model.state_dict(), "model.pt")
        model.to(device)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        with torch_xla.step():
            optimizer.zero_grad()
            loss = model(torch.ones(8, 4, device=device)).sum()
            loss.backward()
            optimizer.step()
        xm.save(model.state_dict(), "model.pt")
    ```

    ## Fix safety
    Only shown: `xm.save` copies what it saves to the host and leaves the model where it is.

    ## On the engine
    With the move, the parameters after the first epoch are those at the end, bit for bit. Without it,
    they change in each epoch.

    ## References
    - pytorch/xla #1764
    """

    code = "XLA605"
    name = "model-moved-for-save"
    severity = Severity.ERROR

    def judge(self, event: OptimizerStepped, state: View) -> Iterator[Finding]:
        if not (event.stale and event.off_device and is_of_ways(event.assumes)):
            return
        yield self.finding(
            event,
            "nothing is trained after this move: the optimizer keeps the parameters that were on the device",
            help="leave the model on the device, and save with `xm.save`, which copies to the host",
            at=event.stale[-1],
            cures=(ByHand(event.stale[-1], title="Save with `xm.save`, without moving the model"),),
        )
