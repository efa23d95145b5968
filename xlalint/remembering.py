"""What is asked of the same part of a tree again and again, kept until the program is let go."""

from __future__ import annotations

from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

_KEPT: Final[list[_lru_cache_wrapper[Any]]] = []


def remembered(most: int) -> Callable[[Callable[..., _T]], _lru_cache_wrapper[_T]]:
    """Keep what a function of the parts of trees returns, which holds these trees.

    Args:
        most: So many answers are kept.
    """

    def keep(function: Callable[..., _T]) -> _lru_cache_wrapper[_T]:
        kept = lru_cache(maxsize=most)(function)
        _KEPT.append(kept)
        return kept

    return keep


def forget() -> None:
    """Let all trees go that answers are kept of: they are found out again where somebody still asks."""
    for kept in _KEPT:
        kept.cache_clear()
