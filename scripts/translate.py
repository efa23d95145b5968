"""Translate what is compiled into C, and compile none of it: a tenth of the work, where ours may be refused.

Where `.ci/run` has no time left to compile, this says whether what users install can be compiled at all.
"""

from __future__ import annotations

import ast
import os
import tempfile
from pathlib import Path

from facts import ROOT


def main() -> None:
    """Translate; the compiler ends this with an error of its own where it refuses something."""
    from mypyc.build import mypycify

    os.chdir(ROOT)
    said = constants(ROOT / "hatch_build.py")
    with tempfile.TemporaryDirectory() as folder:
        told = [*said["OPTIONS"], f"--cache-dir={folder}/types", *files(said["PARTS"], said["INTERPRETED"])]
        mypycify(told, multi_file=True, target_dir=f"{folder}/c", group_name="xlalint")


def constants(path: Path) -> dict[str, tuple[str, ...]]:
    """The tuples of texts that a module defines, which may import what is not installed."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple() as value):
                found[name] = ast.literal_eval(value)
    return found


def files(parts: tuple[str, ...], interpreted: tuple[str, ...]) -> list[str]:
    """The modules that are compiled."""
    places = [Path(part) for part in parts]
    found = [file for place in places for file in ([place] if place.suffix else sorted(place.rglob("*.py")))]
    return [str(file) for file in found if file.as_posix() not in interpreted and file.stat().st_size]


if __name__ == "__main__":
    main()
