"""Which program to run on the engine, and what it was seen to do there: data that processes exchange."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TIMEOUT = 60.0
"""Seconds that a program may take. The fixtures take two; a machine may be slow or busy."""

REPLICAS_TIMEOUT = 30.0
"""The same with several replicas, which may wait for a lost one: the engine gives up after 15."""


@dataclass(frozen=True)
class Job:
    """One program to run.

    Args:
        program: The file to run as `__main__`.
        replicas: On how many replicas it runs, as threads.
        devices: How many there are, where one process drives them all; None: one for each replica.
        guarded: Whether the guard watches it.
        also: The rules, by their codes, that the guard judges by beside those that are on by default.
        without: A hook of the guard that is left out, as `xlalint_runtime.proving.leaving_out` names it.
        trained: Whether to compare its parameters before and after, and to tell them, which reads them.
        seed: What is added to every seed that it sets, and set before it begins.
        other_seed: The same of a second run in the same process, of which only the numbers are told; None:
            there is none.
        timeout: Seconds until it is killed.
        request: To run it as `xlalint run` does: fields of its `Request`, all but the program; None: to
            measure it as a proof, whose last line calls `main()`.
    """

    program: str
    replicas: int = 1
    devices: int | None = None
    guarded: bool = True
    also: tuple[str, ...] = ()
    without: str | None = None
    trained: bool = True
    seed: int = 0
    other_seed: int | None = None
    timeout: float = TIMEOUT
    request: dict[str, Any] | None = None


@dataclass(frozen=True)
class Measurement:
    """What a program was seen to do.

    Attributes:
        seed: The one of its job.
        launches: Graphs that were launched, by all replicas together.
        compiles: Graphs that were compiled.
        operations: Operations in the graphs that cuts have compiled.
        pending: Device tensors that still needed materialisation when main() ended.
        raised: Name of the exception that left main(), or None.
        aborted: Name of the signal that ended the process, `timeout`, or None.
        held: Device tensors that were alive when main() ended.
        threads: Threads of Python that were alive when main() ended.
        trained: Whether any parameter changed; None where it was not compared.
        parameters: All elements of the parameters at the end; None where these were not read.
        numbers: What main() returned, of all replicas in their order.
        reseeded: The same of another run, under another seed; None where there was none.
        findings: The guard's diagnostics, as `xlalint_runtime.report` writes them.
        emitted: The kinds of events that the guard's model emitted.
        run: The report of `xlalint run`, where it was run so.
        output: The end of what the program wrote, for reading when something is wrong.
    """

    program: str
    seed: int = 0
    launches: int | None = None
    compiles: int | None = None
    operations: int | None = None
    pending: int | None = None
    held: int | None = None
    threads: int | None = None
    raised: str | None = None
    aborted: str | None = None
    trained: bool | None = None
    parameters: list[float] | None = None
    numbers: list[float] | None = None
    reseeded: list[float] | None = None
    findings: list[dict[str, Any]] = field(default_factory=list)
    emitted: list[str] = field(default_factory=list)
    run: dict[str, Any] | None = None
    seconds: float = 0.0
    """Wall time, to see which programs make the proofs slow; nothing is asserted on it."""
    output: str = ""
    error: str | None = None
    """What went wrong in the harness itself, not in the program."""
