"""Imports that go, where nothing uses them any longer, and those that stay all the same."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from xlalint.fixing.bindings import Imported, Scope
from xlalint.fixing.edits import Edit, applied
from xlalint.fixing.imports import UNUSED_ON_PURPOSE
from xlalint.fixing.module import Module


def first_use(module: Module, imported: Imported, scope: Scope) -> int | None:
    """The first line that uses an import."""
    if not _is_used(module, imported, scope):
        return None
    uses = [use.lineno for use in module.scopes.uses_of(imported, scope)]
    return min(uses, default=imported.statement.lineno)


def is_exported(module: Module, imported: Imported, scope: Scope) -> bool:
    """Whether other files may use an import."""
    return is_kept(module, imported) or (module.file.path.name == "__init__.py" and scope.node is module.tree)


_PROSE = re.compile(r"\w\s+\w")
_CODE = re.compile(r"[(=;]")
"""Two words side by side stand in no annotation and no name; but in code they do."""


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
        and not (before.callees is not None and before.callees.sets_up(before, imported.statement))
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
    if name in module.scopes.shared or UNUSED_ON_PURPOSE.search(
        module.rest_of_line(module.span(imported.alias)[1])
    ):
        return True
    for around in module.around(imported.statement):
        if isinstance(around, ast.If) and "TYPE_CHECKING" in ast.unparse(around.test):
            return True
        if isinstance(around, ast.Try) and module.member(imported.statement, around.body) is not None:
            others = (each for each, _ in module.scopes.imports if each.statement is not imported.statement)
            if not any(
                module.member(each.statement, around.body) is not None and each.package == imported.package
                for each in others
            ):
                return True  # it asks whether the package is there
    return any(_is_named_in(text, name, is_argument) for text, is_argument in module.strings)


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
    if _PROSE.search(text) and not _CODE.search(text):
        return False
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
