"""Attributes of the engine and of torch, replaced so that they can be put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Patches:
    """Replaced attributes, in the order in which they were replaced."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replace `owner.name` by what `make` makes of it."""
        original = getattr(owner, name)
        own = vars(owner).get(name, _MISSING)

        def undo() -> None:
            if own is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, own)

        setattr(owner, name, make(original))
        self._undo.append(undo)

    def on_undo(self, action: Callable[[], None]) -> None:
        """Do this too when everything is put back."""
        self._undo.append(action)

    def undo(self) -> None:
        """Put everything back, the last replaced first."""
        while self._undo:
            self._undo.pop()()


_MISSING = object()
