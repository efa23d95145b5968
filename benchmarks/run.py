"""Measure xlalint beside ruff in the same run: CPU seconds of whole processes, and peak memory.

Seconds are user + system time of the process and its children, the median of several runs, with
files in the page cache and without any cache of the tools themselves.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from corpus import CORPUS, PACKAGES, count, fetch

SCRIPTS = Path(sys.executable).parent
XLALINT = [str(SCRIPTS / "xlalint"), "check", "--isolated", "--no-cache", "--no-respect-gitignore"]
DENSE = "XLA-dense (lines of files that use torch_xla):"
RUFF = [str(SCRIPTS / "ruff"), "check", "--isolated", "--no-cache", "--no-respect-gitignore"]


@dataclass(frozen=True)
class Cost:
    """What one command took: CPU seconds and peak resident memory in megabytes, medians."""

    seconds: float
    megabytes: float


def main() -> int:
    """Print the table, then what `xlalint check -v` counts for each tree."""
    arguments = _arguments()
    fetch(CORPUS)
    print("| what | lines | xlalint CPU s | ruff CPU s | xlalint lines per CPU s | peak MB | budget |")
    print("|---|---|---|---|---|---|---|", flush=True)
    counts: list[str] = []
    with _by_itself(CORPUS) as corpus, _without_xla(CORPUS) as silent:
        rows = [
            ("corpus, cold", corpus, "2.5 s, 250 MB"),
            ("accelerate, cold", corpus / f"accelerate-{PACKAGES['accelerate']}", "0.5 s"),
            ("nothing mentions XLA, corpus size", silent, "0.25 s"),
            *((f"{DENSE} {path.name}", path, "10,000 lines per CPU s") for path in arguments.dense),
        ]
        for what, tree, budget in rows:
            counted = count(tree)
            lines = counted.hot_lines if what.startswith(DENSE) else counted.lines
            ours = measure([*XLALINT, "-q", str(tree)], arguments.runs)
            theirs = measure([*RUFF, "-q", str(tree)], arguments.runs)
            print(
                f"| {what} | {lines:,} | {ours.seconds:.2f} | {theirs.seconds:.2f} "
                f"| {lines / ours.seconds:,.0f} | {ours.megabytes:.0f} | {budget} |",
                flush=True,
            )
            counts.append(f"{what}\n{_verbose(tree)}")
    start = measure([str(SCRIPTS / "xlalint"), "version"], arguments.runs)
    bare = measure([sys.executable, "-c", "pass"], arguments.runs)
    what = f"start-up (python alone: {bare.seconds:.3f})"
    print(f"| {what} | | {start.seconds:.3f} | | | {start.megabytes:.0f} | |")
    print("", *counts, sep="\n\n")
    return 0


def measure(command: Sequence[str], runs: int) -> Cost:
    """Run `command` once to warm the page cache and then `runs` times.

    Raises:
        RuntimeError: it failed: neither "nothing found" (0) nor "diagnostics" (1).
    """
    _once(command)
    costs = [_once(command) for _ in range(runs)]
    return Cost(
        statistics.median(cost.seconds for cost in costs), statistics.median(cost.megabytes for cost in costs)
    )


def _once(command: Sequence[str]) -> Cost:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait for it again
    if process.returncode not in (0, 1):
        raise RuntimeError(f"exit status {process.returncode}: {' '.join(command)}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _verbose(tree: Path) -> str:
    done = subprocess.run([*XLALINT, "-v", "--exit-zero", str(tree)], capture_output=True, text=True)
    return done.stderr.strip()


@contextmanager
def _by_itself(tree: Path) -> Iterator[Path]:
    """A link to `tree` from where it is no part of this project, which would be analyzed with it."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        link = Path(folder, tree.name)
        link.symlink_to(tree.resolve())
        yield link


@contextmanager
def _without_xla(corpus: Path) -> Iterator[Path]:
    """A copy of `corpus` in which every `torch_xla` has become another name of the same length."""
    with tempfile.TemporaryDirectory(prefix="without-xla-") as name:
        tree = Path(name)
        for path in sorted(corpus.rglob("*.py")):
            target = tree / path.relative_to(corpus)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes().replace(b"torch_xla", b"torch_abc"))
        yield tree


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="how often each command runs (default: 5)")
    parser.add_argument(
        "--dense", type=Path, action="append", default=[], help="a clone in which many files use torch_xla"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
