"""What the guard costs: a program with and without it, in turn, each in a process of its own.

Steps of at least 50 ms on an idle machine. CPU seconds are those of the steps after the warm-up; wall time
depends on what else the machine does, and its load is printed. `benchmarks/guard_cost.py [PAIRS]`.
"""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

STEPS, WARMUP = 40, 5
BUDGET_PERCENT, BUDGET_MB = 5.0, 50.0
_T_95 = {5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262, 12: 2.201, 20: 2.093}


def program() -> None:
    """A small transformer. The last line that it prints is what its steps cost."""
    import torch
    import torch_xla

    torch.manual_seed(0)
    device = torch_xla.device()
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 4).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batch = torch.randn(16, 64, 128).to(device)
    cpu, own, wall = [], [], []
    for _ in range(STEPS):
        torch_xla.sync(wait=True)
        began, thread, clock = time.process_time(), time.thread_time(), time.monotonic()
        with torch_xla.step():
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()
        torch_xla.sync(wait=True)
        cpu.append(time.process_time() - began)
        own.append(time.thread_time() - thread)
        wall.append(time.monotonic() - clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    median = {name: statistics.median(held[WARMUP:]) for name, held in (("own", own), ("wall", wall))}
    print(json.dumps({"cpu": sum(cpu[WARMUP:]), "peak": peak, **median}))


def measured(*, watched: bool) -> dict[str, float]:
    """What one run costs."""
    start = ["-m", "xlalint", "run", "--isolated"] if watched else []
    command = [sys.executable, *start, str(Path(__file__)), "--program"]
    done = subprocess.run(
        command, env={**os.environ, "PJRT_DEVICE": "CPU"}, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def interval(values: list[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95 % interval."""
    width = _T_95.get(len(values), 2.0) * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), width


def main(pairs: int) -> int:
    """Run the pairs and print what came out. Returns the exit status."""
    cpu, own, wall, memory = [], [], [], []
    for number in range(pairs):
        first = bool(number % 2)
        runs = {watched: measured(watched=watched) for watched in (first, not first)}
        cpu.append(100 * (runs[True]["cpu"] / runs[False]["cpu"] - 1))
        own.append(1000 * (runs[True]["own"] - runs[False]["own"]))
        wall.append(100 * (runs[True]["wall"] / runs[False]["wall"] - 1))
        memory.append(runs[True]["peak"] - runs[False]["peak"])
        step = 1000 * runs[False]["wall"]
        print(
            f"pair {number}: step {step:.0f} ms, CPU {cpu[-1]:+.1f} %, wall {wall[-1]:+.1f} %, "
            f"the program's own thread {1000 * runs[False]['own']:.1f} {own[-1]:+.2f} ms, "
            f"memory {memory[-1]:+.0f} MB, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    (mean, width), (mean_wall, width_wall) = interval(cpu), interval(wall)
    print(f"CPU  {mean:+.2f} % ± {width:.2f} (budget: at most {BUDGET_PERCENT:g} % at the upper end)")
    mean_own, width_own = interval(own)
    print(f"the program's own thread {mean_own:+.2f} ms of CPU a step ± {width_own:.2f}")
    print(f"wall {mean_wall:+.2f} % ± {width_wall:.2f}")
    print(f"memory {statistics.mean(memory):+.1f} MB (budget {BUDGET_MB:g} MB)")
    return int(mean + width > BUDGET_PERCENT or statistics.mean(memory) > BUDGET_MB)


if __name__ == "__main__":
    if sys.argv[1:] == ["--program"]:
        program()
    else:
        sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 10))
