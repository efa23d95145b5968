"""Which rewriter carries out which cure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xlalint.cure import Cure
from xlalint.fixing import comments, names
from xlalint.fixing.rewrite import Refused, Rewriter

_ALL: Mapping[type[Cure], Rewriter[Any]] = {**names.REWRITERS, **comments.REWRITERS}


def rewriter_of(cure: Cure) -> Rewriter[Any]:
    """What carries out a cure.

    Raises:
        Refused: it is done by hand.
    """
    if type(cure) not in _ALL:
        raise Refused("this is to be done by hand")
    return _ALL[type(cure)]
