"""Environment variables that torch_xla no longer reads, or that have a settled successor: data.

Read from the source of the releases: XRT went with 2.1, XLA:CUDA and its variables with 2.9.
`XLA_USE_BF16` and `XLA_DOWNCAST_BF16` are still read in 2.9: tensors say float32 and hold bfloat16.
"""

from __future__ import annotations

from typing import NamedTuple

from xlalint.versions import Version


class Variable(NamedTuple):
    """One variable.

    Args:
        harm: What comes of setting it.
        instead: What takes its place.
        since: From this release on.
        switch: Whether it is on or off, as the values in `OFF` say.
        is_read: Whether torch_xla still asks for it.
    """

    harm: str
    instead: str
    since: Version = (1, 8)
    switch: bool = False
    is_read: bool = True


_XRT = Variable(
    "does nothing: torch_xla runs on PJRT and no longer reads it",
    "set `PJRT_DEVICE`, such as `PJRT_DEVICE=TPU`, and start replicas with `torch_xla.launch`",
    (2, 1),
    is_read=False,
)
_ROUNDS = Variable(
    "rounds all numbers: tensors that say float32 hold bfloat16",
    "move the model with `.to(torch.bfloat16)`, or compute under `torch.autocast` with that type",
    (2, 5),
    switch=True,
)
_HALF = Variable(
    "rounds all numbers: tensors that say float32 hold float16",
    "move the model with `.to(torch.float16)`",
    (2, 5),
    switch=True,
)

VARIABLES: dict[str, Variable] = {
    "XLA_USE_BF16": _ROUNDS,
    "XLA_DOWNCAST_BF16": _ROUNDS,
    "XLA_USE_FP16": _HALF,
    "XLA_DOWNCAST_FP16": _HALF,
    "XLA_USE_SPMD": Variable(
        "is deprecated: whether it works depends on who imports torch_xla first",
        "call `torch_xla.runtime.use_spmd()` before the first tensor is made",
        (2, 1),
        switch=True,
    ),
    "GPU_NUM_DEVICES": Variable(
        "does nothing: torch_xla no longer runs on CUDA",
        "use CUDA through torch itself",
        (2, 9),
        is_read=False,
    ),
}
"""By name; all that begin with `XRT_` are of the runtime before PJRT."""

OFF = frozenset({"", "0", "false"})
"""Values of a switch that is off, in lower case."""

PATTERN = r"XRT_|XLA_(?:USE|DOWNCAST)_(?:BF16|FP16|SPMD)|GPU_NUM_DEVICES"
"""What stands in every file that names one of them."""


def of(name: str) -> Variable | None:
    """What is known of a variable; None: it is not one of torch_xla's former ones."""
    return _XRT if name.startswith("XRT_") else VARIABLES.get(name)
