"""XLA711: a generator of random numbers is asked for on an XLA device."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import DropArgument
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.assumptions import FOLLOWED, is_of_device
from xlalint.lazy.events import GeneratorRefused
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class XlaGenerator(Rule[GeneratorRefused]):
    """
    ## What it does
    Finds `torch.Generator(device=device)` of an XLA device. Silent where the program catches what that
    raises. An info where it is a framework, or whoever calls, that must have chosen such a device.

    ## Why is this bad?
    It raises `RuntimeError: XLA device type not an accelerator`: torch_xla has one random state for each
    device, and no generators. Code that draws its noise or its tokens from one of its own does not run.

    A generator of the host serves as well. The host draws then what goes to the device, by the seed of the
    generator; without one, the device draws by that of `torch_xla.manual_seed`.

    ## Example
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    generator = torch.Generator(device=device).manual_seed(7)
    noise = torch.randn(4, 8, generator=generator, device=device)
    print(noise.sum().item())
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla

    device = torch_xla.device()
    generator = torch.Generator().manual_seed(7)
    noise = torch.randn(4, 8, generator=generator, device=device)
    print(noise.sum().item())
    ```

    ## Fix safety
    Unsafe: on CUDA, a generator of the host serves no tensor of the device. A file that is for CUDA, too,
    needs one of each, and is left as it is.

    ## On the engine
    `torch.Generator(device="xla")` raises, and so does one of `torch_xla.device()`. With a generator of the
    host `randn`, `randint`, `randperm`, `normal_`, `bernoulli` and `multinomial` give tensors of the device,
    the same again for the same seed.

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
    """

    code = "XLA711"
    name = "xla-generator"
    severity = Severity.ERROR
    raises = True

    def judge(self, event: GeneratorRefused, state: View) -> Iterator[Finding]:
        is_own = is_of_device(event.assumes - FOLLOWED)
        yield self.finding(
            event,
            f"raises `RuntimeError`: `{event.spelling}` asks an XLA device for a generator, which it has not",
            severity=Severity.ERROR if is_own else Severity.INFO,
            help="use one of the host, `torch.Generator()`, or none after `torch_xla.manual_seed(seed)`",
            cures=(
                DropArgument(
                    event.site,
                    "device",
                    for_xla=True,
                    title="Use a generator of the host",
                    applicability=Applicability.UNSAFE,
                    changes="on CUDA it serves no tensor of the device",
                ),
            ),
        )
