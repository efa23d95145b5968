"""XLA708: PyTorch's own activation checkpointing is given tensors on an XLA device."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import Cure, DropArgument, Rename
from xlalint.diagnostic import Applicability, Severity
from xlalint.lazy.events import CheckpointedByTorch
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule


class UpstreamActivationCheckpoint(Rule[CheckpointedByTorch]):
    """
    ## What it does
    Finds `torch.utils.checkpoint.checkpoint` that is given a tensor on an XLA device, and models of
    transformers and diffusers on such a device that are told to use it, as by
    `model.gradient_checkpointing_enable()`.
    Silent where the program has given PyTorch a module for the device, by
    `torch._register_device_module("xla", torch_xla)`, or puts another function in the place of this one.

    ## Why is this bad?
    It raises `AttributeError: module 'torch' has no attribute 'xla'`, whatever `use_reentrant` is: PyTorch
    looks for a module of the device, to keep its random state, and torch_xla registers none.

    ## Example
    ```python
    import torch
    import torch_xla
    from torch.utils.checkpoint import checkpoint

    device = torch_xla.device()
    block, head = torch.nn.Linear(4, 4).to(device), torch.nn.Linear(4, 1).to(device)
    x = torch.randn(8, 4, device=device, requires_grad=True)
    with torch_xla.step():
        loss = head(checkpoint(block, x, use_reentrant=True)).sum()
        loss.backward()
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    from torch_xla.utils.checkpoint import checkpoint

    device = torch_xla.device()
    block, head = torch.nn.Linear(4, 4).to(device), torch.nn.Linear(4, 1).to(device)
    x = torch.randn(8, 4, device=device, requires_grad=True)
    with torch_xla.step():
        loss = head(checkpoint(block, x, use_reentrant=True)).sum()
        loss.backward()
    ```

    ## Fix safety
    Unsafe: code that is to run on other devices, too, needs both functions. With `use_reentrant=False` the
    fix is only shown, as torch_xla refuses that: without it, one of the tensors that are passed must
    require gradients, or the checkpointed part gets none.

    ## On the engine
    The function of PyTorch raises with and without `use_reentrant`, also under `torch.no_grad()`. With
    `use_reentrant=True` and `preserve_rng_state=False` the backward pass raises. The function of torch_xla
    computes the gradients that the model has without checkpointing. A model of transformers 4.57 raises in
    its first forward that trains, with both values of `use_reentrant`; where PyTorch has been told of the
    device it trains.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/utils/checkpoint.py
    - aws-neuron/aws-neuron-sdk #1317
    """

    code = "XLA708"
    name = "upstream-activation-checkpoint"
    severity = Severity.ERROR
    raises = True

    def judge(self, event: CheckpointedByTorch, state: View) -> Iterator[Finding]:
        if event.site.in_framework:
            yield self.finding(
                event,
                f"raises `AttributeError`: gradient checkpointing is on, for which `{event.spelling}` uses "
                "that of PyTorch, which knows no XLA devices",
                help="leave it off, or put `torch_xla.utils.checkpoint.checkpoint` in the place of PyTorch's "
                "before the framework is imported",
            )
            return
        yield self.finding(
            event,
            f"raises `AttributeError`: `{event.spelling}` is the checkpointing of PyTorch, which knows no "
            "XLA devices",
            help="use `torch_xla.utils.checkpoint.checkpoint`, which does not take `use_reentrant=False`, or "
            'tell PyTorch of the device: `torch._register_device_module("xla", torch_xla)`',
            cures=(_cure(event),),
        )


def _cure(event: CheckpointedByTorch) -> Cure:
    is_same = event.reentrant is True
    return Rename(
        event.site,
        "torch.utils.checkpoint.checkpoint",
        "torch_xla.utils.checkpoint.checkpoint",
        title="Use the checkpointing of torch_xla",
        applicability=Applicability.UNSAFE if is_same else Applicability.SHOWN,
        changes="" if is_same else "a part that gets no tensor which requires gradients gets none itself",
        also=() if is_same else (DropArgument(event.site, "use_reentrant", title="Leave it reentrant"),),
    )
