"""The programs under tests/interpreter/, what their comments say of them, and what the analyzer does.

`# expect: XLA101` marks the lines at which diagnostics start, all others are silent. `# state: heavy`
says how much work is recorded before a line runs: `none`, `light`, `heavy`, between two of them
(`none-heavy`), or `never` where control never comes. `# engine: in a loop` says words of which the
state speaks when it is shown, and `# engine: not in a loop` words of which it does not.
"""

from __future__ import annotations

import re
from pathlib import Path

from checking import diagnostics_of, mark_of
from xlalint.analysis.engine import LineState, trace
from xlalint.configuration import Configuration
from xlalint.lazy.values import Recorded
from xlalint.output.paint import paint
from xlalint.output.state import details
from xlalint.sources.file import SourceFile, read

FOLDER = Path(__file__).resolve().parent / "interpreter"
PROGRAMS = sorted(path for path in FOLDER.iterdir() if path.suffix == ".py" or (path / "main.py").is_file())


def expected(program: Path) -> set[str]:
    """The diagnostics that the comments of a program ask for, such as `main.py:7 XLA101 likely`."""
    folder = program if program.is_dir() else program.parent
    return {
        f"{path.relative_to(folder).as_posix()}:{line} {code}"
        for path in (sorted(program.rglob("*.py")) if program.is_dir() else [program])
        for line, codes in marks(path, "expect").items()
        for code in codes.split(", ")
    }


def found(program: Path) -> set[str]:
    """The diagnostics of a program, in the words of its comments."""
    return {
        f"{mark.path}:{mark.line} {mark.code}" + (" likely" if diagnostic.certainty.value == "likely" else "")
        for diagnostic in diagnostics_of(program, "XLA092")
        for mark in [mark_of(diagnostic, program)]
    }


def wrong_states(program: Path) -> list[str]:
    """Where the state before a line is not the one that the comments say."""
    path = program / "main.py" if program.is_dir() else program
    recorded, engine = marks(path, "state"), marks(path, "engine")
    if not recorded and not engine:
        return []
    file = read(path)
    assert isinstance(file, SourceFile)
    known = {state.line: state for state in trace(file, Configuration())}
    wrong = {}
    for line, wanted in recorded.items():
        if (held := _recorded(known.get(line))) != wanted:
            wrong[line] = f"{held} instead of {wanted}"
    for line, words in engine.items():
        shown = paint(details(file, [known[line]], line), colored=False)
        (facts,) = re.findall("^  engine +(.+)$", shown, re.M)
        if (words.removeprefix("not ") in facts) is words.startswith("not "):
            wrong[line] = facts
    return [f"{path.name}:{line}: {wrong[line]}" for line in sorted(wrong)]


def marks(path: Path, what: str) -> dict[int, str]:
    """The comments of one sort in a file, by their line."""
    lines = path.read_text().splitlines()
    found = ((number, re.search(rf"# {what}: ([^#]+)", line)) for number, line in enumerate(lines, 1))
    return {number: match[1].strip() for number, match in found if match is not None}


def _recorded(known: LineState | None) -> str:
    if known is None:
        return "never"
    recorded: Recorded = known.state.engine.recorded
    must, may = recorded.must.name.lower(), recorded.may.name.lower()
    return must if must == may else f"{must}-{may}"
