"""Files that cannot be imported: they take what torch, torch_xla or a module of the project has not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import SOME
from xlalint.analysis.refusing import in_any_case
from xlalint.knowledge import lifecycle, members
from xlalint.knowledge.functions import LIBRARIES
from xlalint.lazy.site import Site
from xlalint.lazy.state import Raised
from xlalint.program.outline import Outline, Taken
from xlalint.sources.file import NOTEBOOK
from xlalint.versions import LATEST, show


def raised_by_import(machine: Machine, outline: Outline) -> Raised | None:
    """What surely raises when a module is imported, before anything in it is called; None if nothing does."""
    return machine.lookups.find(("imports", outline, ""), lambda: _raised(machine, outline), lambda: None)


def _raised(machine: Machine, outline: Outline) -> Raised | None:
    machine.rest_on("imports", outline.file)
    if outline.makes_modules:
        return None
    found = (raised_by(machine, taken, outline) for taken in outline.taken())
    return next((raised for raised in found if raised is not None), None)


def raised_by_body(machine: Machine, outline: Outline) -> Raised | None:
    """What surely raises in the body of a module, which uses a name that nothing binds; else None."""
    for node in _run_in_any_case(outline.tree.body):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name not in outline.bindings:
                if machine.names.is_undefined(node, outline):
                    return Raised(outline.site(node), f"`{name}` is not defined")
    return None


def _run_in_any_case(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """What is run whenever a module is imported: also in a loop that counts to a number."""
    for statement in body:
        match statement:
            case ast.Expr() | ast.Assign() | ast.AugAssign():
                yield from in_any_case(statement)
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(rounds))])):
                yield from _run_in_any_case(statement.body if rounds > 0 else [])


def raised_by(machine: Machine, taken: Taken, outline: Outline) -> Raised | None:
    """What surely raises where a module takes something of another; None if nothing does."""
    module, name, site = taken
    if module.partition(".")[0] in LIBRARIES:
        return _gone(machine, taken, outline)
    if _lacks(machine, module, name, outline):
        return Raised(site, f"`{module}` has no `{name}`")
    for inner in (module, f"{module}.{name}") if name else (module,):
        if machine.may_refuse(inner, outline):
            found = machine.names.find_module(inner, outline)
            raised = raised_by_import(machine, found) if found is not None else None
            if raised is not None:
                return raised
    return None


def _gone(machine: Machine, taken: Taken, outline: Outline) -> Raised | None:
    """Whether something is gone from torch or torch_xla, and the project has nothing in its place."""
    module, name, site = taken
    raised = raised_by_use(f"{module}.{name}" if name else module, site)
    if raised is None or machine.names.find_module(module.partition(".")[0], outline) is not None:
        return None
    return raised


def raised_by_use(name: str, site: Site) -> Raised | None:
    """What raises where a name of torch or torch_xla is used that the newest release has not; else None."""
    gone = lifecycle.gone_part(name)
    if gone is None:
        module, _, last = name.rpartition(".")
        if last != SOME and members.lacks(name):
            return Raised(site, f"`{module}` has no `{last}`", LATEST)  # an older torch may have had it
        return Raised(site, f"`{module}` has no `{last}`") if lifecycle.never_was(name) else None
    part, removed = gone
    root = name.partition(".")[0]
    if part == root:
        return Raised(site, f"there is no `{root}` any more", removed)
    return Raised(site, f"`{part}` was removed in {root} {show(removed)}", removed)


def _lacks(machine: Machine, module: str, name: str, outline: Outline) -> bool:
    """Whether a module of the project surely has nothing of a name.

    It is no package, of which the name may be a part, and stands where no other is taken in its place: in a
    package, beside a script, or in a folder around one that such a script looks into first. What a notebook
    takes, one of its cells may have written.
    """
    path = _located(machine, module, outline) if name else None
    if path is None or machine.project.module_name(path)[1]:
        return False
    machine.rest_on("lacks", str(path), name)
    return machine.project.lacks(path, name)


def lacks_class(machine: Machine, module: str, name: str, outline: Outline) -> bool:
    """Whether a module of the project, which may be a package, surely has no class or constant of a name.

    A part of a package is hardly called as these are.
    """
    path = _located(machine, module, outline) if name[:1].isupper() else None
    if path is None:
        return False
    machine.rest_on("lacks", str(path), name)
    return machine.project.lacks(path, name)


def _located(machine: Machine, module: str, outline: Outline) -> Path | None:
    """Where a module of the project stands, if no other is taken in its place."""
    in_package = "." in module
    if outline.path.suffix == NOTEBOOK:
        return None
    if not (in_package or outline.is_script or outline.looks_elsewhere_first):
        return None
    path = machine.names.locate_module(module, outline)
    if path is None or path == outline.path:
        return None
    machine.rest_on("module name", str(path))
    meant, _ = machine.project.module_name(path)
    return path if in_package or (meant == module and _is_at_hand(path, outline)) else None


def _is_at_hand(path: Path, outline: Outline) -> bool:
    """Whether a script that takes a module by its name alone takes this one."""
    if outline.is_script:
        return str(path.parent) == outline.folder
    return path.parent in outline.path.parent.parents
