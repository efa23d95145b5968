"""XLA904: a private name of torch_xla."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class PrivateApi(Rule[ApiUsed]):
    """
    ## What it does
    Finds imports and uses of torch_xla's private names: those of its extension `_XLAC`, of
    `torch_xla._internal`, and all others that begin with an underscore. Silent under a version test, and
    in a `try` that expects the name to be missing.

    ## Why is this bad?
    Any release may change these names without a word, and nothing outside of torch_xla has them: a program
    that uses them cannot leave it.

    ## Example
    ```python
    import torch_xla

    print(torch_xla._XLAC._xla_metrics_report())
    ```

    ## Use instead
    ```python
    import torch_xla.debug.metrics as met

    print(met.metrics_report())
    ```

    ## Fix safety
    Only shown: for many private names there is a public function, mostly in `torch_xla.runtime`,
    `torch_xla.debug` or `torch_xla.core.xla_model`. For others there is none.

    ## On the engine
    A private name does what it does until a release takes it away, so there is no harm to measure.

    ## References
    - [The API of torch_xla](https://docs.pytorch.org/xla/master/learn/api-guide.html)
    """

    code = "XLA904"
    name = "private-api"
    severity = Severity.INFO
    enabled = False

    def judge(self, event: ApiUsed, state: View) -> Iterator[Finding]:
        if event.protected or event.keyword or not any(map(_is_private, event.name.split("."))):
            return
        yield self.finding(
            event,
            f"`{event.name}` is private: any release may change it, and nothing but torch_xla has it",
            help="use a public function, of PyTorch if there is one, or keep all such uses in one module",
            cures=(ByHand(event.site, title="Use a public name"),),
        )


def _is_private(part: str) -> bool:
    """Whether a part of a name is private; `__version__` is not."""
    return part.startswith("_") and not part.startswith("__")
