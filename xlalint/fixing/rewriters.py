"""Which rewriter carries out which cure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xlalint.cure import Cure
from xlalint.fixing import (
    ahead,
    closures,
    comments,
    compiling,
    markers,
    moves,
    names,
    reads,
    scopes,
    seeds,
    settings,
    ties,
)
from xlalint.fixing.rewrite import Refused, Rewriter

REWRITERS: Mapping[type[Cure], Rewriter[Any]] = {
    **names.REWRITERS, **comments.REWRITERS, **scopes.REWRITERS, **markers.REWRITERS, **moves.REWRITERS,
    **reads.REWRITERS, **compiling.REWRITERS, **settings.REWRITERS, **ties.REWRITERS, **seeds.REWRITERS,
    **closures.REWRITERS, **ahead.REWRITERS,
}  # fmt: skip


def rewriter_of(cure: Cure) -> Rewriter[Any]:
    """What carries out a cure.

    Raises:
        Refused: it is done by hand.
    """
    if type(cure) not in REWRITERS:
        raise Refused("this is to be done by hand")
    return REWRITERS[type(cure)]
