"""Edits of the files of a tree, such as people make between two checks; each is told by a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

_DEFINITION = re.compile(r"^[ \t]*(?:async )?def \w+\(.*\).*:\n", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)(\([^)\n]*\))?:\n", re.MULTILINE)
_STATEMENT = re.compile(
    r"^(?: {4}| {8})(?!def |class |return|@|#|\"|'|\)|\]|\}|el|except|finally)\w.*[^,(\[{:\\]\n", re.MULTILINE
)

Edit = Callable[[str, random.Random], str]


def insert_a_line_above(text: str, choice: random.Random) -> str:
    """Lines move, and nothing else changes."""
    places = [match.start() for match in _DEFINITION.finditer(text) if text[match.start()] not in " \t"] or [
        0
    ]
    at = choice.choice([place for place in places if not _decorated(text, place)] or [0])
    return (
        f"{text[:at]}# a remark\n\n{text[at:]}"
        if at or not text.startswith(("#!", '"""', "from __f"))
        else text
    )


def change_a_body(text: str, choice: random.Random) -> str:
    """A function does one thing more."""
    matches = list(_DEFINITION.finditer(text))
    if not matches:
        return text
    match = choice.choice(matches)
    indent = re.match(r"[ \t]*", text[match.start() :])
    assert indent is not None
    more = choice.choice(["added = 1", "print('added')", "added = [n for n in range(3)]", "import os"])
    return f"{text[: match.end()]}{indent[0]}    {more}\n{text[match.end() :]}"


def take_a_statement_away(text: str, choice: random.Random) -> str:
    """A simple statement gives way to `pass`."""
    matches = list(_STATEMENT.finditer(text))
    if not matches:
        return text
    match = choice.choice(matches)
    indent = re.match(r"[ \t]*", match[0])
    assert indent is not None
    return f"{text[: match.start()]}{indent[0]}pass\n{text[match.end() :]}"


def add_an_import(text: str, choice: random.Random) -> str:
    """Another module is imported, which may hide a name."""
    name = choice.choice(
        ["json", "torch", "torch._six", "torch_xla", "collections", "utils", "os.path as xm", "math as torch"]
    )
    return f"{text}\nimport {name}\n"


def change_a_base(text: str, choice: random.Random) -> str:
    """A class has another base."""
    matches = list(_CLASS.finditer(text))
    if not matches:
        return text
    match = choice.choice(matches)
    base = choice.choice(["object", "torch.nn.Module", "torch.optim.Optimizer", "dict"])
    return f"{text[: match.start()]}class {match[1]}({base}):\n{text[match.end() :]}"


EDITS: tuple[Edit, ...] = (
    insert_a_line_above,
    change_a_body,
    take_a_statement_away,
    add_an_import,
    change_a_base,
)


def edit_something(tree: Path, files: list[Path], seed: int) -> str:
    """Edit, remove or bring back one of the files below `tree`; returns what was done."""
    choice = random.Random(seed)
    path = choice.choice(files)
    if not path.exists():
        path.write_text(path.with_suffix(".gone").read_text())
        return f"{path.relative_to(tree)} is there again"
    text = path.read_text()
    if choice.random() < 0.08:
        path.with_suffix(".gone").write_text(text)
        path.unlink()
        return f"{path.relative_to(tree)} removed"
    edit = choice.choice(EDITS)
    path.write_text(edit(text, choice))
    return f"{path.relative_to(tree)}: {edit.__name__}"


def _decorated(text: str, place: int) -> bool:
    before = text[:place].rstrip("\n").rpartition("\n")[2]
    return before.startswith(("@", ")"))
