"""Methods that a training framework calls, and with what: data.

A class of a project that derives from one of these, and whose package uses torch_xla somewhere, is
called by the framework inside its training step: after a batch came from the loader, before the cut.
"""

from __future__ import annotations

from typing import NamedTuple


class Hook(NamedTuple):
    """One method. `parameters` says what it gets after `self`: a module, a batch or anything."""

    method: str
    parameters: tuple[str, ...]


HOOKS: dict[str, tuple[Hook, ...]] = {
    "FairseqCriterion": (Hook("forward", ("module", "batch")),),
}
"""By the name of the base class."""
