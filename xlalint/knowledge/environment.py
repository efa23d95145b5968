"""Environment variables that torch_xla no longer reads, that have a settled successor, or that debug: data.

Read from the source of the releases: XRT went with 2.1, XLA:CUDA and its variables with 2.9.
`XLA_USE_BF16` and `XLA_DOWNCAST_BF16` are still read in 2.9, once, when the first tensor of floats is made
on the device: tensors say float32 and hold bfloat16.
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
        debugs: Whether it is there to look for faults, and not a former one.
        is_read_once: Whether torch_xla asks for it before the first tensor is on the device, and no more.
    """

    harm: str
    instead: str
    since: Version = (1, 8)
    switch: bool = False
    is_read: bool = True
    debugs: bool = False
    is_read_once: bool = False


_XRT = Variable(
    "does nothing: torch_xla runs on PJRT and no longer reads it",
    "set `PJRT_DEVICE`, such as `PJRT_DEVICE=TPU`, and start replicas with `torch_xla.launch`",
    (2, 1),
    is_read=False,
)
_ROUNDS = Variable(
    "rounds all numbers, if set before the first tensor is on the device: what says float32 is bfloat16",
    "move the model with `.to(torch.bfloat16)`, or compute under `torch.autocast` with that type",
    (2, 5),
    switch=True,
    is_read_once=True,
)
_HALF = Variable(
    "rounds all numbers, if set before the first tensor is on the device: what says float32 is float16",
    "move the model with `.to(torch.float16)`",
    (2, 5),
    switch=True,
    is_read_once=True,
)

_IN_SHELL = "set it in the shell, for the run in which you look for a fault"

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
    **{
        name: Variable(harm, _IN_SHELL, switch=True, debugs=True)
        for name, harm in {
            "XLA_IR_DEBUG": "slows the host down: each operation keeps its Python stack",
            "XLA_HLO_DEBUG": "slows the host down: each operation keeps its Python stack",
            "XLA_SYNC_WAIT": "makes each graph cut wait for the device: it idles while Python records",
            "XLA_USE_EAGER_DEBUG_MODE": "runs each operation by itself",
            "XLA_SAVE_TENSORS_FILE": "writes each graph to a file",
            "PT_XLA_DEBUG": "analyzes each graph that is run, and writes what it finds",
            "PT_XLA_DEBUG_LEVEL": "analyzes each graph that is run, and writes what it finds",
        }.items()
    },
}
"""By name; all that begin with `XRT_` are of the runtime before PJRT."""

OFF = frozenset({"", "0", "false"})
"""Values of a switch that is off, in lower case."""

PATTERN = (
    r"XRT_|XLA_(?:USE|DOWNCAST)_(?:BF16|FP16|SPMD)|GPU_NUM_DEVICES"
    r"|XLA_(?:IR|HLO)_DEBUG|XLA_SYNC_WAIT|XLA_USE_EAGER_DEBUG_MODE|XLA_SAVE_TENSORS_FILE|PT_XLA_DEBUG"
)
"""What stands in every file that names one of them."""


def of(name: str) -> Variable | None:
    """What is known of a variable; None: it is none of torch_xla that anything is said of."""
    return _XRT if name.startswith("XRT_") else VARIABLES.get(name)
