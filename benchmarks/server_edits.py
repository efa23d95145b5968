"""Measure what an edit costs the language server: its CPU seconds from didChange to publishDiagnostics.

`benchmarks/server_edits.py FILE [EDITS]` opens a file of a real tree and edits it; nothing is written.
"""

from __future__ import annotations

import ast
import asyncio
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

import language_client
from language_client import Client, connected

language_client.PATIENCE = 600.0

KINDS = ("body", "import", "class")


class Edit(NamedTuple):
    """A line that is typed, and later taken away again.

    Args:
        kind: Where: in a function's body, among the imports, or in a class.
        line: 0-based.
    """

    kind: str
    line: int
    text: str


def edits(source: str, count: int) -> Iterator[Edit]:
    """Edits of a file as one makes them: most in bodies of functions, few of imports and classes."""
    chance = random.Random(1)
    bodies, classes = [], []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            bodies += [(each.lineno - 1, each.col_offset) for each in node.body]
        elif isinstance(node, ast.ClassDef):
            classes += [(each.lineno - 1, each.col_offset) for each in node.body[1:]]
    for number in range(count):
        if number % 20 == 0:
            yield Edit("import", 0, f"import json as json_{number}\n")
        elif number % 20 == 10:
            line, indent = chance.choice(classes)
            yield Edit("class", line, f"{' ' * indent}attribute_{number} = {number}\n")
        else:
            line, indent = chance.choice(bodies)
            yield Edit("body", line, f"{' ' * indent}local_{number} = {number}\n")


async def measure(path: Path, count: int) -> None:
    """Make the edits and print what they cost."""
    root = next(folder for folder in path.parents if (folder / "setup.py").exists())
    name = path.relative_to(root).as_posix()
    seconds: dict[str, list[float]] = defaultdict(list)
    async with connected(root) as client:
        client.open(name)
        await client.until(lambda: client.version(name) == 1)
        process = client.speaking._server
        assert process is not None
        print(f"opened: {used(process.pid):.1f} CPU seconds, {memory(process.pid)} MB")
        for number, edit in enumerate(edits(path.read_text(), count)):
            for text, over in ((edit.text, 0), ("", 1)):
                began = used(process.pid)
                await settled(client, name, edit.line, text, over)
                seconds[edit.kind].append(used(process.pid) - began)
            if number % 100 == 99:
                print(f"{number + 1} edits: {memory(process.pid)} MB")
    for kind in KINDS:
        found = sorted(seconds[kind])
        if found:
            middle, high = found[len(found) // 2], found[int(len(found) * 0.95)]
            times = f"median {middle * 1e3:.0f} ms, 95th percentile {high * 1e3:.0f} ms"
            print(f"{kind:<6} {len(found):>4} edits: {times}")


async def settled(client: Client, name: str, line: int, text: str, over: int) -> None:
    """Type a line, or take one away, and wait until the diagnostics of just that text are published."""
    place = types.Range(types.Position(line, 0), types.Position(line + over, 0))
    version = client.edit(name, types.TextDocumentContentChangePartial(place, text))
    await client.until(lambda: client.version(name) == version, pause=0.001)


def used(process: int) -> float:
    """The CPU seconds that a process has used, by its own clock."""
    return time.clock_gettime((~process << 3) | 2)


def memory(process: int) -> int:
    """What a process holds in memory, in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * 4096 >> 20


if __name__ == "__main__":
    asyncio.run(measure(Path(sys.argv[1]).absolute(), int(sys.argv[2]) if len(sys.argv) > 2 else 250))
