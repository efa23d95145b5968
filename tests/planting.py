"""Plants one hazard at a random legal place of a program.

A program says where places are legal: `# zone: loss` on a statement with a body means that body, on another
one the rest of its block. There, from the statement that gives `loss` its value on, and until something cuts
the graph, each of `HAZARDS` does harm.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

READS = frozenset({"XLA101", "XLA102", "XLA103"})
CUTS = frozenset({"XLA204", "XLA205", "XLA206"})
UNKNOWN_SHAPE = READS | {"XLA108", "XLA401"}
"""The engine asks the host how large the result is: by a read, or by an operation that the host runs."""
SAVES = frozenset({"XLA601", "XLA602"})

HAZARDS = {
    "print({t}.sum().item())": READS,
    "kept = float({t}.sum())": READS,
    "kept = {t}.tolist()": READS,
    "kept = {t}.cpu()": READS,
    "print('value %.3f' % {t}.sum())": READS,
    "print(f'{{{t}.sum():.3f}}')": READS,
    "print({t})": READS,
    "kept = math.sqrt({t}.sum().abs())": READS,
    "if {t}.sum() > 1e9:\n    print('large')": READS,
    "assert {t}.sum() == {t}.sum()": READS,
    "kept = max({t}.sum(), 0.0)": READS,
    "torch.unique({t}.detach())": UNKNOWN_SHAPE,
    "kept = {t}.detach()[{t}.detach() > 0]": UNKNOWN_SHAPE,
    "xm.add_step_closure(print, args=({t}.sum().item(),))": READS | {"XLA106"},
    "torch.save({{'value': {t}}}, io.BytesIO())": SAVES | READS,
    "torch_xla.sync()": CUTS,
    "with xp.Trace('planted'):\n    torch_xla.sync()": CUTS | {"XLA301"},
}
"""What is planted, and by which rules it may be told. `{t}` is the tensor of the zone."""

IMPORTS = "import io, math, torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.debug.profiler as xp"

_ZONE = re.compile(r"#\s*zone: (\w+)\s*$")
_CUTS = re.compile(r"\bsync\(")


@dataclass(frozen=True)
class Planted:
    """A program with a hazard in it.

    Attributes:
        text: The program.
        lines: The lines of the hazard.
        codes: Rules that may tell of it.
        hazard: What was planted.
    """

    text: str
    lines: range
    codes: frozenset[str]
    hazard: str


@dataclass(frozen=True)
class Place:
    """Behind this line, with this indentation, for this tensor."""

    line: int
    indentation: int
    tensor: str


def planted(program: Path, number: int) -> Planted:
    """The program with one hazard.

    Args:
        number: Which of all hazards at all places, in an order drawn once: no two numbers give the same.

    Raises:
        IndexError: there are not so many.
    """
    text = program.read_text(encoding="utf-8")
    every = [(place, hazard) for place in places(text) for hazard in HAZARDS]
    random.Random(program.name).shuffle(every)
    place, hazard = every[number]
    code = hazard.format(t=place.tensor).splitlines()
    lines = text.splitlines()
    lines[place.line : place.line] = [" " * place.indentation + line for line in code]
    # The docstring is the first line: places stay where they are.
    lines[1] = IMPORTS
    return Planted(
        "\n".join(lines) + "\n", range(place.line + 1, place.line + len(code) + 1), HAZARDS[hazard], hazard
    )


def places(text: str) -> Iterator[Place]:
    """All legal places of a program."""
    zones = {
        number: match[1]
        for number, line in enumerate(text.splitlines(), start=1)
        if (match := _ZONE.search(line))
    }
    for node in ast.walk(ast.parse(text)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            for index, statement in enumerate(block):
                body = getattr(statement, "body", None)
                head = range(statement.lineno, (body[0].lineno if body else statement.end_lineno + 1))
                tensor = next((zones[line] for line in head if line in zones), None)
                if tensor is not None:
                    yield from _in(body if body else block[index:], tensor)


def _in(block: list[ast.stmt], tensor: str) -> Iterator[Place]:
    known = False
    for statement in block:
        if _CUTS.search(ast.unparse(statement)) or isinstance(statement, ast.Return):
            return
        known = known or any(
            isinstance(name, ast.Name) and name.id == tensor and isinstance(name.ctx, ast.Store)
            for name in ast.walk(statement)
        )
        if known:
            yield Place(statement.end_lineno or statement.lineno, statement.col_offset, tensor)
