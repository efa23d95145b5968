"""What the user sets in the editor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SECTION = "xlalint"
"""Where these settings stand among those of the editor."""


@dataclass(frozen=True)
class Preferences:
    """Settings of the editor.

    Args:
        configuration: Settings by the keys of xlalint.toml; they win over those of files.
        state_on_hover: Whether a hover shows what the model holds before a line.
        state_as_hints: Whether inlay hints do.
    """

    configuration: Mapping[str, object] = field(default_factory=dict)
    state_on_hover: bool = False
    state_as_hints: bool = False


def read_preferences(given: object) -> Preferences:
    """Preferences as a client sends them; what is missing, or not of its kind, is as if it were not set."""
    held = given.get(SECTION, given) if isinstance(given, Mapping) else {}
    held = held if isinstance(held, Mapping) else {}
    configuration, state = held.get("configuration"), held.get("state")
    state = state if isinstance(state, Mapping) else {}
    return Preferences(
        configuration if isinstance(configuration, Mapping) else {},
        state.get("hover") is True,
        state.get("inlayHints") is True,
    )
