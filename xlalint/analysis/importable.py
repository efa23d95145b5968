"""Files that cannot be imported: they take a name from a module of the project that does not define it."""

from __future__ import annotations

from xlalint.analysis.machine import Machine
from xlalint.analysis.outline import Outline
from xlalint.sources.file import NOTEBOOK


def raises_when_imported(machine: Machine, outline: Outline) -> bool:
    """Whether an import of the module's own body surely raises, so that nothing of the file ever runs.

    The cells of a notebook after one that raises run all the same.
    """
    return machine.lookups.find(("imports", outline, ""), lambda: _raises(machine, outline), lambda: False)


def _raises(machine: Machine, outline: Outline) -> bool:
    machine.rest_on("imports", outline.file)
    return outline.path.suffix != NOTEBOOK and any(
        _lacks(machine, module, name, outline) for module, name in outline.taken()
    )


def _lacks(machine: Machine, module: str, name: str, outline: Outline) -> bool:
    """Whether a module of the project surely has nothing of a name.

    It is no package, of which the name may be a part, and stands where no other is taken in its place.
    """
    found = machine.names.find_module(module, outline)
    if found is None or found.is_package or found is outline or "." not in module:
        return False
    machine.rest_on("lacks", found.file, name)
    return found.lacks(name)
