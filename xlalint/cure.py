"""Cures: what would mend a hazard, as data. Rules name them; nothing here knows text.

A cure names places of the program. Where the scope or rank test stands that a finding is about, a
rule does not know: it names the scope itself, and `judging` puts its place in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from xlalint.diagnostic import Applicability
from xlalint.lazy.site import Site
from xlalint.lazy.state import Scope, Split

Where = Site | Scope | Split
"""A place, or that which stands there."""

_C = TypeVar("_C", bound="Cure")


@dataclass(frozen=True, slots=True)
class Cure:
    """One way to mend a hazard.

    Args:
        title: What it does, as an editor shows it: "Move the read below the step".
        applicability: How far it may be trusted.
        changes: What may come out otherwise after it; empty: nothing.
    """

    title: str
    applicability: Applicability
    changes: str


def placed(cure: _C, place: Callable[[Where], Site]) -> _C:
    """The cure with a site in the place of each scope and rank test."""
    where = {
        field.name: place(held)
        for field in dataclasses.fields(cure)
        if isinstance(held := getattr(cure, field.name), Site | Scope | Split)
    }
    return dataclasses.replace(cure, **where)  # type: ignore[arg-type]  # only fields that hold places
