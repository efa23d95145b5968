"""Measure how the cost of a check grows with its input: made-up programs, each a family of its own.

Twice the lines may cost little more than twice the CPU seconds, whatever the lines do: deep nests,
long chains of calls and many ways to one event must not multiply.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, cycle, islice, takewhile
from pathlib import Path

XLALINT = [sys.executable, "-m", "xlalint", "check", "--isolated", "--no-cache", "--no-respect-gitignore"]
SIZES = (1_000, 2_000, 4_000, 10_000, 20_000, 50_000, 100_000)
IMPORTS = """\
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch import nn
from torch_xla.distributed.parallel_loader import MpDeviceLoader
"""
DEEPEST = 17
"""Python itself nests at most twenty blocks; a nest ends in a few of its own."""
WEB = 25
"""So many functions call each other in a web."""
CALLS = 20
"""How often each function of a fan calls the next."""


def big(lines: int) -> str:
    """Many ordinary training loops that have nothing to do with each other."""
    return _filled(lines, (_training(number) for number in count()))


def ring(lines: int) -> str:
    """Functions that call each other in a ring."""
    functions = _number_of(lines, _link(0, 1))
    return IMPORTS + "".join(_link(number, (number + 1) % functions) for number in range(functions))


def chain(lines: int) -> str:
    """Functions of which each calls the next."""
    functions = _number_of(lines, _link(0, 1))
    return IMPORTS + "".join(_link(number, number + 1) for number in range(functions)) + _last(functions)


def fan(lines: int) -> str:
    """Functions of which each calls the next many times, from inside a step."""
    functions = _number_of(lines, _calls(0, "    f{next}(x)\n" * CALLS))
    return _in_step(functions, "    f{next}(x)\n" * CALLS)


def twice(lines: int) -> str:
    """Functions of which each calls the next twice, with the graph cut between."""
    body = "    x = f{next}(x)\n    torch_xla.sync()\n    x = f{next}(x + 1)\n    return x\n"
    return _in_step(_number_of(lines, _calls(0, body)), body)


def owing(lines: int) -> str:
    """Functions of which each calls the next twice, with reads and collectives that wait for a cut."""
    body = "    f{next}(x)\n    xm.all_reduce('sum', x)\n    print(x.item())\n    f{next}(x)\n"
    functions = _number_of(lines, _calls(0, body))
    end = "def main():\n    x = torch.randn(2, device=torch_xla.device()) @ torch.eye(2)\n"
    end += "    if xm.is_master_ordinal():\n        f0(x)\n    torch_xla.sync()\n"
    return IMPORTS + "".join(_calls(n, body) for n in range(functions)) + _last(functions) + end


def web(lines: int) -> str:
    """Functions that call each other in many circles: the ways around double with each of them."""
    functions = _number_of(lines, _knot(0)) // WEB * WEB
    ends = "".join(f"    f{number}(x)\n" for number in range(0, functions, WEB))
    end = f"def main():\n    x = torch.randn(2, device=torch_xla.device())\n{ends}    torch_xla.sync()\n"
    return IMPORTS + "".join(map(_knot, range(functions))) + end


def nest(lines: int) -> str:
    """Loops, scopes, branches and handlers, as deep inside each other as Python lets them be."""
    return _filled(lines, (_nest(number) for number in count()))


def loops(lines: int) -> str:
    """Loops, as deep inside each other as Python lets them be."""
    return _filled(lines, (_nest(number, ["for a{n} in c:", "while c.b{n}:"]) for number in count()))


FAMILIES: dict[str, Callable[[int], str]] = {
    family.__name__: family for family in (big, ring, chain, fan, twice, owing, web, nest, loops)
}


@dataclass(frozen=True)
class Cost:
    """What one check took, and what its analysis counted."""

    seconds: float
    megabytes: float
    counts: dict[str, int]


def main() -> int:
    """Print the table, one family after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the most lines (default: %(default)s)")
    arguments = parser.parse_args()
    print("| family | lines | CPU s | lines per CPU s | peak MB | KB per line | contexts | passes | bounds |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    nothing = measure(IMPORTS)
    for family in arguments.families:
        for size in takewhile(lambda size: size <= arguments.most, SIZES):
            source = FAMILIES[family](size)
            lines, cost = source.count("\n"), measure(source)
            kilobytes = (cost.megabytes - nothing.megabytes) * 1024 / lines
            counts = " | ".join(f"{cost.counts.get(name, 0):,}" for name in ("contexts", "passes", "bounds"))
            print(
                f"| {family} | {lines:,} | {cost.seconds:.2f} | {lines / cost.seconds:,.0f} "
                f"| {cost.megabytes:.0f} | {kilobytes:.1f} | {counts} |",
                flush=True,
            )
    return 0


def measure(source: str) -> Cost:
    """Check one file in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="growth-") as folder:
        program, told = Path(folder, "program.py"), Path(folder, "told")
        program.write_text(source)
        with told.open("w") as out:
            command = [*XLALINT, "-v", "-q", "--exit-zero", str(program)]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=out)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait for it again
        if process.returncode:
            raise RuntimeError(f"exit status {process.returncode}: {told.read_text()}")
        counts = {name: int(number) for number, name in re.findall(r"(?m)^ *(\d+) (.+)$", told.read_text())}
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, counts)


def _filled(lines: int, parts: Iterator[str]) -> str:
    """As many parts as there are lines for."""
    text, left = [IMPORTS], lines
    while left > 0:
        text.append(next(parts))
        left -= text[-1].count("\n")
    return "".join(text)


def _number_of(lines: int, function: str) -> int:
    return max(2, lines // function.count("\n"))


def _training(number: int) -> str:
    return f"""\
class Net{number}(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


def train{number}(dataset, epochs):
    device = torch_xla.device()
    model = Net{number}(8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = MpDeviceLoader(dataset, device)
    for epoch in range(epochs):
        for step, (data, target) in enumerate(loader):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(data), target)
            loss.backward()
            xm.optimizer_step(optimizer)
            if step % 10 == 0:
                report{number}(epoch, step, loss)
        if xm.is_master_ordinal():
            print(epoch)


def report{number}(epoch, step, loss):
    try:
        print(epoch, step, loss.item())
    except ValueError as error:
        print(error)


"""


def _link(number: int, following: int) -> str:
    body = f"x = x + {number}", "xm.mark_step()", "print(x.sum().item())", f"return f{following}(x)"
    return f"def f{number}(x):\n" + "".join(f"    {line}\n" for line in body)


def _knot(number: int) -> str:
    """A function of a web, from each of which all others are reached."""
    first, place = number // WEB * WEB, number % WEB
    called = [first + (place * factor + 1) % WEB for factor in (1, 2, 3)]
    calls = "".join(f"    if len(x) > {n}:\n        x = f{each}(x) + 1\n" for n, each in enumerate(called))
    return f"def f{number}(x):\n{calls}    print(x.sum().item())\n    return x\n\n\n"


def _calls(number: int, body: str) -> str:
    return f"def f{number}(x):\n" + body.replace("f{next}", f"f{number + 1}")


def _last(number: int) -> str:
    return f"def f{number}(x):\n    print((x @ x).item())\n    xm.all_reduce('sum', x)\n    return x\n"


def _in_step(functions: int, body: str) -> str:
    end = "def main():\n    x = torch.randn(2, device=torch_xla.device())\n"
    end += "    with torch_xla.step():\n        f0(x)\n"
    return IMPORTS + "".join(_calls(number, body) for number in range(functions)) + _last(functions) + end


_BLOCKS = ["for a{n} in c:", "while c.b{n}:", "with torch_xla.step():", "if c.d{n}:", "try:"]


def _nest(number: int, blocks: list[str] | None = None) -> str:
    """One function of nested blocks; the order of the blocks is another in each."""
    lines = [f"def nest{number}(c, m, x):", "    x = x.to(torch_xla.device())"]
    order = cycle(blocks or _BLOCKS)
    opened = [block.replace("{n}", str(n)) for n, block in enumerate(islice(order, number, number + DEEPEST))]
    for depth, block in enumerate(opened, 1):
        lines += ["    " * depth + block, "    " * (depth + 1) + f"x{depth} = x = m(x)"]
    lines.append("    " * (len(opened) + 1) + "print(x.item())")
    for depth, block in reversed(list(enumerate(opened, 1))):
        if block == "try:":
            lines += ["    " * depth + "finally:", "    " * (depth + 1) + "x = x + 1"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
