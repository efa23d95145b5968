"""The rewrites that change which statements there are, and in which order."""

from __future__ import annotations

from typing import Any

from xlalint.cure import Cure
from xlalint.fixing import markers, moves, reads, scopes
from xlalint.fixing.rewrite import Rewriter

REWRITERS: dict[type[Cure], Rewriter[Any]] = {
    **scopes.REWRITERS,
    **markers.REWRITERS,
    **moves.REWRITERS,
    **reads.REWRITERS,
}
