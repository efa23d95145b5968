"""XLA606: a checkpoint that `torch.load` cannot load, or not to where it is told to."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand, Cure, PassArgument
from xlalint.diagnostic import Severity
from xlalint.lazy.events import LoadedByAnother, LoadRefused
from xlalint.lazy.state import View
from xlalint.rule import Finding, Later, Rule


class MismatchedLoader(Rule[LoadedByAnother | LoadRefused]):
    """
    ## What it does
    Finds `torch.load` of a file that `torch_xla.utils.serialization.save` has written, or with an XLA
    device as its `map_location`.

    A file is known again by its name, or where one function spells it alike for both.

    ## Why is this bad?
    The program ends with `UnpicklingError`. That function writes each tensor to a file of its own, and in
    the checkpoint it leaves references to them, which `torch.load` refuses. With `weights_only=False` it
    loads the references, and `load_state_dict` fails.

    With `map_location=device` it ends with `RuntimeError`, whoever has saved the file: PyTorch restores
    tensors on the CPU and on GPUs, and does not know how on an XLA device.

    ## Example
    ```python
    import torch
    import torch_xla
    import torch_xla.utils.serialization as xser

    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    torch_xla.sync()
    xser.save(model.state_dict(), "model.pt")
    model.load_state_dict(torch.load("model.pt"))
    ```

    ## Use instead
    ```python
    import torch
    import torch_xla
    import torch_xla.utils.serialization as xser

    model = torch.nn.Linear(4, 1).to(torch_xla.device())
    torch_xla.sync()
    xser.save(model.state_dict(), "model.pt")
    model.load_state_dict(xser.load("model.pt"))
    ```

    ## Fix safety
    Of references only shown: `torch.load` may be right, and `xm.save` what was meant. For a device, unsafe:
    `map_location="cpu"` leaves what is loaded on the CPU. `load_state_dict` copies it to where the model
    is; tensors that are used by themselves must be moved.

    ## On the engine
    `torch.load` raises `UnpicklingError`; `xser.load` gives the tensors back, on the CPU. It reads what
    `xm.save` has written, too. Told to load to an XLA device, `torch.load` raises `RuntimeError: don't know
    how to restore data location`, also of what `torch.save` has written from there.

    ## References
    - https://github.com/pytorch/xla/blob/master/torch_xla/utils/serialization.py
    """

    code = "XLA606"
    name = "mismatched-loader"
    severity = Severity.ERROR
    only_definite = True

    def judge(self, event: LoadedByAnother | LoadRefused, state: View) -> Iterator[Finding]:
        match event:
            case LoadedByAnother():
                yield self.finding(
                    event,
                    f"`{event.spelling}` on {{later}} raises `UnpicklingError`: "
                    "the file holds references only",
                    help="load it by `torch_xla.utils.serialization.load`, or save it by `xm.save`",
                    cures=(ByHand(event.path[-1], title="Save by `xm.save`, or load by `xser.load`"),),
                    later=Later(event.site, "the file is loaded here"),
                )
            case LoadRefused(spelling=spelling, by_name=by_name):
                cure: Cure = ByHand(event.site, title=_TO_CPU)
                if by_name:
                    cure = PassArgument(event.site, "map_location", '"cpu"', title=_TO_CPU, changes=_STAYS)
                yield self.finding(
                    event,
                    f"raises `RuntimeError`: `{spelling}` cannot load to an XLA device",
                    help='load to the CPU by `map_location="cpu"`: `load_state_dict` copies to the device',
                    cures=(cure,),
                )


_TO_CPU = 'Load to the CPU by `map_location="cpu"`'
_STAYS = "what is loaded is on the CPU until a model takes it over"
