"""What the files of a project require: each requirement as a text, with the file that it stands in.

Only requirements of torch_xla and its kin are wanted, so files that do not speak of it are not parsed, and
one that cannot be parsed is the business of another tool. Nothing is executed.
"""

from __future__ import annotations

import ast
import fnmatch
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from xlalint.sources.file import read_bytes

Requirement = tuple[str, str]
"""The path of a file, and a requirement in it."""

_SPOKEN_OF: Final = re.compile(r"(?i)torch[-_.](xla|neuronx)")
_ROW: Final = re.compile(r"\s*-\s*(?P<quote>['\"]?)(?:[\w.-]+::)?(?P<text>[^'\"#]+)(?P=quote)\s*(?:#.*)?")


def requirements(directory: Path) -> Iterator[Requirement]:
    """What the files in this very directory require, whoever wrote them: people."""
    return _found(directory, _READERS)


def locked(directory: Path) -> Iterator[Requirement]:
    """The exact versions in lock files in this very directory, which tools write."""
    return _found(directory, _LOCKS)


def _found(directory: Path, readers: dict[str, Callable[[str], Iterator[str]]]) -> Iterator[Requirement]:
    try:
        names = sorted(os.listdir(directory))  # noqa: PTH208 - asked for every folder
    except OSError:
        return  # the walk says so, where it matters
    for pattern, read in readers.items():
        for name in fnmatch.filter(names, pattern):
            data = read_bytes(str(directory / name))
            text = "" if isinstance(data, str) else data.decode("utf-8", "replace")
            if not _SPOKEN_OF.search(text):
                continue
            try:
                wanted = [*read(text)]
            except (ValueError, SyntaxError, AttributeError, TypeError, RecursionError, MemoryError):
                continue
            yield from ((str(directory / name), each.strip()) for each in wanted)


def _of_pyproject(text: str) -> Iterator[str]:
    document = load_toml(text)
    project = document.get("project", {})
    groups = [project.get("dependencies", [])]
    groups += project.get("optional-dependencies", {}).values()
    groups += document.get("dependency-groups", {}).values()
    for group in groups:
        yield from (item for item in group if isinstance(item, str))
    poetry = document.get("tool", {}).get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    for table in tables:
        for name, wanted in table.items():
            version = wanted.get("version") if isinstance(wanted, dict) else wanted
            if isinstance(version, str):
                yield f"{name} {version}"


def _of_list(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if not line.lstrip().startswith(("#", "-")))


def _of_setup_py(text: str) -> Iterator[str]:
    """The texts in its lists: which of them are requirements, their form tells."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            for item in node.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield item.value


def _of_setup_cfg(text: str) -> Iterator[str]:
    import configparser

    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    if parser.has_section("options"):
        yield from parser.get("options", "install_requires", fallback="").splitlines()
    if parser.has_section("options.extras_require"):
        for _, value in parser.items("options.extras_require"):
            yield from value.splitlines()


def _of_environment(text: str) -> Iterator[str]:
    """The rows of a conda environment, for conda and for pip."""
    for line in text.splitlines():
        row = _ROW.fullmatch(line)
        if row is not None:
            yield row["text"]


def _of_lock(text: str) -> Iterator[str]:
    for package in load_toml(text).get("package", []):
        name, version = package.get("name"), package.get("version")
        if isinstance(name, str) and isinstance(version, str):
            yield f"{name}=={version}"


_READERS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "pyproject.toml": _of_pyproject,
    "requirements*.txt": _of_list,
    "setup.py": _of_setup_py,
    "setup.cfg": _of_setup_cfg,
    "environment*.yml": _of_environment,
    "environment*.yaml": _of_environment,
}

_LOCKS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "uv.lock": _of_lock,
    "poetry.lock": _of_lock,
    "pdm.lock": _of_lock,
}


def load_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        ValueError: it is not valid; the message says where.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return document
