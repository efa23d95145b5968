"""One watched run, from the first import of torch_xla to its end: what is told to whom, and when."""

from __future__ import annotations

import atexit
import contextlib
import mmap
import os
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from xlalint.diagnostic import Diagnostic, Severity
from xlalint.output import runs
from xlalint.registry import all_rules, is_guarded
from xlalint.runs import Recompiled, Run, Unattributed
from xlalint_runtime import files
from xlalint_runtime.choosing import Choice
from xlalint_runtime.covering import Covering
from xlalint_runtime.loaded import Loaded
from xlalint_runtime.request import RAISE, WARN, Request
from xlalint_runtime.stopping import Hazard, Parted, Stopped

if TYPE_CHECKING:
    from xlalint.judging import Placed
    from xlalint_runtime.guarding import Guard
    from xlalint_runtime.keeping import Kept
    from xlalint_runtime.stand_ins import StandIns

SELDOM = 1.0
"""Seconds at least from one report of what was counted to the next; findings are reported at once."""

SHARE = 0.005
"""Of the program's time, such reports may take so much, unless they would come too seldom by that."""

LONGEST = 10.0
"""Seconds at most from one to the next: what was counted since is lost where the program is killed."""

MOST_UNATTRIBUTED = 8
"""Of the places where nothing is known to have launched graphs, so many are told."""

_UNTESTED = (
    "the guard was tested on the CPU engine only: on {engine} it watches, and launches and changes nothing"
)
_ORDERED = (
    "replicas launch in the order of their ranks here. Without xlalint the CPU engine compiles a graph for "
    "each, and hangs in every program with collectives, this one too: that is no fault of the program"
)


