"""Which public names the modules of torch have in the newest release."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path


def lacks(name: str) -> bool:
    """Whether a module of torch surely has nothing of a public name; False where that is not known.

    Args:
        name: A canonical qualified name, such as `torch.optim.AdamWW`.
    """
    module, _, last = name.rpartition(".")
    known = _table().get(module)
    return known is not None and last not in known and not last.startswith("_")


def has(module: str, name: str) -> bool:
    """Whether a module of torch has a member of this name."""
    return name in _table().get(module, ())


@cache
def _table() -> dict[str, frozenset[str]]:
    """Made by scripts/build_members.py; a test holds it against the installed torch."""
    path = Path(__file__).with_name("members.json")
    table: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return {module: frozenset(names.split()) for module, names in table.items()}
