"""XLA601: torch.save or safetensors given device tensors."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, MoveBelow, Rename, SyncBefore
from xlalint.diagnostic import Severity
from xlalint.lazy.assumptions import NONE, assume
from xlalint.lazy.events import Save
from xlalint.lazy.state import View
from xlalint.lazy.values import Weight
from xlalint.rule import Finding, Rule


class TorchSaveOfDeviceTensors(Rule[Save]):
    """
    ## What it does
    Finds `torch.save`, `pickle` and safetensors calls that save tensors, a state dict or a module
    on an XLA device, and `xm.save` of a module or of parameters.

    ## Why is this bad?
    The file loads only on a machine with an XLA device, because it names the device. Saving is
    slow: each tensor is transferred separately, and while operations are pending each transfer
    launches a graph. And every replica writes the same file.

    safetensors raises and writes nothing, as it asks where in memory the tensors lie; so does
    `save_pretrained` of transformers and diffusers.

    `xm.save` moves everything to the host at once and writes on the master only. Only parameters, be they
    those of a module or by themselves, stay on the device, so save the state dict.

    ## Example
    ```python
    import torch
    import torch_xla

    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    torch.save(model.state_dict(), "model.pt")
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.core.xla_model as xm

    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    torch_xla.sync()
    xm.save(model.state_dict(), "model.pt")
    ```

    ## Fix safety
    Unsafe: `torch.save` becomes `xm.save`. Only the master of each host writes, and the file loads
    on the CPU. A module is left to you: who loads the file must know that it is a state dict now.

    ## On the engine
    Saving the 8 tensors of a model with pending operations launches 9 graphs with `torch.save`, and
    1 after a graph cut. The file of `torch.save` loads on `xla:0`, the file of `xm.save` on the
    CPU. A module that `xm.save` has written raises `NotImplementedError` where it is loaded without
    torch_xla, its state dict does not. `save_file`, `save_model` and `save_pretrained` raise `RuntimeError`.

    ## References
    - https://docs.pytorch.org/xla/master/learn/pytorch-on-xla-devices.html
    - aws-neuron/aws-neuron-sdk #1315
    """

    code = "XLA601"
    name = "torch-save-of-device-tensors"
    severity = Severity.WARNING

    def judge(self, event: Save, state: View) -> Iterator[Finding]:
        match event:
            case Save(raises=True, spelling=spelling):
                yield self.finding(
                    event,
                    f"raises `RuntimeError`: `{spelling}` has tensors of the device, and safetensors asks "
                    "where in memory they lie",
                    help="copy them to the host first: `{name: x.cpu() for name, x in "
                    "model.state_dict().items()}`, which `save_pretrained` takes as `state_dict=`",
                    severity=Severity.ERROR,
                    assumes=_BY_DEFAULT if event.site.in_framework else NONE,
                    cures=(ByHand(event.site, title="Copy the tensors to the host first"),),
                )
            case Save(by_xla=False, on_device=True, spelling=spelling):
                launches = event.recorded.must is Weight.HEAVY
                slow = (
                    "each transfer launches a graph of the work recorded since {since}"
                    if launches
                    else "transfers each one separately"
                )
                yield self.finding(
                    event,
                    f"the file loads only on a machine with an XLA device: `{spelling}` saves device "
                    f"tensors, and {slow}",
                    help="call `torch_xla.sync()`, then `xm.save(...)` on all replicas: it moves everything "
                    "to the host and writes on the master only",
                    since=state.since if launches else (),
                    cures=(_cure(event, state),),
                )
            case Save(by_xla=True, has_parameters=True, spelling=spelling):
                yield self.finding(
                    event,
                    f"the file loads only on a machine with an XLA device: `{spelling}` saves parameters "
                    "as they are, by themselves or in a module, and `xm.save` leaves these there",
                    help="save `model.state_dict()`: of that, it moves everything to the host",
                    cures=(ByHand(event.site, title=_STATE_DICT),),
                )


def _cure(event: Save, state: View) -> Cure:
    site, scope, title = event.site, state.scopes.step, "Save with `xm.save`"
    if event.spelling.partition("(")[0].rpartition(".")[2] != "save":
        return ByHand(site, title=title)  # a format of its own
    if event.has_parameters:
        return ByHand(site, title=_STATE_DICT)  # who loads the file gets something else then
    also: tuple[Cure, ...] = ()
    if scope is not None:
        also = (MoveBelow(site, scope, title="Move the save below the step"),)
    elif event.recorded.may is not Weight.NONE:
        also = (SyncBefore(site, title="Sync before the save"),)
    changes = "only the master of each host writes, and the file loads on the CPU"
    return Rename(site, "torch.save", _XLA_SAVE, _PARAMETERS, title=title, changes=changes, also=also)


_BY_DEFAULT = assume("the library saves by safetensors, as it has by default since 2023")
_STATE_DICT = "Save the `state_dict()` with `xm.save`"
_XLA_SAVE = "torch_xla.core.xla_model.save"
# What else `torch.save` takes, `xm.save` does not.
_PARAMETERS = (("obj", "data"), ("f", "file_or_path"))
