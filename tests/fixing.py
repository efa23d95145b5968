"""Fixes programs in this process as `xlalint check --fix --unsafe-fixes` does, and writes nothing."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import patch

from fixture_programs import Program
from xlalint import checker
from xlalint.checker import Report
from xlalint.fixing import fixer, rewriting
from xlalint.fixing.edits import applied
from xlalint.fixing.exports import Exports
from xlalint.fixing.fixer import Applied, Left
from xlalint.fixing.layout import laid_out
from xlalint.fixing.ledger import agrees
from xlalint.fixing.module import Module
from xlalint.fixing.operations import Operation
from xlalint.fixing.rewrite import Rewrite
from xlalint.settings import SettingsFinder
from xlalint.sources.file import SourceFile, decode


class Step(NamedTuple):
    """What one round did to the statements of one file.

    Args:
        module: The file before.
        rewrite: What was to be done.
        text: The file after, but for its imports.
        whole: The file after.
    """

    module: Module
    rewrite: Rewrite
    text: str
    whole: str


class Fixed(NamedTuple):
    """What became of a program.

    Args:
        texts: All its files afterwards, by path.
        changed: Those that are not as they were.
        applied: What was cured.
        left: What was not, each with the reason.
        steps: How statements moved.
        rolled_back: How often verification refused what a round had made of a file.
    """

    texts: dict[Path, str]
    changed: frozenset[Path]
    applied: list[Applied]
    left: list[Left]
    steps: list[Step]
    rolled_back: int


@cache
def fixed(program: Program, codes: frozenset[str] = frozenset()) -> Fixed:
    """A fixture program after all its fixes, or after those of some rules; only these are selected then."""
    return fixed_files(program.root, program.modules, codes)


def fixed_files(
    root: Path, files: Collection[Path], codes: Collection[str] = (),
    texts: Mapping[str, bytes] = MappingProxyType({}),
) -> Fixed:  # fmt: skip
    """The files of a program that is a file or a folder by itself, after their fixes.

    Args:
        root: The file or folder to check.
        files: The Python files in it.
        codes: The only rules that are selected; empty: those that are on by default.
        texts: By path, what stands in files instead of what is on disk.
    """
    given: dict[str, object] = {"respect_gitignore": False, **({"select": tuple(codes)} if codes else {})}
    finder = SettingsFinder(isolated=True, given=given)

    def check(changed: Mapping[str, bytes]) -> Report:
        return checker.check([root], finder, project=root, texts={**texts, **changed})

    steps: list[Step] = []
    rolled_back = 0

    def new_text(module: Module, rewrite: Rewrite, exports: Exports) -> str:
        whole = _new_text(module, rewrite, exports)
        if rewrite.operations:
            text = applied(module.text, laid_out(module, rewrite.operations, rewrite.edits))
            steps.append(Step(module, rewrite, text, whole))
        return whole

    def objections(*arguments: Any) -> dict[str, str | None]:
        nonlocal rolled_back
        found = _objections(*arguments)
        rolled_back += len(found)
        return found

    with patch.object(rewriting, "new_text", new_text), patch.object(fixer, "objections", objections):
        outcome = fixer.fix(check, lambda path: finder.at(Path(path).parent), unsafe=True)
    after = {path: outcome.after.get(str(path), b"") or path.read_bytes() for path in files}
    return Fixed(
        {path: data.decode() for path, data in after.items()},
        frozenset(map(Path, outcome.after)),
        outcome.applied,
        outcome.left,
        steps,
        rolled_back,
    )


def module_of(path: Path, text: str) -> Module:
    """A text, parsed."""
    file = decode(path, path.name, text.encode(), hot=True)
    assert isinstance(file, SourceFile)
    return Module(file, ast.parse(text))


def text_after(module: Module, operations: Sequence[Operation]) -> str:
    """The text after operations, as the ledger confirms it.

    Raises:
        Refused: it cannot be laid out.
    """
    text = applied(module.text, laid_out(module, operations))
    assert agrees(module, operations, text), f"the ledger says no\n{text}"
    return text


_new_text = rewriting.new_text
_objections = fixer.objections
