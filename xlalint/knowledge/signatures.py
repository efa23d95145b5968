"""What functions and classes of torch and torch_xla take."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Signature(NamedTuple):
    """The names of parameters.

    Args:
        positional: Those that may be given by their places, in order.
        every: All of them.
        by_default: Those that need not be given.
    """

    positional: tuple[str, ...]
    every: tuple[str, ...]
    by_default: frozenset[str]


@cache
def of(name: str) -> Signature | None:
    """What a function or class takes; None where that is anything, or is not known.

    Args:
        name: A canonical qualified name, such as `torch.optim.SGD`.
    """
    text = _table().get(name)
    if text is None:
        return None
    by_place, _, by_name = text.partition("*")
    positional = tuple(_names(by_place))
    every = (*positional, *_names(by_name))
    by_default = {part.strip(" =") for part in text.split(",") if part.endswith("=")}
    return Signature(positional, every, frozenset(by_default))


def _names(text: str) -> list[str]:
    return [part.strip(" =") for part in text.split(",") if part.strip()]


@cache
def _table() -> dict[str, str]:
    """Made by scripts/build_signatures.py; a test holds it against the installed packages."""
    path = Path(__file__).with_name("signatures.json")
    table: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return table