class Session:
    """Watches one program, and reports what it does.

    Nothing of the engine is imported before `begin`.
    """

    active: ClassVar[Session | None] = None
    """The one that watches now: there is no use for a second."""

    def __init__(self, request: Request, choice: Choice, notes: tuple[str, ...] = ()) -> None:
        self._request = request
        self._choice = choice
        self._notes = notes
        self._file: files.ReportFile | None = None
        self._spare = files.ReportFile(Path(request.spare)) if request.spare else None
        self._pulse = _Pulse(request.pulse) if request.pulse else None
        self._guard: Guard | None = None
        self._kept: Kept | None = None
        self._stand_ins: StandIns | None = None
        self._folder = str(Path.cwd())
        self._loaded = Loaded()
        self.covering = Covering(request.asked)
        self._end = self._stopped_by = self._parted = ""
        self._began = self._next = time.monotonic()
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._ended = False
        with contextlib.suppress(OSError):
            self._errors = os.dup(2)  # The program may close its own.
        self.found: tuple[Diagnostic, ...] = ()
        self._judged = tuple(
            rule.code
            for rule in all_rules()
            if is_guarded(rule) and choice.is_selected(rule.code, str(Path(self._folder, request.program)))
        )

    def begin(self) -> None:
        """The engine is there: watch from now on."""
        if os.getpid() != self._process:
            return  # A process that was forked before is none of ours.
        from xlalint_runtime.hooks import Patches

        self._patches = Patches()
        try:
            from xlalint_runtime import replicas
            from xlalint_runtime.guarding import Guard
            from xlalint_runtime.stand_ins import StandIns

            if os.environ.get("PJRT_DEVICE", "CPU") == "CPU":
                replicas.launch_here(self._patches)
                replicas.order_saves(self._patches)
                if self._request.stand_ins:
                    self._stand_ins = StandIns()
                    self._stand_ins.install(self._patches)
            guard = Guard(
                all_rules(),
                on_news=self._tell,
                choice=self._choice,
                warmup=self._request.warmup,
                stop_after=self._request.stop_after,
                pace=self._pace,
                ends_parting=True,
                follows_lines=self._request.follows_lines,
                explains_graphs=self._request.explain_graphs,
            )
            guard.__enter__()
        except Exception as error:
            self._patches.undo()
            self._notes += (f"nothing was watched: {type(error).__name__}: {error}",)
            return
        self._guard = guard
        if self._request.numbers is not None:
            from xlalint_runtime import keeping

            keeping.seed()
            self._kept = keeping.Kept(self._patches)
        Session.active = self
        os.register_at_fork(after_in_child=self._forked)
        # What is registered last is called first: before torch_xla shuts the engine down.
        atexit.unregister(self.end)
        atexit.register(self.end)
        self.write()

    @property
    def watches(self) -> bool:
        """Whether it has begun to watch."""
        return self._guard is not None

    def fails(self, error: BaseException) -> None:
        """An exception ends the program."""
        if isinstance(error, Stopped):
            self._end = error.why
        elif isinstance(error, Parted):
            self._end = "stopped: replicas part"
            self._parted = str(error)
        elif isinstance(error, Hazard) and self._stopped_by:
            self._end = f"stopped by {self._stopped_by}"
        elif not (isinstance(error, SystemExit) and error.code in (None, 0)):
            shown = f"exit status {error.code}" if isinstance(error, SystemExit) else type(error).__name__
            self._end = f"ended by {shown}"

    def end(self) -> None:
        """The program has ended: nothing is watched any more, and the report is complete."""
        with self._lock:
            if self._ended or os.getpid() != self._process:
                return
            self._ended = True
        if self._guard is not None:
            try:
                self._guard.end(by_itself=not self._end)
            except Hazard:
                pass  # There is nothing left that could be stopped.
            except Exception as error:
                self._guard.faults.note(error, "the end of the program")
            self._guard.__exit__()
            self._patches.undo()
            Session.active = None
            if self._kept is not None and self._request.numbers is not None:
                self._kept.write(Path(self._request.numbers))
        atexit.unregister(self.end)
        self.covering.end()
        self._end = self._end or "ended"
        self.write()

    def write(self) -> None:
        """Report what is known now."""
        if self._request.report is not None and os.getpid() == self._process and self._has_to_say:
            with self._lock:
                began = time.monotonic()
                if self._file is None:  # Only now a process that was started is sure to know its rank.
                    own = files.own(Path(self._request.report), is_child=self._request.is_child)
                    self._file = files.ReportFile(own)
                indent = 2 if self._ended else None
                if not self._file.write(runs.render(self.run(), indent)) and self._spare is not None:
                    self._spare.write(runs.render(self.run()))  # It says now why the other has failed.
                now = time.monotonic()
                self._next = now + min(LONGEST, max(SELDOM, (now - began) / SHARE))

    @property
    def _has_to_say(self) -> bool:
        """Whether this process is the program's own, or one that has used a device."""
        guard = self._guard
        return not self._request.is_child or (guard is not None and guard.summary.launches > 0)

    def run(self) -> Run:
        """What is known of the run now."""
        request = self._request
        seconds = time.monotonic() - self._began
        notes = (*self._notes, *([self._file.fault] if self._file and self._file.fault else []))
        common = Run(
            request.program, end=self._end, rank=files.rank(), pid=os.getpid(), seconds=seconds, notes=notes,
            folder=self._folder, files=self._loaded.files(), judged=self._judged,
        )  # fmt: skip
        if request.asked:
            common = replace(common, **self._covered())
        return common if self._guard is None else self._with_counts(common, self._guard)

    def _covered(self) -> dict[str, Any]:
        """Which of the lines that the run was asked about have run."""
        covering = self.covering
        if not covering.is_possible:
            return {"notes": ("somebody else follows lines: which were reached is not known",)}
        return {"asked": covering.asked, "reached": covering.reached, "covering": covering.seconds}

    def _with_counts(self, common: Run, guard: Guard) -> Run:
        summary = guard.summary
        found, suppressed = guard.report.diagnostics()
        self.found = tuple(found)
        late = summary.late
        engine = os.environ.get("PJRT_DEVICE", "CPU")
        notes = [*common.notes, *([self._parted] if self._parted else [])]
        if engine != "CPU":
            notes.append(_UNTESTED.format(engine=engine))
        if guard.ordered_collectives:
            notes.append(_ORDERED)
        notes += self._stand_ins.used if self._stand_ins is not None else ()
        notes += [
            f"a fault of the guard itself, which has changed nothing: {one}" for one in guard.faults.seen
        ]
        return replace(
            common,
            engine=engine,
            replicas=summary.replicas,
            steps=summary.steps,
            counted=summary.unit.value,
            warmup=summary.warmup,
            launches=summary.launches,
            causes=summary.by_cause(),
            compiles=summary.compiles,
            late_compiles=late[2] if late else 0,
            launches_per_step=late[1] / late[0] if late else None,
            expected_per_step=summary.expected if late else None,
            ms=summary.milliseconds(),
            unattributed=tuple(self._unattributed(guard)),
            recompiled=tuple(
                Recompiled(guard.report.shown_path(site), site.line, *held)
                for site, held in tuple(summary.late_graphs.items())
            ),
            fallbacks=summary.fallbacks(),
            untrained=summary.models.untrained(),
            diagnostics=self.found,
            suppressed=suppressed,
            notes=tuple(notes),
        )

    def _unattributed(self, guard: Guard) -> list[Unattributed]:
        return [
            Unattributed(
                count, guard.report.shown_path(site), site.line,
                after.line if after is not None and after.path == site.path else None,
            )
            for (after, site), count in guard.summary.unattributed.most_common(MOST_UNATTRIBUTED)
        ]  # fmt: skip

    # While it runs -----------------------------------------------------------------------------

    def _pace(self) -> None:
        """The program is seen: it lives, and may have come as far as it was to run."""
        if self._pulse is not None:
            self._pulse.beat()
        now = time.monotonic()
        if now > self._next:
            self.write()
        request = self._request
        if self._guard is not None and self._guard.summary.has_made_the_last():
            raise Stopped(f"stopped after {request.stop_after} {self._guard.summary.unit.value}")
        if request.max_seconds is not None and now - self._began > request.max_seconds:
            raise Stopped(f"stopped after {request.max_seconds:g} seconds")

    def _tell(self, placed: Placed) -> None:
        assert self._guard is not None
        self.write()
        if self._request.mode not in (WARN, RAISE):
            return
        shown = self._guard.report.shown(placed)
        if shown is None:
            return
        if self._request.mode == RAISE and shown.severity >= Severity.WARNING:
            self._stopped_by = shown.code
            raise Hazard(in_words(shown))
        self._print(f"xlalint: {in_words(shown)}\n")

    def _print(self, text: str) -> None:
        with contextlib.suppress(OSError, AttributeError):
            os.write(self._errors, text.encode(errors="replace"))

    def _forked(self) -> None:
        """In a process that the program has forked, such as a worker of a loader, nothing is watched."""
        if self._guard is not None:
            self._guard.__exit__()


def in_words(diagnostic: Diagnostic) -> str:
    """A diagnostic as the program that is stopped by it shows it."""
    place = f"{diagnostic.path}:{diagnostic.range.start.line}"
    help = f"\n  help: {diagnostic.help}" if diagnostic.help else ""
    return f"{place}: {diagnostic.code} {diagnostic.name}: {diagnostic.message}{help}"


class _Pulse:
    """A number in a file, which grows while the program does anything that is watched."""

    def __init__(self, path: str) -> None:
        with open(path, "r+b") as file:  # noqa: PTH123 - mmap needs its descriptor
            self._memory = mmap.mmap(file.fileno(), 8)
        self._count = 0

    def beat(self) -> None:
        self._count += 1
        self._memory[:] = self._count.to_bytes(8, "little")
