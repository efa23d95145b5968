"""XLA709: a mesh reduction of what PyTorch refuses to load."""

from __future__ import annotations

from collections.abc import Iterator

from xlalint.cure import ByHand
from xlalint.diagnostic import Severity
from xlalint.lazy.events import ObjectsShared
from xlalint.lazy.state import View
from xlalint.rule import Finding, Rule

LOADS_WEIGHTS_ONLY = (2, 6)
"""The first release that comes with a PyTorch whose `torch.load` refuses objects."""


class MeshReduceOfObjects(Rule[ObjectsShared]):
    """
    ## What it does
    Finds values of NumPy and objects of classes that are given to `xm.mesh_reduce`, themselves or within a
    list or dictionary. Numbers, texts, tensors, and lists and dictionaries of these are fine.

    ## Why is this bad?
    The program ends with `UnpicklingError`. `xm.mesh_reduce` hands its data to the other replicas as a
    file that `torch.load` reads, and since PyTorch 2.6 that refuses everything but tensors and Python's
    own values. It does so on one replica, too.

    ## Example
    ```python
    import numpy as np
    import torch_xla.core.xla_model as xm


    def mean_over_replicas(losses):
        return xm.mesh_reduce("loss", np.mean([float(loss) for loss in losses]), np.mean)
    ```

    ## Use instead
    ```python
    import numpy as np
    import torch_xla.core.xla_model as xm


    def mean_over_replicas(losses):
        return xm.mesh_reduce("loss", float(np.mean([float(loss) for loss in losses])), np.mean)
    ```

    ## Fix safety
    Only shown: `float(...)` does for a number, `.tolist()` for an array, a dictionary of its numbers for an
    object.

    ## On the engine
    An array, `np.float64`, `np.int64`, `np.bool_`, a dictionary of them and an object of a class raise
    `UnpicklingError`. `float`, `int`, `str`, `list`, `dict`, `set`, `Counter` and tensors pass.

    ## References
    - https://docs.pytorch.org/docs/stable/notes/serialization.html (`weights_only`)
    """

    code = "XLA709"
    name = "mesh-reduce-of-objects"
    severity = Severity.ERROR

    def judge(self, event: ObjectsShared, state: View) -> Iterator[Finding]:
        if self.target.high is not None and self.target.high < LOADS_WEIGHTS_ONLY:
            return
        yield self.finding(
            event,
            f"raises `UnpicklingError`: `xm.mesh_reduce` sends {event.what}, which `torch.load` refuses",
            help="send Python's own values: `float(...)` of a number, `.tolist()` of an array",
            cures=(ByHand(event.site, title="Send Python's own values"),),
        )
