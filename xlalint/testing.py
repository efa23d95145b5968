"""Tests of rules and frameworks: programs in files, with what must be found in them on the line.

print(loss.item())  # expect: XLA101
print(loss.item())  # expect: XLA101 likely, ACME001
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from xlalint.api import check_paths

__all__ = ["Expected", "assert_as_marked", "expected", "lines", "programs"]

_MARK = re.compile(r"#\s*expect\b\s*(:?)\s*([^#]*)")
_CODE = re.compile(r"[A-Z]+\d{3}")
_CERTAINTIES = ("", "likely", "definite")
_NONE: Mapping[str, object] = MappingProxyType({})


class Expected(NamedTuple):
    """A diagnostic that must come.

    Args:
        path: The file.
        line: The line, from 1, that its range begins on.
        code: Its rule.
        certainty: `likely` or `definite`; None where the program does not say.
    """

    path: Path
    line: int
    code: str
    certainty: str | None = None

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}: {self.code} {self.certainty or ''}".rstrip()


def programs(folder: str | os.PathLike[str]) -> list[Path]:
    """The programs in a folder: its Python files, and each of its folders as one program of several files."""
    return sorted(
        path
        for path in Path(folder).iterdir()
        if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    )


def expected(path: Path) -> Iterator[Expected]:
    """What the comments of a file say must be found in it.

    Raises:
        ValueError: a comment is not of the form `# expect: CODE [likely|definite], ...`.
    """
    for number, line in enumerate(lines(path), start=1):
        for colon, text in _MARK.findall(line):
            if not colon or not text.strip():
                raise ValueError(f"{path}:{number}: `# expect` wants a colon and the code of a rule")
            for item in text.split(","):
                code, _, certainty = item.strip().partition(" ")
                if _CODE.fullmatch(code) is None:
                    raise ValueError(f"{path}:{number}: {code!r} is no code of a rule")
                if certainty not in _CERTAINTIES:
                    raise ValueError(f"{path}:{number}: {certainty!r} is neither likely nor definite")
                yield Expected(path, number, code, certainty or None)


def lines(path: Path) -> list[str]:
    """The lines of a file as Python counts them, whatever stands in it."""
    # A form feed ends no line for Python, so `splitlines` would count wrong.
    return re.split(r"\r\n|\r|\n", path.read_bytes().decode("utf-8", errors="replace"))


def assert_as_marked(
    program: str | os.PathLike[str],
    *,
    rules: Collection[str] = ("ALL",),
    settings: Mapping[str, object] = _NONE,
) -> None:
    """Check a program, and compare what is found with what its comments say.

    Args:
        program: A file, or a folder that is one program.
        rules: Codes, prefixes of codes or names of the rules that are under test.
        settings: More settings, by their keys as in xlalint.toml.

    Raises:
        AssertionError: something is missing, or was not expected; the message lists both.
        ValueError: a comment does not follow the form.
    """
    root = Path(program).resolve()
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root]
    report = check_paths([root], settings={"respect-gitignore": False, "select": list(rules), **settings})
    found = Counter(
        Expected(Path(one.path).resolve(), one.range.start.line, one.code, str(one.certainty.value))
        for one in report.diagnostics
    )
    missing = []
    for mark in (mark for file in files for mark in expected(file)):
        matching = [one for one in found if found[one] and one[:3] == mark[:3]]
        matching = [one for one in matching if mark.certainty in (None, one.certainty)]
        if matching:
            found[matching[0]] -= 1
        else:
            missing.append(mark)
    surplus = sorted(found.elements())
    if missing or surplus:
        told = [f"expected and not found: {mark}" for mark in missing]
        told += [f"found and not expected: {mark}" for mark in surplus]
        raise AssertionError("\n".join(told))
