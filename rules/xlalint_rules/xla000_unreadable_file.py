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
    Reports files that cannot be read, decoded or parsed. Syntax is looked at in files that name
    torch_xla or a configured wrapper, and in those named on the command line; what shows without
    parsing (permissions, encoding, NUL bytes, broken links) is reported for every file.

    ## Why is this bad?
    Nothing else is found in such a file, and calls that lead into it are not followed.

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
    No fix: only its author knows what the file was to say.

    ## On the engine
    Not proven there: Python does not start such a program.

    ## References
    - [PEP 263](https://peps.python.org/pep-0263/), declared encodings
    """

    code = "XLA000"
    name = "unreadable-file"
    severity = Severity.ERROR

    def judge(self, event: FileUnreadable, state: View) -> Iterator[Finding]:
        yield self.finding(
            event,
            f"this file cannot be checked: {event.reason}",
            help="mend it or exclude it; nothing else is said about it until then",
        )
