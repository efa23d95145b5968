"""What the guard must find in a program: what its lines are marked with, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fixture_programs import Missed, Program
from xlalint.registry import all_rules, is_guarded
from xlalint.testing import Expected
from xlalint_runtime.proving.measurement import Measurement

GUARDED = frozenset(rule.code for rule in all_rules() if is_guarded(rule))


def contradictions(program: Program, measurement: Measurement) -> Iterator[str]:
    """Every finding at a line without a mark, and every mark of a rule of the guard without a finding."""
    known: list[Expected | Missed] = [*program.expectations, *program.missed]
    marks = {(str(mark.path), mark.line) for mark in known}
    for finding in measurement.findings:
        # Where the analyzer tells of another rule, such as one that the guard does not see, both speak
        # of one event, though perhaps at different calls that lead to it.
        places = {(finding["path"], finding["line"]), *((path, line) for path, line in finding["related"])}
        if not places & marks:
            yield f"{finding['code']} at line {finding['line']} of {finding['path']}, which is not marked"
    seen = {(finding["path"], finding["line"], finding["code"]) for finding in measurement.findings}
    if measurement.raised or measurement.aborted:
        # What comes after is never reached; what made the program end is told before.
        own = {(str(mark.path), mark.line, mark.code) for mark in known if mark.code == program.code}
        if program.code in GUARDED and own and not own & seen:
            yield f"no {program.code}, though the program ended by it"
        return
    for mark in program.expectations:
        if mark.code in GUARDED and (str(mark.path), mark.line, mark.code) not in seen:
            yield f"no {mark.code} at line {mark.line} of {mark.path}"


def contradictions_of_its_own_guard(path: Path, measurement: Measurement) -> Iterator[str]:
    """The same of a program that enters a guard and returns what it found: code, point, line.

    Its lines are marked `# XLAnnn`.
    """
    found = {(int(number), round(number % 1 * 1000)) for number in measurement.numbers or ()}
    lines = enumerate(path.read_text().splitlines(), start=1)
    marked = {(int(match[1]), line) for line, text in lines if (match := re.search(r"# XLA(\d+)$", text))}
    for code, line in sorted(found ^ marked):
        yield f"XLA{code} at line {line} is only {'found' if (code, line) in found else 'marked'}"
