"""Measure which public names each release of torch_xla has, and write the tables of xlalint.knowledge.

Usage: python scripts/build_releases.py --clone PYTORCH_XLA_CLONE [--wheels DIRECTORY]

Without --wheels the published wheels are downloaded into a temporary directory that is removed in
the end (about 1 GB). Releases older than the first published wheel are read from the tags of a
clone of pytorch/xla. Python sources are read with `ast`; nothing is imported or run.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

RELEASES = (
    "2.1.0", "2.2.0", "2.3.0", "2.4.0", "2.5.0", "2.5.1", "2.6.0", "2.6.1", "2.7.0", "2.8.0", "2.8.1",
    "2.9.0",
)  # fmt: skip
TAGS = ("1.8.0", "1.9.0", "1.10.0", "1.11.0", "1.12.0", "1.13.0", "2.0.0")
TRANSPARENT = frozenset({"deprecated", "contextmanager", "wraps", "lru_cache", "requires_pjrt"})
"""Decorators that leave a function's parameters as they are."""
KNOWLEDGE = Path(__file__).resolve().parent.parent / "xlalint" / "knowledge"
PACKAGE = "torch_xla"
ANYTHING = "**"
"""Stands in a list of parameters for "and any other", and for a signature that is not known."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, help="a directory that holds the wheels already")
    parser.add_argument("--clone", type=Path, required=True, help="a clone of pytorch/xla with its tags")
    arguments = parser.parse_args()
    if arguments.wheels is not None:
        write_tables(arguments.clone, arguments.wheels)
        return
    with tempfile.TemporaryDirectory() as directory:
        for release in RELEASES:
            download(release, Path(directory))
        write_tables(arguments.clone, Path(directory))


def download(release: str, directory: Path) -> None:
    """Fetch one published wheel; any Linux wheel will do, since only its sources are read."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", "3.10", "--platform", "manylinux_2_28_x86_64"]
    subprocess.run([*command, f"{PACKAGE}=={release}", "--dest", str(directory)], check=True)


def write_tables(clone: Path, wheels: Path) -> None:
    """Read every release; write releases.json (all names) and removed.json (names that are gone)."""
    names: dict[str, set[int]] = defaultdict(set)
    parameters: dict[str, set[int]] = defaultdict(set)
    modules: set[str] = set()
    minors = list(dict.fromkeys(_minor(release) for release in (*TAGS, *RELEASES)))
    last = len(minors) - 1
    for release in (*TAGS, *RELEASES):
        package = Package(read_tag(clone, release) if release in TAGS else read_wheel(wheels, release))
        surface = package.surface()
        modules.update(package.modules)
        for name, own in surface.items():
            names[name].add(minors.index(_minor(release)))
            for parameter in filter(_public, own):
                parameters[f"{name}({parameter})"].add(minors.index(_minor(release)))
        print(f"{release}: {len(surface)} names", file=sys.stderr)
    # A parameter says something only where it came or went while its function stayed; and a
    # function that takes anything still takes the parameters it no longer names.
    telling = {
        parameter: seen
        for parameter, seen in parameters.items()
        if seen != names[parameter.partition("(")[0]]
        and not parameter.endswith(f"({ANYTHING})")
        and not (parameters.get(f"{parameter.partition('(')[0]}({ANYTHING})", set()) - seen)
    }
    # What the last release still binds by an import of something else is not gone.
    gone = {
        name: seen for name, seen in (names | telling).items() if max(seen) < last and not package.binds(name)
    }
    for file, table in (("releases.json", names | telling), ("removed.json", outermost(gone, modules))):
        text = json.dumps({"releases": minors, "names": grouped(table, minors)}, indent=0)
        (KNOWLEDGE / file).write_text(text + "\n")
    print(f"{len(names)} names, {len(telling)} parameters, {len(gone)} gone", file=sys.stderr)


def _minor(release: str) -> str:
    return release.rpartition(".")[0]


