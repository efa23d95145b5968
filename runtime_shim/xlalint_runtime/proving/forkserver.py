"""Runs programs on the real engine, each in a process of its own, forked from one that has imported it.

Importing torch and torch_xla takes seconds, a fork of a process that has imported them a tenth of one.
The server never touches a device: a process forked after the engine's client has started hangs.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from xlalint_runtime.proving.measurement import Job, Measurement

WORKERS = 2
"""Programs that run at once: each holds about 800 MB and one core."""
_WAITING = 3
"""So many times more of several replicas: those that hang only wait, for 15 s, until the engine gives up."""


class ForkServer:
    """A process that has imported the engine. Use it as a context manager."""

    def __init__(self, workers: int = WORKERS) -> None:
        """Args: workers: how many programs may run at once."""
        environment = dict(os.environ, PJRT_DEVICE="CPU", PYTHONUNBUFFERED="1")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "xlalint_runtime.proving.forkserver", str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()

    def run(self, jobs: Iterable[Job]) -> Iterator[Measurement]:
        """Run the programs and yield what each did, in the order in which they end.

        Raises:
            RuntimeError: the server has ended, as it does where the engine cannot be imported.
        """
        batch = list(jobs)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps([asdict(job) for job in batch]) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError("the fork server has ended") from None
        for _ in batch:
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError("the fork server has ended")
            yield Measurement(**json.loads(line))


def serve(workers: int) -> None:
    """Read batches of jobs from standard input and write one measurement a line, until it closes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What the engine prints must not reach the answers.
    import torch  # noqa: F401
    import torch_xla  # noqa: F401

    from xlalint.registry import all_rules
    from xlalint_runtime.proving import execution  # noqa: F401

    all_rules()
    # A child that collects garbage must not touch, and so copy, everything that was imported.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        waiting = [Job(**job) for job in json.loads(line)]
        running: list[_Child] = []
        while waiting or running:
            while waiting and len(running) < workers * (_WAITING if waiting[0].replicas > 1 else 1):
                running.append(_Child(waiting.pop(0)))
            for child in _wait(running):
                running.remove(child)
                answers.write(json.dumps(asdict(child.measurement())) + "\n")
                answers.flush()


class _Child:
    """A forked process that runs one program."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.timed_out = False
        self._folder = tempfile.mkdtemp(prefix="xlalint-")
        self._messages = b""
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _run(job, self._folder, writing)
        os.close(writing)
        os.set_blocking(reading, False)
        self.pipe = reading
        self.ended = os.pidfd_open(self.pid)
        self._started = time.monotonic()
        self.deadline = self._started + job.timeout

    def read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self.pipe, 1 << 16):
                self._messages += chunk

    def measurement(self) -> Measurement:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)  # Loader workers and the like that it left behind.
        _, status = os.waitpid(self.pid, 0)
        self.read()
        os.close(self.pipe)
        os.close(self.ended)
        found: dict[str, Any] = {"findings": []}
        for line in self._messages.decode().splitlines():
            message = json.loads(line)
            found |= message  # Later findings replace earlier ones: each message holds all of them.
        if found.pop("complete", False):
            pass  # How a second run under another seed ends says nothing of the first.
        elif self.timed_out:
            found["aborted"] = "timeout"
        elif os.WIFSIGNALED(status):
            found["aborted"] = signal.Signals(os.WTERMSIG(status)).name
        elif "launches" not in found and "error" not in found:
            found["error"] = f"the program ended its process with status {os.waitstatus_to_exitcode(status)}"
        report = Path(self._folder, "work", "report.json")
        if self.job.request is not None and report.is_file():
            found["run"] = json.loads(report.read_text())
        output = Path(self._folder, "output").read_text(errors="replace")
        shutil.rmtree(self._folder, ignore_errors=True)
        seconds = time.monotonic() - self._started
        return Measurement(self.job.program, self.job.seed, seconds=seconds, output=output[-4000:], **found)


def _wait(running: list[_Child]) -> list[_Child]:
    """The children that have ended or run out of time: at least one."""
    done: list[_Child] = []
    while not done:
        remaining = min(child.deadline for child in running) - time.monotonic()
        fds = [fd for child in running for fd in (child.pipe, child.ended)]
        ready, _, _ = select.select(fds, [], [], max(0.0, remaining))
        now = time.monotonic()
        for child in running:
            if child.pipe in ready:
                child.read()
            if child.ended in ready:
                done.append(child)
            elif now >= child.deadline:
                child.timed_out = True
                done.append(child)
            elif child.pipe in ready:
                time.sleep(0.001)  # A closed pipe stays ready until its process has ended.
    return done


def _run(job: Job, folder: str, answers: int) -> NoReturn:
    """The life of a child: never returns."""
    status = 1
    try:
        os.setsid()
        os.chdir(folder)
        output = os.open("output", os.O_WRONLY | os.O_CREAT)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        faulthandler.enable(2)  # What every thread did when the engine broke down is in the output.
        work = Path(folder, "work")
        work.mkdir()
        os.chdir(work)

        def send(message: dict[str, Any]) -> None:
            os.write(answers, json.dumps(message).encode() + b"\n")

        from xlalint_runtime.proving.execution import execute, execute_as_user

        try:
            (execute if job.request is None else execute_as_user)(job, send)
            status = 0
        except BaseException as error:
            import traceback

            send({"error": "".join(traceback.format_exception(error))})
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # Without the engine's own clean-up, which may wait for a lost replica.


if __name__ == "__main__":
    from xlalint_runtime.proving import forkserver

    forkserver.serve(int(sys.argv[1]))
