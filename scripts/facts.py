"""What a check says of a tree, as plain facts, and in what two such lists differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (".", "rules", "runtime_shim")
"""Where a checkout of this project keeps its packages."""
OPTIONS = ("--select", "ALL", "--isolated", "--no-respect-gitignore", "--output-format", "json")


class CheckFailed(RuntimeError):
    """A check ended in something else than diagnostics."""


class Place(NamedTuple):
    """Where a diagnostic stands, and which."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str


class Verdict(NamedTuple):
    """What is said at a place.

    Attributes:
        related: The places of the call chain.
        texts: Message, help and the messages of related places; empty where nobody compares them.
    """

    severity: str
    certainty: str
    related: tuple[str, ...]
    texts: tuple[str, ...]


class Fact(NamedTuple):
    """One diagnostic, as far as it is compared."""

    place: Place
    verdict: Verdict

    def __str__(self) -> str:
        place, verdict = self
        return f"{place.path}:{place.line}:{place.column} {place.code} {verdict.severity} {verdict.certainty}"


@dataclass(frozen=True)
class Change:
    """A diagnostic that came (no `before`), that went (no `after`), or that says something else."""

    before: Fact | None
    after: Fact | None

    def lines(self) -> Iterator[str]:
        """`+`, `-` or `~` with the place; below a `~` what differs, unless the first line shows it."""
        if self.before is None or self.after is None:
            yield f"+ {self.after}" if self.before is None else f"- {self.before}"
            return
        old, new = self.before.verdict, self.after.verdict
        shown = f"~ {self.before}"
        if old[:2] != new[:2]:
            shown += f" -> {new.severity} {new.certainty}"
        yield shown
        if old.related != new.related:
            yield f"    related: {_listed(old.related)} -> {_listed(new.related)}"
        if old.texts != new.texts:
            yield from (f"    - {text}" for text in old.texts if text not in new.texts)
            yield from (f"    + {text}" for text in new.texts if text not in old.texts)


def facts_of(tree: Path, base: Path, checkout: Path = ROOT, *, texts: bool = False) -> list[Fact]:
    """What the xlalint in `checkout` says of `tree`, sorted, with paths relative to `base`.

    The tree is a program by itself, even if it lies in this project: it is seen through a link elsewhere.

    Raises:
        CheckFailed: it did not come to an end, or it is not the code in `checkout` that ran.
    """
    # Python would look where the process starts first, where a module of the tree could take the place
    # of any other.
    # It prints whose code it is: an installed xlalint that came first on the path would be compared
    # with itself, and always be equal.
    program = (
        "import sys; del sys.path[0]\n"
        "import xlalint, xlalint_rules\n"
        "print(xlalint.__file__, xlalint_rules.__file__, sep='\\n', file=sys.stderr)\n"
        "from xlalint.cli import main\n"
        "main()"
    )
    tree = tree.resolve()
    with tempfile.TemporaryDirectory(prefix="xlalint-") as folder:
        link = Path(folder).resolve() / tree.name
        link.symlink_to(tree)
        done = subprocess.run(
            [sys.executable, "-c", program, "check", *OPTIONS, str(link)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(str(checkout / part) for part in SOURCES)},
            capture_output=True,
            text=True,
        )
    if done.returncode not in (0, 1):
        raise CheckFailed(f"{tree}: exit status {done.returncode}\n{done.stderr.strip()}")
    ran = done.stderr.splitlines()[:2]
    if len(ran) < 2 or not all(Path(name).resolve().is_relative_to(checkout.resolve()) for name in ran):
        raise CheckFailed(f"{tree}: it is not the code in {checkout} that ran, but {' and '.join(ran)}")

    def path(shown: str) -> str:
        return os.path.relpath(tree.parent / shown, base.resolve())

    return sorted(_fact(found, path, texts=texts) for found in json.loads(done.stdout))


def compare(before: Sequence[Fact], after: Sequence[Fact]) -> list[Change]:
    """What came, what went and what changed, in the order of places."""
    went = Counter(before) - Counter(after)
    came = Counter(after) - Counter(before)
    pairs: dict[Place, tuple[list[Fact], list[Fact]]] = defaultdict(lambda: ([], []))
    for side, facts in enumerate((went, came)):
        for fact in sorted(facts.elements()):
            pairs[fact.place][side].append(fact)
    changes = []
    for place in sorted(pairs):
        old, new = pairs[place]
        both = min(len(old), len(new))
        changes += [Change(*pair) for pair in zip(old, new, strict=False)]
        changes += [Change(fact, None) for fact in old[both:]]
        changes += [Change(None, fact) for fact in new[both:]]
    return changes


def _fact(found: dict[str, Any], path: Callable[[str], str], *, texts: bool) -> Fact:
    place = Place(path(found["path"]), *_numbers(found["range"]), found["code"])
    related = tuple(
        f"{path(one['path'])}:{line}:{column}-{end_line}:{end_column}"
        for one in found["related"]
        for line, column, end_line, end_column in [_numbers(one["range"])]
    )
    said: tuple[str, ...] = ()
    if texts:
        # Whether the output tells the help is the business of the commit that is compared.
        told = (found["message"], found.get("help"), *(one["message"] for one in found["related"]))
        said = tuple(text for text in told if text is not None)
    return Fact(place, Verdict(found["severity"], found["certainty"], related, said))


def _numbers(place: dict[str, dict[str, int]]) -> tuple[int, int, int, int]:
    start, end = place["start"], place["end"]
    return start["line"], start["column"], end["line"], end["column"]


def _listed(places: tuple[str, ...]) -> str:
    return ", ".join(places) or "none"