def outermost(gone: dict[str, set[int]], modules: set[str]) -> dict[str, set[int]]:
    """Leave out what went together with what held it, and members of classes: a base class may
    have them now."""
    kept = {}
    for name, seen in gone.items():
        owner = name.rpartition(".")[0]
        if (
            not name.endswith(")")
            and owner in modules
            and (owner not in gone or max(gone[owner]) > max(seen))
        ):
            kept[name] = seen
    for name, seen in gone.items():
        owner = name.partition("(")[0]
        if (
            name.endswith(")")
            and owner.rpartition(".")[0] in modules
            and (owner in kept or owner not in gone)
        ):
            kept[name] = seen
    return kept


def grouped(table: dict[str, set[int]], minors: list[str]) -> dict[str, list[str]]:
    """Names by the releases that have them, such as `2.1..2.4` or `2.1,2.3..2.9`."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(table):
        groups[",".join(_ranges(sorted(table[name]), minors))].append(name)
    return groups


def _ranges(seen: list[int], minors: list[str]) -> Iterator[str]:
    start = previous = seen[0]
    for index in [*seen[1:], len(minors) + 1]:
        if index != previous + 1:
            first, last = minors[start], minors[previous]
            yield first if first == last else f"{first}..{last}"
            start = index
        previous = index


def read_wheel(wheels: Path, release: str) -> dict[str, ast.Module]:
    """Every module of a wheel, by its path."""
    (wheel,) = wheels.glob(f"{PACKAGE}-{release}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        paths = [path for path in archive.namelist() if re.fullmatch(rf"{PACKAGE}/.*\.py", path)]
        return {path: ast.parse(archive.read(path)) for path in paths}


def read_tag(clone: Path, release: str) -> dict[str, ast.Module]:
    """Every module of the package at a release's tag, by its path."""
    command = ["git", "-C", str(clone), "archive", "--format=zip", f"v{release}", PACKAGE]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return {path: ast.parse(files.read(path)) for path in files.namelist() if path.endswith(".py")}


@dataclass
class Definition:
    """What one name of a module is bound to."""

    parameters: tuple[str, ...] = ()
    members: dict[str, Definition] = field(default_factory=dict)
    target: str | None = None
    """The dotted name of torch_xla that an import binds, None for a definition of its own."""


class Package:
    """The names of one release, found without running it."""

    def __init__(self, sources: dict[str, ast.Module]) -> None:
        self.modules: dict[str, dict[str, Definition]] = {}
        self._foreign: dict[str, set[str]] = defaultdict(set)
        self._sources = {
            path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): (
                tree,
                path.endswith("__init__.py"),
            )
            for path, tree in sources.items()
        }
        for dotted in self._sources:
            self._bind(dotted)

    def binds(self, name: str) -> bool:
        """Whether the name is bound, even if only by an import of something that is not ours."""
        module, _, last = name.rpartition(".")
        return last in self.modules.get(module, ()) or last in self._foreign.get(module, ())

    def surface(self) -> dict[str, tuple[str, ...]]:
        """Parameters by public dotted name."""
        found: dict[str, tuple[str, ...]] = {}
        for module, bindings in self.modules.items():
            if not _public(module):
                continue
            found[module] = ()
            for name, definition in bindings.items():
                if _public(name):
                    self._add(f"{module}.{name}", definition, found)
        return found

    def _add(self, name: str, definition: Definition, found: dict[str, tuple[str, ...]]) -> None:
        if definition.target is not None:
            # An alias of a module is found under the module's own name.
            if definition.target in self._sources and definition.target != name:
                if (
                    name.rpartition(".")[0] not in self._sources
                    or not self._sources[name.rpartition(".")[0]][1]
                ):
                    return
                found.setdefault(name, ())
                return
            original = self.find(definition.target)
            found[name] = original.parameters if original is not None else ()
            return
        found[name] = definition.parameters
        for member, inner in definition.members.items():
            if _public(member):
                self._add(f"{name}.{member}", inner, found)

    def find(self, name: str, depth: int = 0) -> Definition | None:
        """The definition behind a dotted name, through re-exports."""
        module, _, last = name.rpartition(".")
        definition = self.modules.get(module, {}).get(last)
        if definition is None or depth > 8 or definition.target is None:
            return definition
        return self.find(definition.target, depth + 1)

    def _bind(self, module: str) -> dict[str, Definition]:
        if module in self.modules:
            return self.modules[module]
        bindings: dict[str, Definition] = {}
        self.modules[module] = bindings
        tree, is_package = self._sources[module]
        for statement in _module_level(tree.body):
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    bindings[statement.name] = _function(statement)
                case ast.ClassDef():
                    bindings[statement.name] = _class(statement)
                case ast.ImportFrom():
                    self._bind_from(module, is_package, statement, bindings)
                case ast.Import():
                    for alias in statement.names:
                        if alias.asname and _ours(alias.name):
                            bindings[alias.asname] = Definition(target=alias.name)
                        elif not _ours(alias.name):
                            self._foreign[module].add(alias.asname or alias.name.partition(".")[0])
                case ast.Assign() | ast.AnnAssign():
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    for name in _names(targets):
                        bindings[name] = _assigned(statement.value, bindings)
                case ast.For():
                    bindings.update(_registered(statement, tree))
                case _:
                    pass
        return bindings

    def _bind_from(
        self, module: str, is_package: bool, statement: ast.ImportFrom, bindings: dict[str, Definition]
    ) -> None:
        source = statement.module or ""
        if statement.level:
            parts = module.split(".")
            drop = statement.level - (1 if is_package else 0)
            base = ".".join(parts[: len(parts) - drop])
            source = f"{base}.{source}" if source else base
        if not _ours(source):
            self._foreign[module].update(alias.asname or alias.name for alias in statement.names)
            return
        for alias in statement.names:
            if alias.name != "*":
                bindings[alias.asname or alias.name] = Definition(target=f"{source}.{alias.name}")
            elif source in self._sources:
                for name in self._bind(source):
                    if not name.startswith("_"):
                        bindings[name] = Definition(target=f"{source}.{name}")


