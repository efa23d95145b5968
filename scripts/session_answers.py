"""Print what a session says after each of many edits of one file, to compare two builds of xlalint.

`session_answers.py FILE EDITS`. The edits are those of `benchmarks/edits.py`, the same in each run; nothing
is written. `xlalint` is what Python finds under that name.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from facts import ROOT
from xlalint.session import Session
from xlalint.settings import SettingsFinder

sys.path.append(str(ROOT / "benchmarks"))
from edits import edited, told


def main() -> int:
    """Make the edits and print all answers, a line for each diagnostic."""
    path, count = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    finder = SettingsFinder(isolated=True, given={"select": ("ALL",)})
    session = Session(lambda: finder)
    choice = random.Random(count)
    text = path.read_text()
    for number in range(count):
        text, what = edited(text, choice)
        diagnostics, *others = told(session.check([path], {str(path): text.encode()}))
        print(number, what, others)
        for diagnostic in diagnostics:
            print(number, diagnostic)
    return 0


if __name__ == "__main__":
    sys.exit(main())
