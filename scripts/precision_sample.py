"""Draw the diagnostics to judge by hand, as a Markdown table with the verdicts left empty.

Takes what `xlalint check --output-format json` wrote for several trees, keeps warnings and errors,
sorts them by the sha256 of `path:line:code` and takes the first ones, at most a few of each file:
anyone who draws again gets the same ones, and nobody chooses.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

TEST_FOLDERS = frozenset({"test", "tests", "testing"})


@dataclass(frozen=True)
class Alarm:
    """One diagnostic of a tree, as far as the table shows it."""

    tree: str
    path: str
    line: int
    code: str
    certainty: str
    message: str

    @property
    def rank(self) -> str:
        """Where the alarm stands in the drawing."""
        return sha256(f"{self.path}:{self.line}:{self.code}".encode()).hexdigest()

    @property
    def in_tests(self) -> bool:
        """Whether its file belongs to tests."""
        path = PurePosixPath(self.path)
        return bool(TEST_FOLDERS & set(path.parts[:-1])) or path.name.startswith("test_")


def main() -> int:
    """Print the table for the trees named on the command line."""
    arguments = _arguments()
    alarms = [alarm for argument in arguments.trees for alarm in read(argument)]
    if not arguments.tests:
        alarms = [alarm for alarm in alarms if not alarm.in_tests]
    drawn = draw(alarms, arguments.count, arguments.per_file)
    print(f"{len(drawn)} of {len(alarms)} diagnostics of warning and above.\n")
    print("| tree | path | line | code | certainty | verdict | reason |")
    print("|---|---|---|---|---|---|---|")
    for alarm in drawn:
        print(
            f"| {alarm.tree} | {alarm.path} | {alarm.line} | {alarm.code} | {alarm.certainty} | | "
            f"<!-- {alarm.message.replace('|', '/')} --> |"
        )
    return 0


def read(argument: str) -> list[Alarm]:
    """The warnings and errors of `<tree>=<file>`, where the file is what `xlalint check` wrote.

    Raises:
        ValueError: the argument has no `=`.
    """
    tree, equals, name = argument.partition("=")
    if not equals:
        raise ValueError(f"{argument!r} is not <tree>=<file>")
    return [
        Alarm(
            tree,
            found["path"],
            found["range"]["start"]["line"],
            found["code"],
            found["certainty"],
            found["message"],
        )
        for found in json.loads(Path(name).read_text(encoding="utf-8"))
        if found["severity"] in ("warning", "error")
    ]


def draw(alarms: list[Alarm], count: int, per_file: int) -> list[Alarm]:
    """The first `count` alarms by rank, at most `per_file` of one file."""
    taken: Counter[tuple[str, str]] = Counter()
    drawn: list[Alarm] = []
    for alarm in sorted(alarms, key=lambda alarm: (alarm.rank, alarm.tree)):
        if len(drawn) < count and taken[alarm.tree, alarm.path] < per_file:
            taken[alarm.tree, alarm.path] += 1
            drawn.append(alarm)
    return drawn


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", metavar="TREE=FILE", help="a name with its JSON output")
    parser.add_argument("--count", type=int, default=40, help="how many to draw (default: 40)")
    parser.add_argument("--per-file", type=int, default=5, help="at most so many of a file (default: 5)")
    parser.add_argument(
        "--tests", action=argparse.BooleanOptionalAction, default=True, help="with or without tests"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
