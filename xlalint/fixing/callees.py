"""What the functions do that a stretch of code calls: those of its own file, and those that it imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import NamedTuple

from xlalint.fixing.module import Module, blocks, called, is_marker
from xlalint.fixing.nodes import walk
from xlalint.fixing.presence import goes_on_without, imports, is_imported_late
from xlalint.fixing.rewrite import Refused
from xlalint.knowledge.packages import WITHOUT_XLA
from xlalint.lazy.site import Site
from xlalint.program.parsing import parse_file
from xlalint.sources.file import SourceFile, decode, read_bytes, show
from xlalint.sources.usage import HOT_TOKEN

_DEEPEST = 4
"""Calls are followed so far."""

_READS = frozenset({"item", "cpu", "tolist"})
"""Methods of tensors that ask the device for a value; `numpy` is asked of those on the host."""

_OF_ARRAYS = frozenset({"numpy", "to_numpy"})
"""Methods of what is on the host, or copied there by a call before them."""
_WITHOUT_TENSORS = WITHOUT_XLA - {"torch", "torchaudio", "torchvision"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Found(NamedTuple):
    """What a called function does, and where.

    Args:
        what: Words that go on after the function's name.
        call: The call.
    """

    what: str
    call: ast.Call


class Callees:
    """Functions of a project, by how they are called. Files are read when first asked for.

    Methods are known by `self` alone: what class another object is of, only the analysis knows.
    """

    def __init__(
        self, paths: Iterable[str], texts: Mapping[str, bytes] = MappingProxyType({}),
        changeable: Collection[str] = (),
    ) -> None:  # fmt: skip
        """
        Args:
            paths: The files of the project.
            texts: By path, what stands in some instead of on disk.
            changeable: Those that may change together with another.
        """
        self._changeable = changeable
        self._paths = [PurePath(path) for path in paths]
        self._texts = texts
        self._trees: dict[PurePath, ast.Module | None] = {}
        self._held: dict[ast.AST, list[Function]] = {}
        self._gone_without: dict[str, bool] = {}
        self._bringing: dict[tuple[PurePath, str, int], bool] = {}
        """Whether a file surely imports a package, by how many files further it is looked for."""
        self._having: dict[str, set[str]] = {}
        """The paths of files, by what their text has."""
        self._by_end: dict[tuple[str, ...], list[PurePath]] = {}
        """The files by the last part of their path, and by the last two."""
        for path in self._paths:
            for end in {path.parts[-1:], path.parts[-2:]}:
                self._by_end.setdefault(end, []).append(path)

    def harm(self, module: Module, statement: ast.stmt) -> Found | None:
        """A call in a statement of a function that reads a tensor or cuts the graph."""
        path, owner = self._place(module, statement)
        for call in _calls(statement):
            function = self._inner(module, call) if isinstance(call.func, ast.Name) else None
            if function is not None:
                what = self._harm_in(function, path, owner, _DEEPEST)
            else:
                what = self._harm(call, path, owner, _DEEPEST)
            if what is not None:
                return Found(what, call)
        return None

    def _inner(self, module: Module, call: ast.Call) -> Function | None:
        """The function that is called, if one of those around the call holds it."""
        for around in module.around(call):
            if isinstance(around, Function):
                function = _defined(self._functions(around), called(call))
                if function is not None:
                    return function
        return None

    def _functions(self, node: ast.AST) -> list[Function]:
        """The functions that a file or function holds."""
        if node not in self._held:
            inside = (each for each in walk(node) if each is not node)
            self._held[node] = [each for each in inside if isinstance(each, Function)]
        return self._held[node]

    def call_that_leads_to(self, module: Module, around: ast.AST, site: Site) -> ast.Call | None:
        """The only call in a node of a function that holds a place, or calls one that does."""
        path, owner = self._place(module, around)
        found = [call for call in _calls(around) if self._leads(call, path, owner, site, _DEEPEST)]
        return found[0] if len(found) == 1 else None

    def leads_through(self, module: Module, calls: Iterable[Site], name: str) -> bool:
        """Whether one of some calls stands in a function of this name."""
        self._trees[PurePath(module.file.path)] = module.tree
        for site in calls:
            tree = self._tree(PurePath(site.path))
            functions = () if tree is None else self._functions(tree)
            if any(
                each.name == name and each.lineno <= site.line <= (each.end_lineno or 0) for each in functions
            ):
                return True
        return False

    def brings(self, module: Module, statement: ast.stmt, package: str) -> bool:
        """Whether a package has surely been imported where an import of a module of the project was carried
        out: that imports it, or one that does, whatever happens."""
        return self._brings(statement, PurePath(module.file.path), package, _DEEPEST)

    def _brings(self, statement: ast.stmt, path: PurePath, package: str, depth: int) -> bool:
        match statement:
            case ast.ImportFrom(module=str(name), level=level):
                origins = [ast.ImportFrom(name, [], level)]
            case ast.Import(names=aliases):
                origins = [ast.ImportFrom(alias.name, [], 0) for alias in aliases]
            case _:
                return False
        if imports(statement, package):
            return True
        files = [file for each in origins if depth and (file := self._file(path, each)) is not None]
        return any(self._file_brings(file, package, depth - 1) for file in files)

    def _file_brings(self, file: PurePath, package: str, depth: int) -> bool:
        key = file, package, depth
        known = self._bringing.get(key)
        if known is None:
            tree = self._tree(file)
            known = tree is not None and any(self._brings(each, file, package, depth) for each in tree.body)
            self._bringing[key] = known
        return known

    def go_on_without(self, package: str) -> bool:
        """Whether a file of the project goes on where a package is not installed."""
        known = self._gone_without.get(package)
        if known is None:
            found = map(self._tree, map(PurePath, sorted(self.named_in(package))))
            trees = [tree for tree in found if tree is not None]
            known = any(goes_on_without(each, package) for each in trees) or is_imported_late(trees, package)
            self._gone_without[package] = known
        return known

    def sets_up(self, module: Module, statement: ast.stmt) -> bool:
        """Whether an import takes a name from a module of the project that does more than to bind names."""
        if not isinstance(statement, ast.ImportFrom):
            origins = [ast.ImportFrom(alias.name, [], 0) for alias in getattr(statement, "names", ())]
        else:
            origins = [statement]
        files = (self._file(PurePath(module.file.path), each) for each in origins)
        trees = (self._tree(file) for file in files if file is not None)
        return any(tree is not None and any(map(_does_something, tree.body)) for tree in trees)

    def is_part_of(self, module: Module, package: str) -> bool:
        """Whether a file is one of a package that the project holds itself."""
        folders = [each for each in PurePath(module.file.path).parents if each.name == package]
        return any(each / "__init__.py" in self._paths for each in folders)

    def is_named_elsewhere(self, module: Module, name: str) -> bool:
        """Whether another file of the project has a name somewhere in its text."""
        return not self.named_in(name) <= {str(module.file.path)}

    def calls_elsewhere(self, module: Module, name: str) -> int:
        """How often other files of the project call what has a name, where they have no function of it."""
        count = 0
        for path in self.named_in(name) - {str(module.file.path)}:
            tree = self._tree(PurePath(path))
            if tree is not None and _defined(tree.body, name) is None:
                count += sum(called(each) == name for each in _calls(tree))
        return count

    def defining(self, name: str) -> list[str]:
        """The paths of the files of the project whose text has a function or class of a name."""
        return sorted(self._with(rf"\b(?:def|class)\s+{re.escape(name)}\b")) if name else []

    def named_in(self, name: str) -> set[str]:
        """The paths of the files of the project that have a name in their text, or cannot be read."""
        return self._with(rf"\b{re.escape(name)}\b")

    def _with(self, pattern: str) -> set[str]:
        """The paths of the files of the project that have something in their text, or cannot be read."""
        found = self._having.get(pattern)
        if found is None:
            compiled = re.compile(pattern.encode())
            found = self._having[pattern] = set()
            for path in map(str, self._paths):
                data = self._texts.get(path) or read_bytes(path)
                if not isinstance(data, bytes) or compiled.search(data):
                    found.add(path)
        return found

    def module(self, path: str) -> Module:
        """Another file of the project, to be changed together with one.

        Raises:
            Refused: it may not be changed.
        """
        if path not in self._changeable:
            raise Refused(f"it would change {PurePath(path).name}, which is not checked")
        found = self.look(path)
        if found is None or found.file.notebook is not None:
            raise Refused(f"{PurePath(path).name} is no file that can be changed with it")
        return found

    def look(self, path: str) -> Module | None:
        """A file of the project, to be looked at; None where it cannot be parsed."""
        data = self._texts.get(path) or read_bytes(path)
        file = decode(Path(path), show(Path(path)), data) if isinstance(data, bytes) else None
        tree = parse_file(file) if isinstance(file, SourceFile) else None
        return (
            Module(file, tree, self)
            if isinstance(file, SourceFile) and isinstance(tree, ast.Module)
            else None
        )

    def _place(self, module: Module, node: ast.AST) -> tuple[PurePath, ast.ClassDef | None]:
        """The file of a node, which is read as it stands now, and the class that the node stands in."""
        path = PurePath(module.file.path)
        self._trees[path] = module.tree
        return path, next((each for each in module.around(node) if isinstance(each, ast.ClassDef)), None)

    def _leads(
        self, call: ast.Call, path: PurePath, owner: ast.ClassDef | None, site: Site, depth: int
    ) -> bool:
        found = self._function(call, path, owner)
        if found is None:
            return False
        function, where, its_class = found
        if str(where) == site.path and function.lineno <= site.line <= (function.end_lineno or 0):
            return True
        return depth > 0 and any(
            self._leads(inner, where, its_class, site, depth - 1) for inner in _calls(function)
        )

    def _harm(self, call: ast.Call, path: PurePath, owner: ast.ClassDef | None, depth: int) -> str | None:
        found = self._function(call, path, owner)
        if found is None:
            return None
        return self._harm_in(*found, depth)

    def _harm_in(
        self, function: Function, where: PurePath, its_class: ast.ClassDef | None, depth: int
    ) -> str | None:
        for node in walk(function):
            if isinstance(node, ast.stmt) and is_marker(node):
                return f"cuts the graph on line {node.lineno} of {where.name}"
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and called(node) in _READS
                and not _is_on_host(node.func.value, self._tree(where))
            ):
                return f"reads on line {node.lineno} of {where.name}"
        for inner in _calls(function) if depth else ():
            what = self._harm(inner, where, its_class, depth - 1)
            if what is not None:
                return what
        return None

    def _function(
        self, call: ast.Call, path: PurePath, owner: ast.ClassDef | None
    ) -> tuple[Function, PurePath, ast.ClassDef | None] | None:
        tree = self._tree(path)
        match call.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if owner is not None:
                function = _defined(owner.body, name)
                return None if function is None else (function, path, owner)
            case ast.Attribute(value=ast.Name(id=imported), attr=name) if tree is not None:
                return self._of_module(tree, path, imported, name)
            case ast.Name(id=name) if tree is not None:
                function = _defined(tree.body, name)
                return (function, path, None) if function is not None else self._imported(tree, path, name)
        return None

    def _of_module(
        self, tree: ast.Module, path: PurePath, module: str, name: str
    ) -> tuple[Function, PurePath, ast.ClassDef | None] | None:
        """The function that is called as an attribute of an imported module."""
        where = None
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and any((a.asname or a.name) == module for a in node.names):
                (own,) = (a.name for a in node.names if (a.asname or a.name) == module)
                package = f"{node.module}.{own}" if node.module else own
                where = self._file(path, ast.ImportFrom(package, [], node.level))
            elif isinstance(node, ast.Import) and (
                own := next((a.name for a in node.names if (a.asname or a.name) == module), "")
            ):
                where = self._file(path, ast.ImportFrom(own, [], 0))
        other = None if where is None else self._tree(where)
        function = None if other is None else _defined(other.body, name)
        return None if function is None or where is None else (function, where, None)

    def _imported(
        self, tree: ast.Module, path: PurePath, name: str
    ) -> tuple[Function, PurePath, ast.ClassDef | None] | None:
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        where = self._file(path, node)
                        other = None if where is None else self._tree(where)
                        function = None if other is None else _defined(other.body, alias.name)
                        return None if function is None or where is None else (function, where, None)
        return None

    def _file(self, path: PurePath, node: ast.ImportFrom) -> PurePath | None:
        """The file of a module that is imported in another; of several that it may be, none.

        What torch_xla does is known, and not looked for in a copy of it that the project may hold.
        """
        parts = tuple((node.module or "").split("."))
        if not node.level and parts[0] == HOT_TOKEN:
            return None
        ends = [(*parts[:-1], f"{parts[-1]}.py"), (*parts, "__init__.py")]
        if node.level:
            ends = [(*path.parents[node.level - 1].parts, *end) for end in ends]
        found = [
            each for end in ends for each in self._by_end.get(end[-2:], ()) if each.parts[-len(end) :] == end
        ]
        return found[0] if len(found) == 1 else None

    def _tree(self, path: PurePath) -> ast.Module | None:
        if path not in self._trees:
            data = self._texts.get(str(path)) or read_bytes(str(path))
            try:
                self._trees[path] = ast.parse(data) if isinstance(data, bytes) else None
            except (SyntaxError, ValueError, RecursionError):
                self._trees[path] = None
        return self._trees[path]


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (each for each in walk(node) if isinstance(each, ast.Call))


def _is_on_host(node: ast.expr, tree: ast.Module | None) -> bool:
    """Whether an expression is no tensor of a device: it begins with a package that has none, as a file
    imports it, or is an array already: `np.finfo(float).eps`, `frame.to_numpy()`."""
    if called(node) in _OF_ARRAYS:
        return True
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and any(
        package in _WITHOUT_TENSORS and name == node.id
        for each in getattr(tree, "body", ())
        for name, package in _imported_names(each)
    )


def _imported_names(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that an import binds, each with the outermost package that it comes from."""
    match statement:
        case ast.Import(names=aliases):
            yield from ((each.asname or each.name, each.name.partition(".")[0]) for each in aliases)
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            yield from ((each.asname or each.name, module.partition(".")[0]) for each in aliases)


def _does_something(statement: ast.stmt) -> bool:
    """Whether a statement of a module does more than to bind names of the module."""
    match statement:
        case ast.Expr(value=value):
            return not isinstance(value, ast.Constant)
        case ast.Assign(targets=targets):
            return not all(isinstance(each, ast.Name | ast.Tuple) for each in targets)
        case ast.AnnAssign(target=target):
            return not isinstance(target, ast.Name)
        case ast.If() | ast.Try():
            return any(map(_does_something, _inside(statement)))
    return not isinstance(
        statement,
        ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Pass,
    )


def _inside(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements of the blocks of a statement, or of a handler."""
    for block in blocks(node):
        for each in block:
            yield from [each] if isinstance(each, ast.stmt) else _inside(each)


def _defined(body: Iterable[ast.stmt], name: str) -> Function | None:
    return next((each for each in body if isinstance(each, Function) and each.name == name), None)
