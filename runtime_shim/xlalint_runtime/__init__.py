"""The runtime guard: watches programs on torch_xla. `xlalint_runtime.guard` is for use in programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xlalint_runtime.in_program import guard

__all__ = ["guard"]


def __getattr__(name: str) -> Any:
    """What is public is imported when it is used: importing the package must cost nothing."""
    if name in __all__:
        from xlalint_runtime import in_program

        return getattr(in_program, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
