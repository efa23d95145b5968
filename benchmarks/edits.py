"""Measure what an editor waits for: CPU seconds from a changed text to its diagnostics, in one process.

Statements of one file are changed, added and taken away at random places of its functions, one after the
other, and each time the session that holds the project in memory is asked for the diagnostics of the file.
With `--verify`, each answer is compared with that of a fresh analysis.
"""

from __future__ import annotations

import argparse
import ast
import random
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from xlalint.checker import Report, check
from xlalint.diagnostic import Diagnostic
from xlalint.session import Session
from xlalint.settings import SettingsFinder


def main() -> int:
    """Print the table of what was measured; returns 1 if an answer was not the fresh one."""
    arguments = _arguments()
    path = arguments.file.resolve()
    choice = random.Random(arguments.seed)
    session = Session(lambda: SettingsFinder(isolated=True))
    began = time.process_time()
    session.check([path])
    print(f"first check: {time.process_time() - began:.2f} CPU s")
    original = text = path.read_text()
    costs: list[tuple[float, str]] = []
    wrong = 0
    for number in range(arguments.edits):
        if number % 10 == 9:
            text = original
            session.check([path])
        text, what = edited(text, choice)
        texts = {str(path): text.encode()}
        began = time.process_time()
        report = session.check([path], texts)
        costs.append((time.process_time() - began, what))
        if arguments.verify and told(report) != told(
            check([path], SettingsFinder(isolated=True), texts=texts)
        ):
            wrong += 1
            print(f"edit {number}, {what}: it differs from a fresh analysis")
    seconds = sorted(cost for cost, _ in costs)
    print(
        f"{len(costs)} edits: median {statistics.median(seconds):.3f}, "
        f"95 % below {seconds[int(len(seconds) * 0.95)]:.3f}, at most {seconds[-1]:.3f} CPU s"
    )
    for cost, what in sorted(costs, reverse=True)[: arguments.show]:
        print(f"  {cost:.3f} {what}")
    return int(wrong > 0)


def edited(text: str, choice: random.Random) -> tuple[str, str]:
    """Another text with one statement of a function changed, and what was done."""
    places = [
        (function.name, statement)
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        for block in ast.walk(function)
        if isinstance(block, ast.stmt)
        for statement in getattr(block, "body", ())
    ]
    name, statement = choice.choice(places)
    lines = text.split("\n")
    indent = " " * statement.col_offset
    what = choice.choice(("a line above", "a remark", "another statement", "gone"))
    if what == "a line above":
        lines.insert(statement.lineno - 1, f"{indent}added = {choice.randrange(9)}")
    elif what == "another statement":
        lines.insert(statement.lineno - 1, f"{indent}print(self, {choice.randrange(9)})")
    elif what == "gone" and isinstance(statement, ast.Expr | ast.Assign):
        lines[statement.lineno - 1 : statement.end_lineno] = [f"{indent}pass"]
    else:
        lines[(statement.end_lineno or statement.lineno) - 1] += f"  # {choice.randrange(9)}"
    after = "\n".join(lines)
    try:
        ast.parse(after)
    except SyntaxError:  # such as a remark in a text
        return edited(text, choice)
    return after, f"{name}: {what}"


def told(report: Report) -> tuple[list[Diagnostic], int, int, Counter[str]]:
    """All that a check says that must be the same, whoever asks."""
    return report.diagnostics, report.suppressed, report.hot, report.bounds


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="a file of a project")
    parser.add_argument("--edits", type=int, default=200, help="how many edits (default: 200)")
    parser.add_argument("--seed", type=int, default=0, help="which ones (default: 0)")
    parser.add_argument("--show", type=int, default=10, help="how many of the slowest to list (default: 10)")
    parser.add_argument("--verify", action="store_true", help="compare with a fresh analysis each time")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
