"""Methods that a training framework calls, with what, and how it ends the step: data.

A class of a project that derives from one of these, and whose package uses torch_xla somewhere, is
called by the framework inside its training step: after a batch came from the loader, before the cut.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from xlalint.lazy.state import Cause


class Given(Enum):
    """What a framework passes to a method."""

    MODULE = "the model, on the device"
    BATCH = "a batch, on the device"
    ANYTHING = "something else"


class Hook(NamedTuple):
    """One method.

    Args:
        method: Its name.
        parameters: What it gets after `self`.
        cut: What cuts the graph after it.
    """

    method: str
    parameters: tuple[Given, ...]
    cut: Cause = Cause.STEP_END


_CRITERION = (Hook("forward", (Given.MODULE, Given.BATCH)),)

HOOKS: dict[str, tuple[Hook, ...]] = {
    "fairseq.criterions.FairseqCriterion": _CRITERION,
    "fairseq.criterions.fairseq_criterion.FairseqCriterion": _CRITERION,
}
"""By the qualified name of the base class."""

LABEL_METHODS = frozenset({"get_targets"})
"""Methods by which models of such frameworks pick the labels out of a batch: they compute nothing."""
