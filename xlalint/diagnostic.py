"""What xlalint tells the user: places, diagnostics and the edits that fix them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class Severity(IntEnum):
    """How much harm the code does; ordered, so that `--fail-on` is a comparison."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


class Certainty(Enum):
    """Whether the model is sure of every fact a diagnostic rests on, or of all but one."""

    DEFINITE = "definite"
    LIKELY = "likely"


class Observer(Enum):
    """Who found the problem: the analyzer in the source, or the guard on the engine."""

    ANALYZER = "analyzer"
    GUARD = "guard"


class Seen(Enum):
    """What a run has shown of what was found by reading, or that only the run has shown it."""

    CONFIRMED = "confirmed"
    NOT_OBSERVED = "not observed"
    """No refutation: another run, with other data or more steps, may show it."""
    NOT_REACHED = "not reached"
    ONLY_AT_RUN_TIME = "only at run time"


class Applicability(Enum):
    """How far a fix may be trusted: applied by `--fix`, on request, or only shown."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    SHOWN = "shown"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text: 1-based line, 1-based column in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """A stretch of text; `end` is the position just behind its last character."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `range` of the file by `text`, in `path` or (None) in the diagnostic's own file."""

    range: Range
    text: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix a diagnostic.

    Args:
        title: What it does.
        applicability: How far it may be trusted.
        edits: What it changes, where that was worked out.
        changes: What may come out otherwise after it.
    """

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...] = ()
    changes: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """A further place that a diagnostic rests on: one frame of its call chain, or one that comes later."""

    path: str
    range: Range
    message: str
    cell: int | None = None
    later: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the guard counted on the engine; None where it did not measure."""

    count: int
    per_step: float | None = None
    ms_median: float | None = None
    launches: int | None = None
    compiles: int | None = None
    replicas: int | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding at one place. `path` is relative to the working directory, posix.

    In a notebook, `range` counts lines of the program that its cells make; `output.notebooks` counts anew.
    """

    code: str
    name: str
    message: str
    severity: Severity
    certainty: Certainty
    path: str
    range: Range
    help: str = ""
    cell: int | None = None
    fixes: tuple[Fix, ...] = ()
    """Ways to mend it, the best first."""
    related: tuple[Related, ...] = ()
    url: str = ""
    observed_by: tuple[Observer, ...] = (Observer.ANALYZER,)
    evidence: Evidence | None = None
    seen: Seen | None = None
    """What a run has shown of it; None: it was not asked, or does not know."""
    assumes: str = ""
    """What a *likely* diagnostic takes for granted."""

    @property
    def order(self) -> tuple[str, int, Position, Position, str]:
        """The order in which diagnostics are shown: by file, cell, place and code."""
        return (self.path, self.cell or 0, self.range.start, self.range.end, self.code)
