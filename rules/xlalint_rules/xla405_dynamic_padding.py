"""XLA405: texts are filled up to the longest of their batch."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, PassArgument
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ShapeVaries
from xlalint.lazy.state import View
from xlalint.lazy.values import Form
from xlalint.rule import Finding, Rule


class DynamicPadding(Rule[ShapeVaries]):
    """
    ## What it does
    Finds a tokenizer that is called with `padding=True` or `padding="longest"` in code for XLA devices, and
    collators such as `DataCollatorWithPadding`, which pad so by default. So does `pad_sequence` in a function
    that collates.
    It is *likely*: what they return may stay on the host. Silent with `pad_to_multiple_of`, of collators
    in a file that asks for `"max_length"`, and in functions that pad once more by themselves.

    ## Why is this bad?
    The step is compiled again for most batches. Each graph is made for the shapes that it was recorded
    with, and the longest text of a batch decides on them.

    ## Example
    ```python
    import torch_xla
    from transformers import AutoTokenizer

    device = torch_xla.device()
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


    def collate(texts):
        return tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    ```

    ## Use instead
    ```python
    import torch_xla
    from transformers import AutoTokenizer

    device = torch_xla.device()
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


    def collate(texts):
        return tokenizer(texts, padding="max_length", max_length=128, truncation=True, return_tensors="pt")
    ```

    ## Fix safety
    Unsafe: `padding="max_length"` fills up to `max_length`, or to the longest text that the model takes,
    which costs memory and time where most texts are short.

    ## On the engine
    Three batches whose longest texts differ compile three graphs, and one when they are filled up to the
    same length.

    ## References
    - https://huggingface.co/docs/accelerate/concept_guides/training_tpu
    """

    code = "XLA405"
    name = "dynamic-padding"
    severity = Severity.WARNING
    enabled = False
    of_text = True

    def judge(self, event: ShapeVaries, state: View) -> Iterator[Finding]:
        if event.by is Form.SEQUENCES:
            yield self.finding(
                event,
                "compiles the step again for most batches: the longest sequence of each decides on its shape",
                help="fill all batches up to one length, as by `torch.nn.functional.pad`",
                cures=(ByHand(event.site, title="Fill up to one length by `torch.nn.functional.pad`"),),
            )
        if event.by is not Form.PADDING:
            return
        yield self.finding(
            event,
            "compiles the step again for most batches: the longest text of each decides on its shape",
            help='pass `padding="max_length"` with `max_length`, or `pad_to_multiple_of` for a few lengths',
            cures=(
                PassArgument(
                    event.site,
                    "padding",
                    '"max_length"',
                    title='Fill up to one length by `padding="max_length"`',
                    changes="batches are longer where all of their texts are short",
                ),
            ),
        )
