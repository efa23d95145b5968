"""XLA702: weights that are tied, and come apart when the model moves to the device."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import TieBelow
from xlalint.diagnostic import Severity
from xlalint.lazy.events import TrainedApart
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class TiedWeightsBeforeDeviceMove(Rule[TrainedApart]):
    """
    ## What it does
    Finds models that tie two weights, such as those of the embedding and of the last layer, are then moved to
    an XLA device, and are trained. They may be tied when they are built, by a method such as `tie_weights`
    that is called before the move, or from outside: `model.head.weight = model.embedding.weight`.

    ## Why is this bad?
    The two are trained apart: a move to XLA gives each layer parameters of its own, also where two
    layers shared one. The model has more parameters than its author believes, and learns otherwise
    than on a GPU, where a move keeps the ties.

    Many models of transformers tie theirs, such as those of GPT-2 and BERT. Its `Trainer` ties them again
    after the move; `.to(device)` and accelerate do not, so that `model.tie_weights()` is up to you.

    Silent where the weights are tied again after the move, and with
    `torch.__future__.set_swap_module_params_on_conversion(True)`, which keeps the ties. Ties that an
    argument of the model decides on are seen if it is a flag that the program leaves on, or sets, for all.

    ## Example
    ```python
    import torch
    import torch_xla


    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(8, 4)
            self.head = torch.nn.Linear(4, 8, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens):
            return self.head(self.embedding(tokens))


    device = torch_xla.device()
    model = Tagger().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(torch.tensor([1, 2], device=device)).sum().backward()
        optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla


    class Tagger(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(8, 4)
            self.head = torch.nn.Linear(4, 8, bias=False)
            self.head.weight = self.embedding.weight

        def forward(self, tokens):
            return self.head(self.embedding(tokens))


    device = torch_xla.device()
    model = Tagger().to(device)
    model.head.weight = model.embedding.weight
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch_xla.step():
        model(torch.tensor([1, 2], device=device)).sum().backward()
        optimizer.step()
    ```

    ## Fix safety
    Unsafe: the model has one parameter less, and trains as it does on a GPU, so its numbers change.

    ## On the engine
    After the move the model has two parameters where it had one, and after a step they differ.

    ## References
    - Lightning #2705
    - transformers #13030, #18676
    - https://github.com/pytorch/xla/blob/master/docs/source/learn/troubleshoot.md
    """

    code = "XLA702"
    name = "tied-weights-before-device-move"
    severity = Severity.ERROR

    def judge(self, event: TrainedApart, state: View) -> Iterator[Finding]:
        move, changes = event.path[-1], "the model trains otherwise"
        one, other, again = event.obligation.detail.split(", ")
        yield self.finding(
            event,
            f"trained apart: `{one}` and `{other}` were tied, are two parameters after this move, "
            "and the optimizer steps on {later}",
            help="tie them again below the move",
            cures=(TieBelow(move, one, other, again, title="Tie the weights again", changes=changes),),
            later=Later(event.site, "both are trained here"),
        )
