"""XLA706: backward inside an autocast, of what is kept in full precision."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, EndBefore
from xlalint.diagnostic import Severity
from xlalint.lazy.events import BackwardLowered
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class AutocastAroundBackward(Rule[BackwardLowered]):
    """
    ## What it does
    Finds `backward()` inside an autocast for XLA, where the forward pass keeps matrix products or
    convolutions out of it by `autocast(enabled=False)`.

    Silent where the whole forward pass is in the autocast: gradients are the same then, bit for bit, whether
    backward runs inside or below. Products in a `backward` of your own class of `torch.autograd.Function`
    are not found: give it `torch.amp.custom_bwd`.

    ## Why is this bad?
    Gradients are computed in bfloat16 of what is kept in float32. Backward makes products of each product,
    and the autocast that is open while it runs casts them, whatever was open in the forward pass.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    x = torch.ones(4, 8, device=device)
    with torch.autocast("xla", dtype=torch.bfloat16):
        features = model(x)
        with torch.autocast("xla", enabled=False):
            features = features.float()
            similarity = features @ features.t()
        similarity.sum().backward()
    torch_xla.sync()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    model = torch.nn.Linear(8, 8).to(device)
    x = torch.ones(4, 8, device=device)
    with torch.autocast("xla", dtype=torch.bfloat16):
        features = model(x)
        with torch.autocast("xla", enabled=False):
            features = features.float()
            similarity = features @ features.t()
    similarity.sum().backward()
    torch_xla.sync()
    ```

    ## Fix safety
    Unsafe: the autocast ends above backward, so that gradients are computed in another precision.

    ## On the engine
    Of a product in float32 the gradients differ by 0.2 %, and six casts are recorded in place of none.
    Eighteen other forward passes under autocast (linear, convolution, attention, LSTM, losses, norms) have
    gradients that are equal bit for bit, with backward inside and below.

    ## References
    - [Automatic mixed precision](https://docs.pytorch.org/docs/stable/amp.html)
    """

    code = "XLA706"
    name = "autocast-around-backward"
    severity = Severity.WARNING
    only_definite = True

    def judge(self, event: BackwardLowered, state: View) -> Iterator[Finding]:
        around = event.path[-1]
        yield self.finding(
            event,
            "computes gradients in lower precision of what is kept out of this autocast: backward on "
            "{later} runs inside of it",
            help="end the autocast before `backward()`",
            cures=(
                EndBefore(
                    around,
                    event.site,
                    title="End the autocast before backward",
                    changes="gradients are computed in another precision",
                ),
                ByHand(around, title="End the autocast before backward"),
            ),
            later=Later(event.site, "gradients are computed here"),
        )
