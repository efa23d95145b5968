"""How a qualified name is spelled at some place of a file, which imports that takes, and which go."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from xlalint.fixing.bindings import Imported, Scope
from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.module import Module
from xlalint.fixing.presence import is_asked_for, none_where_missing, used_beside
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

_PRAGMA = re.compile(r"#\s*(?:noqa:|type:|pylint:|isort:|pyright:|ruff:)")
_UNUSED_ON_PURPOSE = re.compile(r"#\s*noqa\b(?!\s*:)|#\s*noqa\s*:[^#]*\bF401\b", re.IGNORECASE)


class _New(NamedTuple):
    """An import that must be added beside another one.

    Args:
        scope: Where it binds its name.
    """

    beside: ast.stmt
    scope: Scope
    text: str
    package: str = ""
    """Of `from package import ...`, which may join another import."""
    names: str = ""

    @property
    def binds(self) -> str:
        """The name that it binds."""
        return self.text.split()[-1].partition(".")[0]

    def brings_what(self, other: _New) -> bool:
        """Whether both bind the same name to the same, in whatever words."""
        one, two = (each.text.removeprefix("from ").replace(" import ", ".") for each in (self, other))
        return one.removeprefix("import ") == two.removeprefix("import ")

    @property
    def is_above(self) -> bool:
        """Whether it comes above that: as isort would have it, which puts `from` below."""
        other = isinstance(self.beside, ast.ImportFrom), _imported_module(self.beside)
        return (bool(self.package), self.package or self.text.split()[1]) < other


# Spelling ---------------------------------------------------------------------------------------


def spelling(module: Module, name: str, at: ast.AST) -> tuple[str, tuple[Edit, ...]]:
    """The text that means a qualified name at a node, and the edits that import what it takes.

    Raises:
        Refused: what it takes means something else there, or cannot be imported there.
    """
    text, new = _spelled(module, name, at)
    return text, _added(module, new)


def added(module: Module, needs: Iterable[Need]) -> tuple[Edit, ...]:
    """The edits that import all that is needed, each thing once.

    Raises:
        Refused: as `spelling` does.
    """
    new: dict[_New, None] = {}
    for need in needs:
        new.update(dict.fromkeys(_spelled(module, need.name, need.at)[1]))
    return _added(module, new)


def _spelled(module: Module, name: str, at: ast.AST) -> tuple[str, tuple[_New, ...]]:
    scopes = module.scopes
    package, rest = _split(name)
    scope = scopes.around(at, module.parents)
    former = origins(module, at)
    if isinstance(at, ast.stmt):
        former = used_beside(module, at, package.partition(".")[0])
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
    places = former if is_kin else _other_place(module, package, at)
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
    for one in scope.imports[imported.name]:
        if _reaches(module, one.statement, scope, at):
            return True
        if former and all(
            _reaches(module, one.statement, scope, old.statement, also_below=scope is where)
            for old, where in former
        ):
            is_later = scope is module.scopes.around(at, module.parents) and _place(one.statement) > _place(
                at
            )
            return not is_later
    return False


def _means(scope: Scope, name: str, target: str) -> bool:
    """Whether all that binds a name in a scope binds it to the same, or to None."""
    return name not in scope.others and all(one.target == target for one in scope.imports.get(name, ()))


def _reaches(
    module: Module, statement: ast.stmt, scope: Scope, at: ast.AST, *, also_below: bool = False
) -> bool:
    """Whether a statement of `scope` has been carried out wherever a node is."""
    inside = module.member(at, module.block(statement))
    if inside is None:
        return False
    if also_below and inside is at:
        return True  # both statements stand in one block
    return module.scopes.around(at, module.parents) is not scope or _place(statement) < _place(at)


def _is_kin(former: Sequence[tuple[Imported, Scope]], package: str) -> bool:
    """Whether imports bring the same package that `package` is in."""
    first = package.partition(".")[0]
    return bool(former) and all(old.brings.partition(".")[0] == first for old, _ in former)


def _other_place(module: Module, package: str, at: ast.AST) -> list[tuple[Imported, Scope]]:
    """An import of the same package, or else of the package before it, that is carried out before a node."""
    there = [
        (imported, scope)
        for imported, scope in module.scopes.imports
        if not imported.brings.startswith((".", "__future__"))
        and _reaches(module, imported.statement, scope, at)
    ]
    first = package.partition(".")[0]
    kin = [each for each in there if _package(each[0]) == first] or [*_stars(module, first, at)]
    if kin:
        return kin[-1:]
    if is_asked_for(module, first):
        return []
    if any(_package(old) not in _EVERYWHERE for old, _ in origins(module, at)):
        return []  # whoever brings the former name may have asked whether the package is installed
    return ([each for each in there if _package(each[0]) == "torch"] or there)[-1:]


def _stars(module: Module, package: str, at: ast.AST) -> Iterator[tuple[Imported, Scope]]:
    """The imports of all names of a module of a package that are carried out before a node."""
    scope = module.scopes.module
    for star in module.scopes.stars:
        imported = Imported(star.names[0], star, "*", f"{'.' * star.level}{star.module or ''}")
        if _package(imported) == package and _reaches(module, star, scope, at):
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
        and not _reaches(module, beside.statement, where, use)
        for other, scope in module.scopes.imports
        if scope in outer and _package(other) == first
        for use in module.scopes.uses_of(other, scope)
    )


def _binds_modules(former: Sequence[tuple[Imported, Scope]]) -> bool:
    return bool(former) and all(isinstance(old.statement, ast.ImportFrom) for old, _ in former)


def _import(package: str, usual: str | None, beside: Imported, scope: Scope, *, as_member: bool) -> _New:
    renamed = f" as {usual}" if usual else ""
    if not as_member:
        return _New(beside.statement, scope, f"import {package}{renamed}")
    holder, _, last = package.rpartition(".")
    return _New(beside.statement, scope, f"from {holder} import {last}{renamed}", holder, f"{last}{renamed}")


def _root_name(node: ast.AST) -> ast.Name | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def root(module: Module, at: ast.AST) -> str:
    """The name with which an expression begins."""
    name = _root_name(at)
    return name.id if name is not None else module.source(at)


def _imported_module(statement: ast.stmt) -> str:
    if isinstance(statement, ast.ImportFrom):
        return f"{'.' * statement.level}{statement.module or ''}"
    return statement.names[0].name if isinstance(statement, ast.Import) else ""


def _place(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def first_use(module: Module, imported: Imported, scope: Scope) -> int | None:
    """The first line that uses an import."""
    if not _is_used(module, imported, scope):
        return None
    uses = [use.lineno for use in module.scopes.uses_of(imported, scope)]
    return min(uses, default=imported.statement.lineno)


def is_exported(module: Module, imported: Imported, scope: Scope) -> bool:
    """Whether other files may use an import."""
    return is_kept(module, imported) or (module.file.path.name == "__init__.py" and scope.node is module.tree)


# Adding -----------------------------------------------------------------------------------------


def _added(module: Module, new: Iterable[_New]) -> tuple[Edit, ...]:
    kept: list[_New] = []
    for each in sorted(new, key=lambda one: _place(one.beside)):
        if not any(
            each.brings_what(one)
            and (one.beside is each.beside or _reaches(module, one.beside, one.scope, each.beside))
            for one in kept
        ):
            kept.append(each)
    places: dict[tuple[ast.stmt, bool], set[str]] = defaultdict(set)
    joined: dict[ast.ImportFrom, set[str]] = defaultdict(set)
    for each in kept:
        other = _to_join(module, each)
        if other is not None:
            joined[other].add(each.names)
        else:
            places[each.beside, each.is_above].add(each.text)
    edits = [
        _beside(module, statement, sorted(texts, key=_in_order), above)
        for (statement, above), texts in places.items()
    ]
    edits += [_joining(module, statement, sorted(names)) for statement, names in joined.items()]
    edits += _declared(module, kept)
    edits += _none_where_missing(module, kept)
    return tuple(edits)


def _declared(module: Module, new: Iterable[_New]) -> Iterator[Edit]:
    """The edits that make names global which a function imports for all: as it declares the one beside."""
    names: dict[ast.Global, list[str]] = defaultdict(list)
    for each in new:
        scope = module.scopes.around(each.beside, module.parents)
        if scope is each.scope:
            continue
        bound = {imported.name for imported, _ in module.scopes.imports if imported.statement is each.beside}
        declarations = [node for node in ast.walk(scope.node) if isinstance(node, ast.Global)]
        declared = next((node for node in declarations if not bound.isdisjoint(node.names)), None)
        if declared is None:
            raise Refused(f"line {each.beside.lineno} imports for another function")
        if each.binds not in names[declared] and each.binds not in declared.names:
            names[declared].append(each.binds)
    for declaration, added_names in names.items():
        end = module.span(declaration)[1]
        yield Edit(end, end, "".join(f", {name}" for name in added_names))


def _none_where_missing(module: Module, new: Iterable[_New]) -> Iterator[Edit]:
    """The edits that make names None where an import has failed: as those of the one beside are there."""
    names: dict[ast.Assign, list[str]] = defaultdict(list)
    for each in new:
        for assignment in none_where_missing(module, each.beside):
            if not each.scope.binds(each.binds) and each.binds not in names[assignment]:
                names[assignment].append(each.binds)
    for assignment, bound in names.items():
        start = module.span(assignment)[0]
        yield Edit(start, start, "".join(f"{name} = " for name in sorted(bound)))


def _in_order(text: str) -> tuple[bool, str]:
    return text.startswith("from"), text


def _to_join(module: Module, new: _New) -> ast.ImportFrom | None:
    """An import from the same package in the same block."""
    for other in module.block(new.beside) if new.package else ():
        if isinstance(other, ast.ImportFrom) and not other.level and other.module == new.package:
            return other if other.names[0].name != "*" else None
    return None


def _joining(module: Module, statement: ast.ImportFrom, names: Sequence[str]) -> Edit:
    *_, last = statement.names
    start, end = module.span(last)
    indent = module.indent(start)
    is_own_line = last.lineno > statement.lineno and indent is not None
    between = f",{module.newline}{indent}" if is_own_line else ", "
    return Edit(end, end, "".join(f"{between}{name}" for name in names))


def _beside(module: Module, statement: ast.stmt, texts: Sequence[str], above: bool) -> Edit:
    """New statements directly above or below one: on lines of their own, if that has one."""
    start, end = module.span(statement)
    rest = module.rest_of_line(end)
    indent = module.indent(start)
    if indent is None or (rest and not rest.startswith("#")):
        together = "; ".join(texts)
        return Edit(start, start, f"{together}; ") if above else Edit(end, end, f"; {together}")
    pragma = f"  {rest}" if _PRAGMA.match(rest) and not _UNUSED_ON_PURPOSE.match(rest) else ""
    lines = [f"{indent}{text}{pragma}" for text in texts]
    if above:
        start -= len(indent)
        return Edit(start, start, "".join(f"{line}{module.newline}" for line in lines))
    end = module.line_end(end)
    return Edit(end, end, "".join(f"{module.newline}{line}" for line in lines))


# Dropping ---------------------------------------------------------------------------------------


def tidied(before: Module, after: Module, leaves: Collection[str], kept: Collection[str] = ()) -> str:
    """The text after a fix, without the imports that the fix made useless.

    Args:
        before: The file as it was.
        after: The file as it is, which still has all imports.
        leaves: Qualified names that the fix no longer writes.
        kept: Names that other files take from this one.
    """
    if after.file.path.name == "__init__.py":
        kept = {
            *kept,
            *(imported.name for imported, scope in after.scopes.imports if scope.node is after.tree),
        }
    left = [each for each in after.scopes.imports if _is_left(each[0], leaves)]
    useless = [(imported, scope) for imported, scope in left if not _is_used(after, imported, scope)]
    if not useless:
        return after.text
    were_used = {
        _key(before, imported, scope)
        for imported, scope in before.scopes.imports
        if _is_left(imported, leaves) and _is_used(before, imported, scope)
    }
    dropped = [
        (imported, scope)
        for imported, scope in useless
        if _key(after, imported, scope) in were_used
        and not (scope.node is after.tree and not {imported.name, "*"}.isdisjoint(kept))
        and not is_kept(after, imported)
    ]
    return applied(after.text, without(after, dropped))


def without(module: Module, useless: Sequence[tuple[Imported, Scope]]) -> tuple[Edit, ...]:
    """The edits that drop imports, or leave only what else they bind."""
    by_statement: dict[ast.Import | ast.ImportFrom, list[ast.alias]] = defaultdict(list)
    edits: list[Edit] = []
    for imported, scope in useless:
        if imported.is_plain and _is_wanted(module, imported, scope, useless):
            start = module.span(imported.alias)[0]
            edits.append(Edit(start, start + len(imported.alias.name), imported.name))
        else:
            by_statement[imported.statement].append(imported.alias)
    for statement, aliases in by_statement.items():
        if len(aliases) == len(statement.names):
            edits.append(_whole(module, statement))
        else:
            edits += _some(module, statement, aliases)
    return tuple(edits)


def is_kept(module: Module, imported: Imported) -> bool:
    """Whether an import serves something else than the names that are read in this file."""
    name = imported.name
    if name in module.scopes.shared or _UNUSED_ON_PURPOSE.search(
        module.rest_of_line(module.span(imported.alias)[1])
    ):
        return True
    for around in module.around(imported.statement):
        if isinstance(around, ast.If) and "TYPE_CHECKING" in ast.unparse(around.test):
            return True
        if isinstance(around, ast.Try) and module.member(imported.statement, around.body) is not None:
            others = (each for each, _ in module.scopes.imports if each.statement is not imported.statement)
            if not any(
                module.member(each.statement, around.body) is not None
                and _package(each) == _package(imported)
                for each in others
            ):
                return True  # it asks whether the package is there
    return any(_is_named_in(text, name, is_argument) for text, is_argument in module.strings)


def _package(imported: Imported) -> str:
    return imported.brings.partition(".")[0]


def _is_left(imported: Imported, leaves: Collection[str]) -> bool:
    return any(f"{leaf}.".startswith(f"{imported.brings}.") for leaf in leaves)


def _is_used(module: Module, imported: Imported, scope: Scope) -> bool:
    uses = module.scopes.uses_of(imported, scope)
    if imported.is_plain and "." in imported.brings:
        return any(f"{_chain(module, use)}.".startswith(f"{imported.brings}.") for use in uses)
    return any(True for _ in uses) or imported.name in scope.others or imported.name in scope.absent


def _is_wanted(
    module: Module, imported: Imported, scope: Scope, useless: Sequence[tuple[Imported, Scope]]
) -> bool:
    """Whether the outermost package that a plain import binds is used, and bound by nothing else."""
    gone = {id(each.alias) for each, _ in useless}
    return any(True for _ in module.scopes.uses_of(imported, scope)) and not any(
        id(other.alias) not in gone and other.target == imported.target
        for other in scope.imports[imported.name]
    )


def _chain(module: Module, name: ast.Name) -> str:
    """The attributes that are read of a name, with it."""
    text, node = name.id, module.parents.get(name)
    while isinstance(node, ast.Attribute):
        text += f".{node.attr}"
        node = module.parents.get(node)
    return text


def _key(module: Module, imported: Imported, scope: Scope) -> tuple[str, ...]:
    around: Iterator[Scope] = scope.outwards()
    return (imported.brings, imported.name, *(getattr(each.node, "name", "") for each in around))


def _is_named_in(text: str, name: str, is_argument: bool) -> bool:
    """Whether a string names a module's attribute, as those of `mock.patch` do, or an annotation's."""
    if text == name:
        return is_argument
    if text.startswith((">>>", "...")):
        return re.search(rf"\b{re.escape(name)}\b", text) is not None
    return name in text and re.search(rf"(?:^|[\[\s,|.]){re.escape(name)}(?:$|[\],|.])", text) is not None


def _whole(module: Module, statement: ast.stmt) -> Edit:
    start, end = module.span(statement)
    block = module.block(statement)
    rest = module.rest_of_line(end)
    if len(block) == 1:
        return Edit(start, end, "pass")
    index = next(i for i, each in enumerate(block) if each is statement)
    if rest.startswith(";") and index + 1 < len(block):
        return Edit(start, module.span(block[index + 1])[0], "")
    lines = module.lines_of(start, end)
    if lines is None:
        return Edit(module.span(block[index - 1])[1], end, "")
    return Edit(*_with_blank_lines(module, *lines, is_first=not index), "")


def _with_blank_lines(module: Module, start: int, end: int, *, is_first: bool) -> tuple[int, int]:
    """Lines that go, with the blank ones below if nothing stands above, or above if there are some below."""
    if end >= len(module.text) or module.rest_of_line(end):
        return start, end
    if is_first:
        while end < len(module.text) and not module.rest_of_line(end):
            end = module.next_line(end)
        return start, end
    while start and not module.rest_of_line(above := module.line_start(start - 1)):
        start = above
    return start, end


def _some(module: Module, statement: ast.Import | ast.ImportFrom, gone: Sequence[ast.alias]) -> list[Edit]:
    """Without some of the names that a statement imports."""
    names = statement.names
    start, end = module.span(statement)
    left = [alias for alias in names if alias not in gone]
    open_at = module.text.find("(", start, module.span(names[0])[0])
    if len(left) == 1 and open_at >= 0:
        inside = module.text[open_at:end]
        if all(comment in _comments_beside(module, gone) for comment in re.findall(r"#[^\r\n]*", inside)):
            return [Edit(open_at, end, module.source(left[0]))]
    edits = []
    for first, last in runs(names, gone):
        begin, until = module.span(names[first])[0], module.span(names[last])[1]
        comma = until + len(module.text[until:end]) - len(module.text[until:end].lstrip(" ,"))
        lines = module.lines_of(begin, comma) if open_at >= 0 else None
        if lines is not None:
            edits.append(Edit(*lines, ""))
        elif last + 1 < len(names):
            edits.append(Edit(begin, module.span(names[last + 1])[0], ""))
        else:
            edits.append(Edit(module.span(names[first - 1])[1], until, ""))
    return edits


def _comments_beside(module: Module, aliases: Iterable[ast.alias]) -> set[str]:
    rests = (module.rest_of_line(module.span(alias)[1]) for alias in aliases)
    return {rest[rest.index("#") :] for rest in rests if "#" in rest}


def runs(every: Sequence[ast.AST], chosen: Collection[ast.AST]) -> Iterator[tuple[int, int]]:
    """The first and last index of each stretch of neighbours that are chosen."""
    first = None
    for index, each in enumerate(every):
        if each in chosen:
            first = index if first is None else first
        elif first is not None:
            yield first, index - 1
            first = None
    if first is not None:
        yield first, len(every) - 1
