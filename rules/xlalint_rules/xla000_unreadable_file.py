"""XLA000: a file that cannot be read or parsed."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.diagnostic import Severity
from xlalint.lazy.events import FileUnreadable
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class UnreadableFile(Rule[FileUnreadable]):
    """
    ## What it does
    Reports files that cannot be read, decoded or parsed. Syntax errors are reported in files that
    name torch_xla or a configured wrapper, and in files named on the command line. Other problems
    (permissions, encoding, NUL bytes, broken links) are reported for every file.

    `--select` does not turn this rule off. To do that, ignore it by its code or name.

    ## Why is this bad?
    xlalint finds nothing else in this file, and it does not follow calls into it.

    ## Example
    ```python
    import torch_xla

    with torch_xla.step()
        print("recorded")
    ```

    ## Use instead
    ```python
    import torch_xla

    with torch_xla.step():
        print("recorded")
    ```

    ## Fix safety
    No fix: only the author knows what the file should say.

    ## On the engine
    Not proven: Python does not start a program with a syntax error.

    ## References
    - [PEP 263](https://peps.python.org/pep-0263/), declared encodings
    """

    code = "XLA000"
    name = "unreadable-file"
    severity = Severity.ERROR

    def judge(self, event: FileUnreadable, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"this {event.part} cannot be checked: {event.reason}",
            help=f"fix or exclude it; other rules skip this {event.part}",
        )
