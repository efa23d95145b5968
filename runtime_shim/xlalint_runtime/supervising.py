"""Starts the process in which a program is watched, waits for it, and knows how it ended.

The program runs in a process of its own, so that what was seen survives its end, whatever that is.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xlalint.merging import merged
from xlalint.output import runs
from xlalint.runs import Run
from xlalint_runtime import environment, files
from xlalint_runtime.request import NOTE, SHOW_STACKS, Request

HUNG = 124
"""The exit status after the program was ended because it hung, or because its time was over."""

GRACE = 30.0
"""Seconds after `--max-seconds` until a program that does nothing that is watched is ended from here."""

_LOOKS = 0.5
"""Seconds between two looks at the pulse of the program."""

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT)
_FROM_KERNEL = 0x80
"""`si_code` of a signal that a terminal sends to all processes in the foreground: ours has it already."""


@dataclass(frozen=True)
class Outcome:
    """How a watched program ended.

    Args:
        run: What was seen; None: it never began.
        status: Its exit status.
        signal: The signal that ended it; 0: none did.
        stacks: The stacks of all threads, where it hung.
        unwritten: Whether the report could not be written to the file that was asked for.
    """

    run: Run | None
    status: int
    signal: int = 0
    stacks: str = ""
    unwritten: bool = False


def supervise(*, hang_timeout: float | None, **asked_for: Any) -> Outcome:
    """Run a program in a child process.

    Args:
        asked_for: The fields of its `Request`, without those of files that only we know.
        hang_timeout: After so many seconds in which nothing is seen of it, all stacks are taken and the
            program is ended; None: it may take as long as it likes.
    """
    request = Request(**asked_for)
    with tempfile.TemporaryDirectory(prefix="xlalint-run-") as folder:
        names = ("report.json", "spare.json", "pulse", "stacks")
        report, spare, pulse, stacks = (Path(folder, name) for name in names)
        pulse.write_bytes(bytes(8))
        asked = replace(
            request, report=request.report or str(report), spare=str(spare), pulse=str(pulse),
            stacks=str(stacks),
        )  # fmt: skip
        requested = Path(folder, "request")
        requested.write_bytes(pickle.dumps(asked))
        command = [
            sys.executable, *subprocess._args_from_interpreter_flags(),  # type: ignore[attr-defined]
            "-m", "xlalint_runtime.child", str(requested),
        ]  # fmt: skip
        child = _Child(command, _environment(request))
        limit = None if request.max_seconds is None else request.max_seconds + GRACE
        end = child.wait(pulse, hang_timeout, limit)
        shown = child.stacks(stacks) if end else ""
        status = child.end()
        assert asked.report is not None
        saved = _read(spare)
        run = saved or _read(
            files.own(Path(asked.report)) if files.rank() is None else _of(asked.report, child.pid)
        )
        if request.report is None and run is not None:
            run = _with_children(run, [_read(path) for path in Path(folder).glob("report.*pid*.json")])
    if run is not None and not run.end:
        note = f"counts are those of {run.seconds:.0f} s after the start: what was counted then is lost"
        run = replace(run, end=end or _in_words(status), notes=(*run.notes, note))
    if end:
        return Outcome(run, HUNG, stacks=shown, unwritten=saved is not None)
    return Outcome(run, max(status, 0), max(-status, 0), unwritten=saved is not None)


def _environment(request: Request) -> dict[str, str]:
    """As ours, on the CPU engine where no other is set up."""
    found = dict(os.environ)
    if "PJRT_DEVICE" not in found and not environment.has_accelerator():
        found["PJRT_DEVICE"] = "CPU"
        found[NOTE] = "no accelerator is set up (PJRT_DEVICE): the program runs on the CPU engine"
    if found.get("PJRT_DEVICE") == "CPU":
        number = request.replicas or environment.replicas_asked_for()
        found = {**environment.of_replicas(number), **found, "CPU_NUM_DEVICES": str(number)}
    return found


def _with_children(run: Run, children: list[Run | None]) -> Run:
    """What a program did, together with the processes that it has started."""
    known = [each for each in children if each is not None and each.pid != run.pid]
    if not known:
        return run
    together = merged([*([run] if run.launches else []), *known])
    end = together.end if run.end == "ended" else run.end
    return replace(together, end=end, notes=tuple(dict.fromkeys((*run.notes, *together.notes))))


def _of(report: str, pid: int) -> Path:
    path = Path(report)
    return path.with_name(f"{path.stem}.rank{files.rank()}.pid{pid}{path.suffix}")


def _read(path: Path) -> Run | None:
    try:
        return runs.read(path.read_text())
    except (OSError, runs.NoRun):
        return None


def _in_words(status: int) -> str:
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    return f"ended by exit status {status}"


class _Child:
    """The child process, and the signals that are meant for it."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        waited_for = {*_PASSED_ON, signal.SIGCHLD}
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
        self._waited_for = waited_for
        before = self._before
        self._process = subprocess.Popen(
            command,
            env=environment,
            # It must be as if we were not there.
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before) and None,
        )
        self.pid = self._process.pid

    def wait(self, pulse: Path, hang_timeout: float | None, limit: float | None) -> str:
        """Wait until the program ends. Returns why it must be ended, or nothing."""
        began = alive = time.monotonic()
        last = b""
        watched = hang_timeout is not None or limit is not None
        while self._process.poll() is None:
            got = signal.sigtimedwait(self._waited_for, _LOOKS if watched else 10.0)
            if got is not None and got.si_signo != signal.SIGCHLD and got.si_code != _FROM_KERNEL:
                self._process.send_signal(got.si_signo)
            now = time.monotonic()
            beat = pulse.read_bytes() if watched else b""
            if beat != last or not any(beat):  # It has not begun: torch_xla takes its time to import.
                last, alive = beat, now
            if hang_timeout is not None and now - alive > hang_timeout:
                return f"hangs: nothing was seen for {hang_timeout:g} seconds"
            if limit is not None and now - began > limit:
                return f"stopped: it was still busy {GRACE:g} seconds after its time was over"
        return ""

    def stacks(self, file: Path) -> str:
        """The stacks of all threads now."""
        self._process.send_signal(SHOW_STACKS)
        _until(lambda: file.exists() and file.stat().st_size > 0, seconds=5.0)
        time.sleep(_LOOKS)
        return file.read_text(errors="replace") if file.exists() else ""

    def end(self) -> int:
        """End it, if it has not ended, and return its status; negative: the signal that ended it."""
        if self._process.poll() is None:
            self._process.kill()
        status = self._process.wait()
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
        return status


def _until(is_so: Callable[[], bool], seconds: float) -> None:
    limit = time.monotonic() + seconds
    while not is_so() and time.monotonic() < limit:
        time.sleep(0.05)
