"""XLA104: numbers that are read from the device one by one."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, StackReads
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ReadApart
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class HostReadPerElement(Rule[ReadApart]):
    """
    ## What it does
    Finds several reads of device values beside each other in a loop, where one read of all would do:
    `[loss.item(), norm.item()]`, `[x.item() for x in losses]`, lines that read one number each,
    `torch.tensor([loss, norm])`, texts that show several numbers, loops over one tensor:
    `for i in range(4): count += labels[i].item()`, `for row in best: texts.append(decode(row.tolist()))`,
    and loops over parameters: `for p in model.parameters(): total += p.grad.norm().item()`. Three or more
    that run a graph each in no loop, or in a few rounds of one, are a note.

    Reads in a step are XLA101's, reads of a step that has not run yet XLA102's. Of values that have run, two
    reads are no harm worth a word, and three or more are told in loops over a loader. The same holds of
    numbers that were just sent: no graph makes `torch.tensor(total, device=device)`.

    ## Why is this bad?
    Each read waits for the device by itself. Where something is computed of a value and then read, each read
    also runs a graph of its own, which has to be compiled. A stack of all is one graph and one read.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    batches = [torch.randn(4, 8) for _ in range(3)]

    for batch in batches:
        output = model(batch.to("xla"))
        torch_xla.sync()
        print([output.min().item(), output.max().item()])
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(8, 1).to("xla")
    batches = [torch.randn(4, 8) for _ in range(3)]

    for batch in batches:
        output = model(batch.to("xla"))
        torch_xla.sync()
        print(torch.stack([output.min(), output.max()]).tolist())
    ```

    ## Fix safety
    Unsafe: a stack takes tensors of one shape, at least one of them, and gives all one type. It is proven for
    tensors without dimensions: of others that `.item()` reads, come lists in a list. Reads in several lines
    are yours to put together.

    ## On the engine
    Four reads of what is computed of a step's results launch 4 graphs and transfer 4 numbers, a stack of them
    1 and 1. Four reads of what has run already transfer 4 numbers and launch nothing. The four rows of a
    batch, read by `row.tolist()` below its step, launch 4 graphs more, and `best.tolist()` none.

    ## References
    - [Troubleshooting](https://docs.pytorch.org/xla/master/learn/troubleshoot.html)
    """

    code = "XLA104"
    name = "host-read-per-element"
    severity = Severity.WARNING
    behind = ("XLA101", "XLA102", "XLA106", "XLA202")
    yields_to = ("XLA106", "XLA101", "XLA103", "XLA102", "XLA212", "XLA703")

    def judge(self, event: ReadApart, state: View) -> Iterator[Finding]:
        many = f"{event.count} numbers" if event.count else "the numbers of a list or tensor"
        how = "one by one, each by a graph of its own" if event.runs else "one by one"
        by_hand = ByHand(event.site, title="Read all at once: `torch.stack([...]).tolist()`")
        yield self.finding(
            event,
            f"waits for the device again and again: `{event.spelling}` is one of the reads that fetch {many} "
            f"{how}",
            help="put the tensors together by `torch.stack([...])`, and read that with one `.tolist()`",
            severity=Severity.INFO if event.once else None,
            cures=(StackReads(event.site), by_hand) if event.listed else (by_hand,),
        )
