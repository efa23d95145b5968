"""The programs under fixtures/, and what their comments say of them.

A bad program is `fixtures/XLAnnn/<slug>.py`, its cure `<slug>.fixed.py`; a program of several modules
is a folder with `main.py` as its entry. `fixtures/clean/` holds programs that must stay silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from xlalint.testing import Expected, expected, lines

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CLEAN = "clean"
MEASURES = frozenset(
    {
        "launches",
        "compiles",
        "operations",
        "pending",
        "held",
        "raises",
        "aborts",
        "trained",
        "diverged",
        "threads",
    }
)


class MalformedFixture(ValueError):
    """A comment of a fixture program does not follow the grammar."""


class Missed(NamedTuple):
    """A diagnostic that ought to come on `line` of `path` and is known not to.

    `by_both` when the guard misses it as well, since the model does not know of it.
    """

    path: Path
    line: int
    code: str
    why: str
    by_both: bool = False


class Quiet(NamedTuple):
    """A line that looks bad, and why it is good."""

    path: Path
    line: int
    reason: str


class Proof(NamedTuple):
    """A measure of the program on the engine, and of its cure (None: it has none).

    Counts are written in decimal, the rest is a word: `yes`, `no`, `none`, an exception's name.
    """

    measure: str
    before: str
    after: str | None


@dataclass(frozen=True)
class Program:
    """One program: a file, or a folder with `main.py`.

    Attributes:
        code: The rule the program is about; None for a clean one.
        slug: The program's name within its folder, without `.fixed` and `.py`.
        root: The file or folder to check.
        entry: The file to run.
        modules: Every Python file of the program, the entry first.
        replicas: On how many replicas the program runs.
        devices: How many devices it shards its tensors over; None where each replica has one.
        tolerance: How far the numbers of program and cure may differ; None: bit for bit.
        no_proof: Why the engine cannot show the harm; None where it can.
        no_guard: Why the guard does not tell, though a run shows the harm; None where it does.
        fixed: The cure; None for a cure and for a program without one.
    """

    code: str | None
    slug: str
    root: Path
    entry: Path
    modules: tuple[Path, ...]
    expectations: tuple[Expected, ...]
    missed: tuple[Missed, ...]
    quiet: tuple[Quiet, ...]
    proofs: tuple[Proof, ...]
    replicas: int
    devices: int | None
    tolerance: float | None
    no_proof: str | None
    no_guard: str | None
    fixed: Program | None

    @property
    def id(self) -> str:
        """The program's path below fixtures/, as tests show it."""
        return self.root.relative_to(FIXTURES).as_posix().removesuffix(".py")

    @property
    def lacks(self) -> tuple[str, ...]:
        """All that is missing for the program to show anything; a cure is spoken of with its program."""
        found = []
        if any((proof.after is None) != (self.fixed is None) for proof in self.proofs):
            found.append("a measure is stated for the program and not for its cure, or the other way round")
        if self.code is None:
            if not self.proofs:
                found.append("it has no `# proof:`, so nothing is measured")
            return tuple(found)
        if self.fixed is None:
            found.append("it has no cure: a program of the same name that ends in .fixed")
        elif self.fixed.proofs or self.fixed.no_proof is not None:
            found.append("its cure states a proof, as if one stood in the place of the other")
        if self.no_proof is None:
            if not self.proofs:
                found.append("it has neither `# proof:` nor `# no proof: <why>`")
            elif all(proof.before == proof.after for proof in self.proofs):
                found.append("no measure that it states differs after the cure")
        return tuple(found)


@cache
def bad_programs(code: str | None = None) -> tuple[Program, ...]:
    """All programs that show a hazard, by rule and slug; with `code` those of one rule."""
    folders = sorted(FIXTURES.glob("XLA[0-9][0-9][0-9]"))
    return tuple(
        program
        for folder in folders
        if code in (None, folder.name)
        for program in _programs_in(folder, folder.name)
    )


