"""The programs under tests/interpreter/, what their comments say of them, and what the analyzer does.

`# expect: XLA101` marks the lines at which diagnostics start, all others are silent. What holds before a
line runs, over all the ways it is reached, is said by

- `# state: heavy`: how much work is recorded: `none`, `light`, `heavy`, between two of them
  (`none-heavy`), or `never` where control never comes;
- `# owed: READ, EXIT`: the sorts of what is owed, or `nothing`;
- `# holds: scopes.in_loop = True`: one field of the state.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

from checking import diagnostics_of, mark_of
from xlalint.analysis.engine import Program, trace
from xlalint.configuration import Configuration
from xlalint.lazy.state import State
from xlalint.sources.file import SourceFile, read

FOLDER = Path(__file__).resolve().parent / "interpreter"
PROGRAMS = sorted(path for path in FOLDER.iterdir() if path.suffix == ".py" or (path / "main.py").is_file())


def expected(program: Path) -> set[str]:
    """The diagnostics that the comments of a program ask for, such as `main.py:7 XLA101 likely`."""
    folder = program if program.is_dir() else program.parent
    return {
        f"{path.relative_to(folder).as_posix()}:{line} {code}"
        for path in (sorted(program.rglob("*.py")) if program.is_dir() else [program])
        for line, codes in _marks(path, "expect").items()
        for code in codes.split(", ")
    }


def found(program: Path) -> set[str]:
    """The diagnostics of a program, in the words of its comments."""
    return {
        f"{mark.path}:{mark.line} {mark.code}" + (" likely" if diagnostic.certainty.value == "likely" else "")
        for diagnostic in diagnostics_of(program, "XLA092", "XLA503", "XLA504")
        for mark in [mark_of(diagnostic, program)]
    }


def wrong_states(program: Path) -> list[str]:
    """Where the state before a line is not the one that the comments say."""
    path = program / "main.py" if program.is_dir() else program
    wanted = [(line, what, text) for what in _SHOWN for line, text in _marks(path, what).items()]
    if not wanted:
        return []
    file = read(path)
    assert isinstance(file, SourceFile)
    states = {known.line: known.state for known in trace(Program([file], frozenset(), Configuration()), file)}
    return [
        f"{path.name}:{line}: {what} {held} instead of {text}"
        for line, what, text in sorted(wanted)
        if (held := _SHOWN[what](states[line], text) if line in states else "never") != text
    ]


def _recorded(state: State, text: str) -> str:
    must, may = (weight.name.lower() for weight in state.engine.recorded)
    return must if must == may else f"{must}-{may}"


def _owed(state: State, text: str) -> str:
    return ", ".join(sorted({obligation.owed.name for obligation in state.obligations})) or "nothing"


def _field(state: State, text: str) -> str:
    field, _, _ = text.partition(" = ")
    return f"{field} = {attrgetter(field)(state)}"


_SHOWN: dict[str, Callable[[State, str], str]] = {"state": _recorded, "owed": _owed, "holds": _field}
"""What a comment says of the state, in its words."""


def _marks(path: Path, what: str) -> dict[int, str]:
    lines = path.read_text().splitlines()
    matches = ((number, re.search(rf"# {what}: ([^#]+)", line)) for number, line in enumerate(lines, 1))
    return {number: match[1].strip() for number, match in matches if match is not None}
