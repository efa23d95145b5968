"""What a watched run of a program did on the engine, and what was found in it: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

from xlalint.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Unattributed:
    """Graphs that were launched between two places, where nothing was seen that launches one.

    Args:
        count: How many.
        path: The file in which the program was seen next.
        after: The line at which it was seen last; None: it was in another file.
        line: The line at which it was seen next.
    """

    count: int
    path: str
    line: int
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Milliseconds:
    """Where the time of a step went, on average over the steps after the warm-up.

    Args:
        trace: Python recorded operations, or did something else.
        wait: Reads, saves and cuts waited for the device.
        compile: Graphs were compiled.
    """

    trace: float
    wait: float
    compile: float


@dataclass(frozen=True, slots=True)
class Untrained:
    """Parameters of one model that were never updated, though optimizers have stepped.

    Args:
        model: Its class.
        names: The first of them.
        count: How many they are.
        of: How many parameters the model has that could be trained.
        why: As the end of a sentence, such as `no gradient reached them`.
    """

    model: str
    names: tuple[str, ...]
    count: int
    of: int
    why: str

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the model is trained."""
        return self.count == self.of


@dataclass(frozen=True, slots=True)
class Recompiled:
    """A loop was compiled again after its warm-up.

    Args:
        path: The file of the operation by which its graph differs; of the cut, where that is not known.
        line: Its line.
        step: The first step in which it was.
        count: In how many.
        why: What the operation was and what it is, or why that is not known.
        diff: By which operations its graph differs from the most similar one before: what has gone begins
            with `-`, what is new with `+`. Empty where that was not asked for.
    """

    path: str
    line: int
    step: int
    count: int
    why: str
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One process that ran a program under the guard.

    Args:
        program: What was run, as the user named it.
        engine: The kind of device.
        replicas: How many replicas ran in this process.
        end: How it ended, in words; empty while it runs, and where it ended without a word.
        steps: How many steps there were, of the replica that made most.
        counted: What was counted as steps, such as `optimizer steps`.
        warmup: How many steps at the start are left out of the numbers of each step.
        launches: Graphs that were launched, by all replicas.
        causes: The same by what caused it; the last is `unattributed`.
        compiles: Graphs that were compiled; `late_compiles`: those of them after the warm-up.
        launches_per_step: After the warm-up, of one replica, without those of evaluations; None: there was no
            step after it. `expected_per_step`: how many need be, one for each batch that is trained on.
        ms: Where the time of a step went; None: there was no step after the warm-up.
        unattributed: Where graphs were launched that nothing is known to cause.
        recompiled: Why loops were compiled again after their warm-up.
        fallbacks: By operation, how often the host ran it, as torch_xla cannot record it.
        untrained: Parameters that were never updated.
        diagnostics: What was found, in the order in which it is shown.
        suppressed: How many diagnostics comments silenced.
        notes: What else the user must know, such as what was not tested.
        folder: The directory in which it was started; what is named here relatively, is below it.
        files: By path, what was loaded of the user's files, each with a digest of its bytes; an empty one
            where it has changed since.
        judged: The codes of the rules that judged.
        asked: By path, the lines that the run was asked about, as something was found there by reading;
            `reached`: those of them that were run.
        covering: Seconds that it took to find out which were.
        static: What was found by reading and not seen, where the run was asked about it.
        processes: Of a report that was put together, rank, process and end of each.
        rank: The process among those of the launch; None: there is one.
        pid: The process.
        seconds: How long it ran.
    """

    program: str
    engine: str = ""
    replicas: int = 1
    end: str = ""
    steps: int = 0
    counted: str = ""
    warmup: int = 0
    launches: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    compiles: int = 0
    late_compiles: int = 0
    launches_per_step: float | None = None
    expected_per_step: float | None = None
    ms: Milliseconds | None = None
    unattributed: tuple[Unattributed, ...] = ()
    recompiled: tuple[Recompiled, ...] = ()
    fallbacks: dict[str, int] = field(default_factory=dict)
    untrained: tuple[Untrained, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    suppressed: int = 0
    notes: tuple[str, ...] = ()
    folder: str = ""
    files: dict[str, str] = field(default_factory=dict)
    judged: tuple[str, ...] = ()
    asked: dict[str, tuple[int, ...]] = field(default_factory=dict)
    reached: dict[str, tuple[int, ...]] = field(default_factory=dict)
    covering: float | None = None
    static: tuple[Diagnostic, ...] | None = None
    processes: tuple[tuple[int | None, int, str], ...] = ()
    rank: int | None = None
    pid: int = 0
    seconds: float = 0.0