@cache
def clean_programs() -> tuple[Program, ...]:
    """All programs that must stay silent, by slug."""
    return tuple(_programs_in(FIXTURES / CLEAN, None))


def read_program(root: Path, code: str | None) -> Program:
    """The program at `root`, a file or a folder with `main.py`.

    Raises:
        MalformedFixture: a comment does not follow the grammar, or `main.py` is missing.
    """
    entry = root / "main.py" if root.is_dir() else root
    if not entry.is_file():
        raise MalformedFixture(f"{root} has no main.py")
    modules = (entry, *sorted(path for path in root.rglob("*.py") if path != entry))
    marks = [mark for module in modules for mark in _marks(module)]
    headers = _headers(entry)
    cure = _cure(root)
    return Program(
        code=code,
        slug=root.name.removesuffix(".py").removesuffix(".fixed"),
        root=root,
        entry=entry,
        modules=modules,
        expectations=tuple(mark for module in modules for mark in expected(module)),
        missed=tuple(mark for mark in marks if isinstance(mark, Missed)),
        quiet=tuple(mark for mark in marks if isinstance(mark, Quiet)),
        proofs=tuple(proof for text in headers.get("proof", ()) for proof in _proofs(entry, text)),
        replicas=int(headers.get("replicas", ["1"])[0]),
        devices=int(headers["devices"][0]) if "devices" in headers else None,
        tolerance=float(headers["tolerance"][0]) if "tolerance" in headers else None,
        no_proof=headers["no proof"][0] if "no proof" in headers else None,
        no_guard=headers["no guard"][0] if "no guard" in headers else None,
        fixed=read_program(cure, code) if cure is not None else None,
    )


_CODE = re.compile(r"XLA\d{3}")
_MARK = re.compile(r"#\s*(missed by both|missed|quiet)\b\s*(:?)\s*([^#]*)")
_HEADER = re.compile(r"#\s*(proof|replicas|devices|tolerance|no proof|no guard)\s*:\s*(.+?)\s*$")
_PROOF = re.compile(r"(\w+)\s+(\w+)(?:\s*->\s*(\w+))?")


def _programs_in(folder: Path, code: str | None) -> Iterator[Program]:
    for root in sorted(folder.iterdir()) if folder.is_dir() else ():
        is_program = root.suffix == ".py" or (root.is_dir() and root.name != "__pycache__")
        if is_program and not root.name.removesuffix(".py").endswith(".fixed"):
            yield read_program(root, code)


def _cure(root: Path) -> Path | None:
    name = root.name.removesuffix(".py")
    if name.endswith(".fixed"):
        return None
    cure = root.with_name(f"{name}.fixed" if root.is_dir() else f"{name}.fixed.py")
    return cure if cure.exists() else None


def _marks(path: Path) -> Iterator[Missed | Quiet]:
    for number, line in enumerate(lines(path), start=1):
        for kind, colon, text in _MARK.findall(line):
            text = text.strip()
            if not colon or not text:
                raise MalformedFixture(f"{path}:{number}: `# {kind}` wants a colon and a text")
            if kind == "quiet":
                yield Quiet(path, number, text)
            else:
                code, _, why = text.partition(" ")
                _require_code(code, path, number)
                yield Missed(path, number, code, why.strip(), kind == "missed by both")


def _require_code(code: str, path: Path, number: int) -> None:
    if _CODE.fullmatch(code) is None:
        raise MalformedFixture(f"{path}:{number}: {code!r} is no code of a rule")


def _headers(path: Path) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for line in lines(path):
        match = _HEADER.match(line)
        if match is not None:
            headers.setdefault(match[1], []).append(match[2])
    return headers


def _proofs(path: Path, text: str) -> Iterator[Proof]:
    for item in text.split(","):
        match = _PROOF.fullmatch(item.strip())
        if match is None or match[1] not in MEASURES:
            raise MalformedFixture(
                f"{path}: `# proof: {item.strip()}` is not `<measure> <before> -> <after>`"
            )
        yield Proof(match[1], match[2], match[3])
