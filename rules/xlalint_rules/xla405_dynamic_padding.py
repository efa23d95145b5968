"""XLA405: batches are filled up to the longest of their sequences."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, PassArgument
from xlalint.diagnostic import Severity
from xlalint.lazy.events import BatchesPadded
from xlalint.lazy.state import View
from xlalint.lazy.values import Form
from xlalint.rule import Finding, Rule


class DynamicPadding(Rule[BatchesPadded]):
    """
    ## What it does
    Finds loops that compute on the device over batches as long as their longest sequence: those of a
    `DataLoader` whose `collate_fn` fills up so, by a tokenizer, by `pad_sequence` or by hand, or is a
    collator such as `DataCollatorWithPadding`, also in a Trainer; rows that are filled up by hand in
    each round, and texts that a tokenizer encodes there with `padding=True`, `padding="longest"` or
    none. It is *likely*: all may be of one length. Silent where lengths are rounded up or given as
    `pad_to_multiple_of`, where a function fills up once more by itself, and for collators in a file
    that asks for `"max_length"`. Of collators for language modeling it tells where the file only cuts off
    its texts, by `truncation=True`, and makes no blocks of them.

    ## Why is this bad?
    The step is compiled again for most batches. Each graph is made for the shapes that it was recorded
    with, and the longest text of a batch decides on them.

    ## Example
    ```python
    import torch
    import torch_xla
    from transformers import AutoTokenizer


    def evaluate(model, texts):
        device = torch_xla.device()
        tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        for start in range(0, len(texts), 8):
            batch = tokenizer(texts[start : start + 8], padding=True, return_tensors="pt")
            with torch_xla.step(), torch.no_grad():
                model(**batch.to(device))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    from transformers import AutoTokenizer


    def evaluate(model, texts):
        device = torch_xla.device()
        tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        for start in range(0, len(texts), 8):
            batch = tokenizer(texts[start : start + 8], padding="max_length", return_tensors="pt")
            with torch_xla.step(), torch.no_grad():
                model(**batch.to(device))
    ```

    ## Fix safety
    Unsafe: `padding="max_length"` fills up to `max_length`, or to the longest text that the model takes,
    which costs memory and time where most texts are short.

    ## On the engine
    Three batches whose longest texts differ compile three graphs, and one when they are filled up to the
    same length. While a program runs, XLA407 tells of the new graphs.

    ## References
    - https://huggingface.co/docs/accelerate/concept_guides/training_tpu
    """

    code = "XLA405"
    name = "dynamic-padding"
    severity = Severity.WARNING

    def judge(self, event: BatchesPadded, state: View) -> Iterator[Finding]:
        padded = event.built[-1]
        if event.by in _ARGUMENTS:
            keyword, text, lengths, advice = _ARGUMENTS[event.by]
            yield self.finding(
                event,
                "compiles the step again for most batches: the longest text of each decides on its shape",
                help=advice,
                cures=(
                    PassArgument(
                        padded,
                        keyword,
                        text,
                        title=f"Fill up to {lengths} by `{keyword}={text}`",
                        changes="batches are longer where all of their texts are short",
                    ),
                ),
            )
            return
        yield self.finding(
            event,
            "compiles the step again for most batches: the longest sequence of each decides on its shape",
            help="fill all batches up to one length, as by `torch.nn.functional.pad`",
            cures=(ByHand(padded, title="Fill up to one length by `torch.nn.functional.pad`"),),
        )


_ARGUMENTS = {
    Form.PADDING: (
        "padding", '"max_length"', "one length",
        'pass `padding="max_length"` and `max_length`, or `pad_to_multiple_of` for few lengths',
    ),
    Form.SAMPLES: (
        "pad_to_multiple_of", "128", "few lengths",
        'pass `pad_to_multiple_of` for few lengths, or tokenize with `padding="max_length"`',
    ),
}  # fmt: skip
"""What to pass, by what decides on lengths: the keyword, its value, what it fills up to, and the advice."""
