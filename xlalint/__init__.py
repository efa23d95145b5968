"""Finds bugs in PyTorch/XLA programs. The names here are for other programs: docs/api.md explains them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xlalint.api import (
        Applicability,
        Certainty,
        Diagnostic,
        Edit,
        Fix,
        Fixed,
        Position,
        Range,
        Related,
        Report,
        SettingsError,
        Severity,
        check_paths,
        check_source,
        fix_paths,
        fix_source,
    )
    from xlalint.fixing.fixer import Applied, Left, Outcome

__all__ = [
    "Applicability",
    "Applied",
    "Certainty",
    "Diagnostic",
    "Edit",
    "Fix",
    "Fixed",
    "Left",
    "Outcome",
    "Position",
    "Range",
    "Related",
    "Report",
    "SettingsError",
    "Severity",
    "check_paths",
    "check_source",
    "fix_paths",
    "fix_source",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """One of these names, imported when it is first asked for: every command imports this package."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in ("Applied", "Left", "Outcome"):
            from xlalint.fixing import fixer

            return getattr(fixer, name)
        from xlalint import api

        return getattr(api, name)
