"""XLA712: a model on an XLA device is called in PyTorch's inference mode."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import InferenceRefused
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class InferenceMode(Rule[InferenceRefused]):
    """
    ## What it does
    Finds models on the device that are called inside `with torch.inference_mode()`, or in a function that it
    decorates, and were made outside. Silent of models whose layers nobody sees, unless they are
    transformers'.

    ## Why is this bad?
    The program raises `RuntimeError: Cannot set version_counter for inference tensor`, mostly at its first
    evaluation, when an epoch is over. torch_xla can make no view in inference mode of a tensor from outside,
    and `Linear`, `LayerNorm`, attention and recurrent layers view their inputs or weights.

    ## Example
    ```python
    import torch
    import torch_xla


    class Classifier(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.head = torch.nn.Linear(4, 2)

        def forward(self, x):
            return self.head(x)


    @torch.inference_mode()
    def evaluate(model, batches, device):
        for x in batches:
            print(model(x.to(device)).argmax().item())


    def main(batches):
        device = torch_xla.device()
        evaluate(Classifier().to(device), batches, device)
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla


    class Classifier(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.head = torch.nn.Linear(4, 2)

        def forward(self, x):
            return self.head(x)


    @torch.no_grad()
    def evaluate(model, batches, device):
        for x in batches:
            print(model(x.to(device)).argmax().item())


    def main(batches):
        device = torch_xla.device()
        evaluate(Classifier().to(device), batches, device)
    ```

    ## Fix safety
    Only shown: on other devices `torch.no_grad()` is a little slower.

    ## On the engine
    `Linear`, `LayerNorm`, `GroupNorm`, `Conv1d`, `LSTM`, `GRU`, `TransformerEncoderLayer` and `PReLU` raise,
    and so do `view`, `reshape`, `transpose`, `unsqueeze` and `x[0]` of a tensor from outside. `Conv2d`,
    `BatchNorm2d`, `Embedding`, pooling and activations do not.

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html
    """

    code = "XLA712"
    name = "inference-mode"
    severity = Severity.ERROR
    raises = True
    only_definite = True

    def judge(self, event: InferenceRefused, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"raises `RuntimeError`: in `torch.inference_mode()`, `{event.spelling}` can view no weights",
            help="use `torch.no_grad()`",
            cures=(ByHand(event.site, title="Use `torch.no_grad()`"),),
        )