def _assigned(value: ast.expr | None, bindings: dict[str, Definition]) -> Definition:
    if isinstance(value, ast.Name) and value.id in bindings:
        return bindings[value.id]
    return Definition((ANYTHING,))


def _registered(loop: ast.For, tree: ast.Module) -> dict[str, Definition]:
    """torch_xla.experimental.pjrt set its old names in a loop over functions of torch_xla.runtime."""
    if "register_deprecated" not in ast.dump(loop) or not isinstance(loop.iter, ast.Name):
        return {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and loop.iter.id in _names(statement.targets):
            assert isinstance(statement.value, ast.List)
            return {
                item.attr: Definition() for item in statement.value.elts if isinstance(item, ast.Attribute)
            }
    return {}


def _module_level(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported, whatever the branch."""
    for statement in body:
        yield statement
        for inner in ("body", "orelse", "finalbody"):
            if isinstance(statement, (ast.If, ast.Try, ast.With)):
                yield from _module_level(getattr(statement, inner, ()))
        for handler in getattr(statement, "handlers", ()):
            yield from _module_level(handler.body)


def _function(definition: ast.FunctionDef | ast.AsyncFunctionDef) -> Definition:
    """A function; what a decorator makes of its signature is not known, but for harmless ones."""
    for decorator in definition.decorator_list:
        name = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(name).rpartition(".")[2] not in TRANSPARENT:
            return Definition((ANYTHING,))
    return Definition(_parameters(definition.args))


def _class(definition: ast.ClassDef) -> Definition:
    members: dict[str, Definition] = {}
    parameters: tuple[str, ...] = ()
    for statement in definition.body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                own = _parameters(statement.args)
                members[statement.name] = Definition(own)
                if statement.name == "__init__":
                    parameters = own
            case ast.Assign():
                members.update((name, Definition()) for name in _names(statement.targets))
            case ast.AnnAssign() if statement.value is not None:
                members.update((name, Definition()) for name in _names([statement.target]))
            case _:
                pass
    return Definition(parameters, members)


def _parameters(arguments: ast.arguments) -> tuple[str, ...]:
    named = [a.arg for a in (*arguments.args, *arguments.kwonlyargs) if a.arg not in ("self", "cls")]
    return (*named, *([ANYTHING] if arguments.kwarg else []))


def _names(targets: Iterable[ast.expr]) -> list[str]:
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _ours(dotted: str) -> bool:
    return dotted == PACKAGE or dotted.startswith(f"{PACKAGE}.")


def _public(dotted: str) -> bool:
    return not any(part.startswith("_") and part != "_internal" for part in dotted.split("."))


if __name__ == "__main__":
    main()
