"""What the guard costs: a program with and without it, in turn, each in a process of its own.

Both halves do the same work: the engine's operations run on one thread each, and of each run the median step
after the warm-up counts. Steps take at least 50 ms on an idle machine. Seconds depend on what else the
machine does, whose load is printed; instructions of user code, counted where Linux lets us, do not.
`benchmarks/guard_cost.py [PAIRS]`.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import platform
import resource
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

STEPS, WARMUP = 45, 8
"""The guard records the first steps of a loop, which is told apart: these are the warm-up."""
BUDGET_PERCENT, BUDGET_MB = 5.0, 50.0
_T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262, 12: 2.201, 20: 2.093}
_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
"""The number of this system call, by machine."""

CPU, WALL, OWN, ALL_INSTRUCTIONS, OWN_INSTRUCTIONS = (
    "CPU", "wall", "CPU of its own thread", "instructions", "instructions of its own thread",
)  # fmt: skip
Clock = Callable[[], float]


def program() -> None:
    """A small transformer. The last line that it prints is what its median step costs, in milliseconds and
    millions of instructions."""
    clocks: dict[str, Clock] = {
        CPU: lambda: 1000 * time.process_time(),
        WALL: lambda: 1000 * time.monotonic(),
        OWN: lambda: 1000 * time.thread_time(),
    }
    every = instructions(of_all_threads=True)  # Before there are any.
    own = instructions(of_all_threads=False)
    if every is not None and own is not None:
        clocks |= {ALL_INSTRUCTIONS: every, OWN_INSTRUCTIONS: own}

    import torch
    import torch_xla

    torch.manual_seed(0)
    device = torch_xla.device()
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 4).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batch = torch.randn(16, 64, 128).to(device)
    costs: dict[str, list[float]] = {name: [] for name in clocks}
    for _ in range(STEPS):
        torch_xla.sync(wait=True)
        before = {name: clock() for name, clock in clocks.items()}
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()
        torch_xla.sync(wait=True)
        for name, clock in clocks.items():
            costs[name].append(clock() - before[name])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    medians = {name: statistics.median(each[WARMUP:]) for name, each in costs.items()}
    print(json.dumps({"peak": peak, "medians": medians}))


def instructions(*, of_all_threads: bool) -> Clock | None:
    """What counts the instructions of user code from now on, in millions; None: this machine does not tell.

    Args:
        of_all_threads: Whether those of threads that this one will start count, too.
    """
    number = _PERF_EVENT_OPEN.get(platform.machine())
    if number is None or sys.platform != "linux":
        return None
    # `struct perf_event_attr` of linux/perf_event.h: hardware, its size, instructions, and at byte 40 the
    # flags inherit (bit 1), exclude_kernel (bit 5) and exclude_hv (bit 6).
    asked = bytearray(136)
    struct.pack_into("IIQ", asked, 0, 0, len(asked), 1)
    struct.pack_into("Q", asked, 40, 1 << 5 | 1 << 6 | of_all_threads << 1)
    given = (ctypes.c_char * len(asked)).from_buffer(asked)
    file = ctypes.CDLL(None).syscall(number, given, 0, -1, -1, 0)
    return None if file < 0 else lambda: struct.unpack("Q", os.read(file, 8))[0] / 1e6


def measured(*, watched: bool) -> tuple[dict[str, float], float]:
    """What the median step of one run costs, and the most memory that it had, in MB."""
    start = ["-m", "xlalint", "run", "--isolated"] if watched else []
    command = [sys.executable, *start, str(Path(__file__)), "--program"]
    # On how many threads an operation is spread, and how these wait for each other, differs from run to run.
    alone = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false".strip()
    environment = {**os.environ, "PJRT_DEVICE": "CPU", "XLA_FLAGS": alone, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return found["medians"], found["peak"]


def interval(values: list[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95 % interval."""
    if len(values) < 2:
        return values[0], math.inf
    width = _T_95.get(len(values), 2.0) * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), width


def main(pairs: int) -> int:
    """Run the pairs and print what came out. Returns the exit status: 1 where a budget is exceeded."""
    more: dict[str, list[float]] = {}
    memory = []
    for number in range(pairs):
        first = bool(number % 2)
        runs = {watched: measured(watched=watched) for watched in (first, not first)}
        (guarded, peak), (plain, peak_plain) = runs[True], runs[False]
        for name, cost in plain.items():
            more.setdefault(name, []).append(100 * (guarded[name] / cost - 1))
        memory.append(peak - peak_plain)
        shown = ", ".join(f"{name} {cost:.0f} {more[name][-1]:+.1f} %" for name, cost in plain.items())
        load = os.getloadavg()[0]
        print(f"pair {number}: {shown}, memory {memory[-1]:+.0f} MB, load {load:.1f}", flush=True)
    within = True
    for name, each in more.items():
        mean, width = interval(each)
        fits = mean + width <= BUDGET_PERCENT
        # Most of a step is the engine's; what its own thread has to bear is told, and has no budget.
        within &= fits or name in (OWN, OWN_INSTRUCTIONS)
        print(f"{name}: {mean:+.2f} % ± {width:.2f} (median of the pairs {statistics.median(each):+.2f} %)")
    most = statistics.mean(memory)
    print(f"memory: {most:+.1f} MB")
    print(f"budget: at the upper end at most {BUDGET_PERCENT:g} % of CPU, wall and all instructions, "
          f"and {BUDGET_MB:g} MB: {'kept' if within and most <= BUDGET_MB else 'exceeded'}")  # fmt: skip
    return int(not within or most > BUDGET_MB)


if __name__ == "__main__":
    if sys.argv[1:] == ["--program"]:
        program()
    else:
        sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 10))
