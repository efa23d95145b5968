"""How a qualified name is spelled at some place of a file, and which imports that takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from xlalint.fixing.bindings import Imported, Scope
from xlalint.fixing.edits import Edit
from xlalint.fixing.imports import New, added
from xlalint.fixing.module import Module, position
from xlalint.fixing.presence import goes_on_without, reaches, stands_in, used_beside
from xlalint.fixing.rewrite import Need, Refused

_USUAL = {
    "torch_xla.core.xla_model": "xm",
    "torch_xla.debug.metrics": "met",
    "torch_xla.debug.profiler": "xp",
    "torch_xla.distributed.parallel_loader": "pl",
    "torch_xla.distributed.spmd": "xs",
    "torch_xla.distributed.xla_multiprocessing": "xmp",
    "torch_xla.runtime": "xr",
}
"""What everybody calls the modules of torch_xla."""

_EVERYWHERE = ("math", "torch")
"""Packages that code may import beside others without asking."""


def spelling(module: Module, name: str, at: ast.AST) -> tuple[str, tuple[Edit, ...]]:
    """The text that means a qualified name at a node, and the edits that import what it takes.

    Raises:
        Refused: what it takes means something else there, or cannot be imported there.
    """
    text, new = _spelled(module, name, at)
    return text, added(module, new)


def imports_for(module: Module, needs: Iterable[Need]) -> tuple[Edit, ...]:
    """The edits that import all that is needed, each thing once.

    Raises:
        Refused: as `spelling` does.
    """
    new: dict[New, None] = {}
    for need in needs:
        new.update(dict.fromkeys(_spelled(module, need.name, need.at)[1]))
    return added(module, new)


def _spelled(module: Module, name: str, at: ast.AST) -> tuple[str, tuple[New, ...]]:
    scopes = module.scopes
    package, rest = _split(name)
    scope = scopes.around(at, module.parents)
    former = origins(module, at)
    if isinstance(at, ast.stmt):
        former = used_beside(module, at, package.partition(".")[0])
    for imported, where in former:
        if (line := stands_in(module, imported, where)) is not None:
            raise Refused(f"`{imported.name}` may be what line {line} puts in its place")
    known = [
        text
        for imported, where in scopes.imports
        if (text := _by(imported, name, package, rest)) is not None
        and scopes.binding(imported.name, scope) is where
        and _is_there(module, imported, where, at, former)
    ]
    if known:
        return min(known, key=len), ()
    is_kin = _is_kin(former, package)
    # Where one of several surely brings the former name, the new one need come beside that alone.
    surely = [each for each in former if reaches(module, each[0].statement, each[1], at)]
    places = (surely[-1:] or former) if is_kin else _other_place(module, package, at)
    if not places and isinstance(at, ast.stmt):
        raise Refused(f"`{package}` may be missing where line {at.lineno} runs")
    if not places:
        raise Refused(f"`{package}` is not imported wherever `{root(module, at)}` is there")
    usual = _USUAL.get(package)
    if usual and any(not _is_free(module, usual, package, scope, where) for _, where in places):
        usual = None
    bound = usual or package.partition(".")[0]
    if any(not _is_free(module, bound, package if usual else bound, scope, where) for _, where in places):
        raise Refused(f"`{bound}` means something else here")
    if any(_hides(module, package, imported, where) for imported, where in places):
        raise Refused(f"an import in this function would hide the `{bound}` that other lines use")
    as_member = usual and is_kin and isinstance(at, ast.Attribute) and _binds_modules(former)
    new = (_import(package, usual, imported, where, as_member=bool(as_member)) for imported, where in places)
    return f"{bound if usual else package}.{rest}", tuple(new)


def origins(module: Module, at: ast.AST) -> list[tuple[Imported, Scope]]:
    """The imports that bind the name with which an expression begins."""
    name = _root_name(at)
    if name is None:
        return []
    scopes = module.scopes
    scope = scopes.binding(name.id, scopes.around(at, module.parents))
    if scope is None:
        return []
    return [(imported, scope) for imported in scope.imports.get(name.id, ())]


def _split(name: str) -> tuple[str, str]:
    """The module of a name, and its name there; a class and its members are told by capital letters."""
    parts = name.split(".")
    first = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:first]), ".".join(parts[first:])


def _by(imported: Imported, name: str, package: str, rest: str) -> str | None:
    """How a name is spelled by means of an import, if that binds it or its module."""
    if imported.is_plain:
        return name if f"{imported.brings}.".startswith(f"{package}.") else None
    if imported.target == name:
        return imported.name
    return f"{imported.name}.{rest}" if imported.target == package else None


def _is_there(
    module: Module, imported: Imported, scope: Scope, at: ast.AST, former: Sequence[tuple[Imported, Scope]]
) -> bool:
    """Whether an import is carried out wherever a node is, or at least wherever its former name was there."""
    if not _means(scope, imported.name, imported.target):
        return False
    imports = scope.imports[imported.name]
    if any(reaches(module, one.statement, scope, at) for one in imports):
        return True
    is_here = scope is module.scopes.around(at, module.parents)
    above = [one for one in imports if not (is_here and position(one.statement) > position(at))]
    brought = [
        (old, where) for old, where in former
        if not (is_here and where is scope and position(old.statement) > position(at))
    ]  # fmt: skip
    return bool(brought) and all(
        any(reaches(module, one.statement, scope, old.statement, also_below=scope is where) for one in above)
        for old, where in brought
    )


def _means(scope: Scope, name: str, target: str) -> bool:
    """Whether all that binds a name in a scope binds it to the same, or to None."""
    return name not in scope.others and all(one.target == target for one in scope.imports.get(name, ()))


def _is_kin(former: Sequence[tuple[Imported, Scope]], package: str) -> bool:
    """Whether imports bring the same package that `package` is in."""
    first = package.partition(".")[0]
    return bool(former) and all(old.package == first for old, _ in former)


def _other_place(module: Module, package: str, at: ast.AST) -> list[tuple[Imported, Scope]]:
    """An import of the same package, or else of the package before it, that is carried out before a node."""
    there = [
        (imported, scope)
        for imported, scope in module.scopes.imports
        if not imported.brings.startswith((".", "__future__"))
        and reaches(module, imported.statement, scope, at)
    ]
    first = package.partition(".")[0]
    kin = [each for each in there if each[0].package == first] or [*_stars(module, first, at)]
    if kin:
        return kin[-1:]
    if goes_on_without(module.tree, first):
        return []
    if any(old.package not in _EVERYWHERE for old, _ in origins(module, at)):
        # Whoever brings the former name may have asked whether the package is installed.
        return [(old, scope) for old, scope in origins(module, at) if _passes_on(module, old, first)]
    if module.callees is not None and module.callees.go_on_without(first):
        return [each for each in there if _passes_on(module, each[0], first)][-1:]
    return ([each for each in there if each[0].package == "torch"] or there)[-1:]


def _passes_on(module: Module, imported: Imported, package: str) -> bool:
    """Whether a module of the project brings a name of a package, and has surely imported that."""
    return module.callees is not None and module.callees.brings(module, imported.statement, package)


def may_bring(module: Module, star: ast.ImportFrom, name: str) -> bool:
    """Whether the import of all names of a module may bring a qualified name."""
    package = name.partition(".")[0]
    passed_on = module.callees is not None and module.callees.brings(module, star, package)
    return name.startswith(f"{star.module}.") or passed_on


def _stars(module: Module, package: str, at: ast.AST) -> Iterator[tuple[Imported, Scope]]:
    """The imports of all names of a module of a package that are carried out before a node."""
    scope = module.scopes.module
    for star in module.scopes.stars:
        imported = Imported(star.names[0], star, "*", f"{'.' * star.level}{star.module or ''}")
        brings = imported.package == package or _passes_on(module, imported, package)
        if brings and reaches(module, star, scope, at):
            yield imported, scope


def _is_free(module: Module, name: str, target: str, scope: Scope, where: Scope) -> bool:
    """Whether a name can be bound in `where` and read in `scope`."""
    for each in scope.outwards():
        if each is where:
            return _means(each, name, target) and name not in module.scopes.shared
        if each.binds(name):
            return False
    return False


def _hides(module: Module, package: str, beside: Imported, where: Scope) -> bool:
    """Whether a name that is bound beside an import in a function would hide that of outer imports.

    Lines that use these may come to use that name as well, and the import may not be carried out before.
    """
    outer = list(where.outwards())[1:]
    first = package.partition(".")[0]
    return any(
        where in module.scopes.around(use, module.parents).outwards()
        and not reaches(module, beside.statement, where, use)
        for other, scope in module.scopes.imports
        if scope in outer and other.package == first
        for use in module.scopes.uses_of(other, scope)
    )


def _binds_modules(former: Sequence[tuple[Imported, Scope]]) -> bool:
    return bool(former) and all(isinstance(old.statement, ast.ImportFrom) for old, _ in former)


def _import(package: str, usual: str | None, beside: Imported, scope: Scope, *, as_member: bool) -> New:
    renamed = f" as {usual}" if usual else ""
    if not as_member:
        return New(beside.statement, scope, f"import {package}{renamed}")
    holder, _, last = package.rpartition(".")
    return New(beside.statement, scope, f"from {holder} import {last}{renamed}", holder, f"{last}{renamed}")


def _root_name(node: ast.AST) -> ast.Name | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def root(module: Module, at: ast.AST) -> str:
    """The name with which an expression begins."""
    name = _root_name(at)
    return name.id if name is not None else module.source(at)
