"""The half of xlalint that needs torch_xla: found by name, and never imported where it is not used."""

from __future__ import annotations

import sys
from typing import Any

from xlalint.cli.failure import Failure


def from_guard(name: str, purpose: str) -> Any:
    """What the guard offers under a name.

    Args:
        name: The name of its entry point.
        purpose: What needs it, as the beginning of a sentence such as `a proof`.

    Raises:
        Failure: torch_xla is not installed; the message says how to get it, or why that is impossible.
    """
    from importlib.util import find_spec

    from xlalint import plugins

    if find_spec("torch_xla") is None:
        import platform

        why = why_no_engine(platform.system(), platform.machine(), sys.version_info[:2])
        raise Failure(f"{purpose} needs torch_xla, which is not installed: {why}")
    entries = [entry for entry in plugins.entries(plugins.GUARD) if entry.name == name]
    if not entries:
        raise Failure("this installation is incomplete (no xlalint.guard entry point); reinstall xlalint")
    return entries[0].load()


def why_no_engine(system: str, machine: str, python: tuple[int, ...]) -> str:
    """Why torch_xla cannot be here, or how to get it.

    Args:
        system, machine: As the module `platform` names them.
        python: Major and minor version.
    """
    if (system, machine) != ("Linux", "x86_64"):
        return f"it runs on Linux on x86-64 only, and this is {system} on {machine}"
    if python >= (3, 14):
        return f"it needs Python 3.10 to 3.13, and this is Python {'.'.join(map(str, python))}"
    return "install it with: pip install 'xlalint[runtime]'"
