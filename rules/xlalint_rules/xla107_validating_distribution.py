"""XLA107: a distribution that checks its parameters in every step."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import PassArgument
from xlalint.diagnostic import Severity
from xlalint.lazy.events import Validated
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class ValidatingDistribution(Rule[Validated]):
    """
    ## What it does
    Finds distributions of `torch.distributions` that are made of device tensors in a loop or a step, and
    check them.

    ## Why is this bad?
    The host waits for the device for each parameter: the distribution asks whether all numbers may be its
    parameters, which runs what is recorded and reads the answer. What the step records after that is
    another graph. Its `log_prob` asks once more.

    While a program runs, the guard tells of the reads themselves, as XLA101, XLA102 or XLA103.

    Silent where `torch.distributions.Distribution.set_default_validate_args` is called.

    ## Example
    ```python
    import torch
    import torch_xla

    for _ in range(3):
        with torch_xla.step():
            mean = torch.randn(4, device="xla")
            noise = torch.distributions.Normal(mean, mean.exp())
            sample = noise.rsample()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    for _ in range(3):
        with torch_xla.step():
            mean = torch.randn(4, device="xla")
            noise = torch.distributions.Normal(mean, mean.exp(), validate_args=False)
            sample = noise.rsample()
    ```

    ## Fix safety
    Unsafe: parameters that may be none, such as a negative scale, raise no error any more.

    ## On the engine
    `Normal` and `Uniform` launch two graphs when they are made, `Categorical` and `Bernoulli` one, and
    `log_prob` one more; with `validate_args=False` none.

    ## References
    - https://docs.pytorch.org/docs/stable/distributions.html
    """

    code = "XLA107"
    name = "validating-distribution"
    severity = Severity.WARNING
    enabled = False
    of_text = True

    def judge(self, event: Validated, state: View) -> Iterator[Finding]:
        if state.eager or not (state.scopes.in_loop or state.scopes.step is not None):
            return
        yield self.finding(
            event,
            f"waits for the device in every step: `{event.spelling}` reads its parameters to check them",
            help="pass `validate_args=False`, once the parameters are known to be right",
            cures=(
                PassArgument(
                    event.site,
                    "validate_args",
                    "False",
                    title="Check nothing by `validate_args=False`",
                    changes="wrong parameters raise no error any more",
                ),
            ),
        )
