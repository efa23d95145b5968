"""What a run is asked to do: data that the parent process hands to the one in which the program runs."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

from xlalint.settings import SettingsFinder

SHOW_STACKS = signal.SIGRTMAX - 2
"""The signal by which the parent process asks for the stacks of all threads."""

NOTE = "XLALINT_RUN_NOTE"
"""The variable in which it says what the user must know of the environment."""

RECORD, WARN, RAISE = MODES = ("record", "warn", "raise")
"""Report at the end; also as it happens; stop the program where it happens."""


@dataclass(frozen=True)
class Request:
    """How a program is watched, and which.

    Args:
        program: The script, or the module with `is_module`.
        args: What the program gets as its arguments.
        mode: One of `MODES`.
        finder: Which settings hold where.
        stop_after: After how many steps the program is stopped; None: not at all.
        max_seconds: After how many seconds.
        warmup: How many steps at the start are left out of the numbers of each step.
        replicas: How many replicas a launched program has; None: as the environment says.
        stand_ins: Whether, on the CPU engine, something stands in for what only an accelerator has.
        asked: By absolute path, first and last lines of statements; whether these run is to be found out.
        follows_lines: Whether lines are followed from the start; see `Guard`.
        explain_graphs: Whether all is told by which a graph that was compiled again differs.
        numbers: The file that losses and parameters are written to; then the program is seeded, too.
        report: The file that the report is written to as it happens.
        spare: The file that it is written to where that one cannot be written.
        pulse: The file in which the program's life is seen.
        stacks: The file that all stacks are written to when the parent asks for them.
        is_child: Whether it is a process that the program has started; without a device it has no report.
    """

    program: str
    is_module: bool = False
    args: tuple[str, ...] = ()
    mode: str = RECORD
    finder: SettingsFinder = field(default_factory=SettingsFinder)
    stop_after: int | None = None
    max_seconds: float | None = None
    warmup: int = 2
    replicas: int | None = None
    stand_ins: bool = True
    asked: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    follows_lines: bool = False
    explain_graphs: bool = False
    numbers: str | None = None
    report: str | None = None
    spare: str | None = None
    pulse: str | None = None
    stacks: str | None = None
    is_child: bool = False
