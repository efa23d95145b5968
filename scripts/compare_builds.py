"""Compare what the installed, compiled package says with what its interpreted sources say: every byte.

`dev.py demo` installs it into .venv. Compared are the project's own programs, programs that nest deeply and
the trees that are named; and what sessions say while a file of an example, and of each of these trees, is
edited. With `--quick` only the fixtures and the programs of the interpreter's tests are compared. Exits with
0 when nothing differs, with 1 when something does or the package is not compiled, or not of these sources.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree

from facts import ROOT, SOURCES

sys.path.append(str(ROOT / "tests"))
from deep_programs import DEEP

COMMAND = Path(sys.executable).with_name("xlalint.exe" if os.name == "nt" else "xlalint")
OPTIONS = ("--select", "ALL", "--isolated", "--no-respect-gitignore", "--no-cache", "--exit-zero")
OWN_TREES = (
    "fixtures", "examples", "tests/interpreter", "tests/frameworks", "tests/same_answers", "tests/usage",
    "tests/syntax",
)  # fmt: skip
QUICK_TREES = ("fixtures", "tests/interpreter")
DEPTHS = (5, 100, 1000, 5000)
EXAMPLE, EDITED = ROOT / "examples" / "train_digits", "engine.py"
EDITS = 40
"""So often the file of a session is edited."""


def main() -> int:
    """Print which trees differ."""
    quick = sys.argv[1:] == ["--quick"]
    named = [] if quick else [Path(tree).resolve() for tree in sys.argv[1:]]
    trees = [*(ROOT / name for name in (QUICK_TREES if quick else OWN_TREES)), *named]
    with tempfile.TemporaryDirectory() as folder:
        deep = Path(folder).resolve()
        version, _ = outputs("version", cwd=deep)
        if "compiled" not in version:
            print(f"{COMMAND} is not compiled: {version.strip()}")
            return 1
        if not quick:
            write_deep(deep)
            trees.append(deep)
        differing = [tree for tree in trees if not is_same(tree)]
    print(f"{len(trees) - len(differing)} of {len(trees)} trees: the same bytes, compiled and interpreted")
    if quick:
        return int(bool(differing))
    with tempfile.TemporaryDirectory() as folder:
        # Here it is a part of this project, which is no example for what is edited.
        example = Path(copytree(EXAMPLE, Path(folder).resolve() / EXAMPLE.name))
        files = [example / EDITED, *filter(None, map(most_text, named))]
        apart = [file for file in files if not is_same_in_session(file)]
    print(f"{len(files) - len(apart)} of {len(files)} sessions: the same after each of {EDITS} edits")
    return int(bool(differing or apart))


def most_text(tree: Path) -> Path | None:
    """The largest file of a tree that names torch_xla, if any does."""
    naming = [path for path in tree.rglob("*.py") if b"torch_xla" in path.read_bytes()]
    return max(naming, key=lambda path: path.stat().st_size, default=None)


def is_same_in_session(file: Path) -> bool:
    """Whether sessions of both say the same of a file while it is edited; says where they do not."""
    script = (sys.executable, str(ROOT / "scripts" / "session_answers.py"), str(file), str(EDITS))
    return _agree(file, *_both(script, script, (), file.parent))


def write_deep(folder: Path) -> None:
    """Write programs that nest as deeply as Python reads them, and deeper."""
    for form, written in DEEP.items():
        for depth in DEPTHS:
            text = f"import torch_xla\n\n\ndef main(x):\n    torch_xla.sync()\n\n\n{written(depth)}"
            (folder / f"{form} {depth}.py".replace(" ", "_")).write_text(text)


def is_same(tree: Path) -> bool:
    """Whether both say the same of a tree; says what does not."""
    return _agree(tree, *outputs("check", *OPTIONS, "--output-format", "json", ".", cwd=tree))


def outputs(*arguments: str, cwd: Path) -> tuple[str, str]:
    """What the compiled package and the interpreted sources write."""
    return _both((str(COMMAND),), (sys.executable, "-m", "xlalint"), arguments, cwd)


def _agree(what: Path, compiled: str, interpreted: str) -> bool:
    if compiled != interpreted:
        print(f"{what}: they differ")
        for name, said in (("compiled", compiled), ("interpreted", interpreted)):
            other = interpreted if said is compiled else compiled
            known = set(other.splitlines())
            for line in [line for line in said.splitlines() if line not in known][:10]:
                print(f"  {name} alone: {line.strip()}")
    return compiled == interpreted


def _both(
    compiled: tuple[str, ...], interpreted: tuple[str, ...], arguments: tuple[str, ...], cwd: Path
) -> tuple[str, str]:
    """What a command writes with the compiled package, and another with the interpreted sources."""
    path = os.pathsep.join(str(ROOT / source) for source in SOURCES)
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(_output, compiled, {}, arguments, cwd)
        other = threads.submit(_output, interpreted, {"PYTHONPATH": path}, arguments, cwd)
        return one.result(), other.result()


def _output(
    command: tuple[str, ...], environment: dict[str, str], arguments: tuple[str, ...], cwd: Path
) -> str:
    run = subprocess.run(
        [*command, *arguments], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    # A process that the system ended has a negative status; what it wrote until then is not compared alone.
    return f"{run.stdout}{run.stderr}exit status {run.returncode}\n"


if __name__ == "__main__":
    sys.exit(main())
