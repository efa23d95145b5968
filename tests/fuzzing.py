"""Programs that nobody would write, made of those that somebody did: the same for the same seed."""

from __future__ import annotations

import ast
import random
import re
import time
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fixture_programs import FIXTURES
from interpreter_programs import FOLDER
from xlalint.checker import Report, check
from xlalint.output import json, text
from xlalint.settings import SettingsFinder

MOST_SECONDS = 2.0
"""No input may take more CPU time than this."""
_LARGEST = 12_000
_TOKEN = re.compile(r"\w+|[ \t]+|\n|[^\w\s]")
_STRANGE = ["\x00", "\x0c", "\r", "\u2028", "\ufeff", "\ud800", "é", "\U0001f600", "\\", "'''", '"', "(", "]"]
_AROUND = [
    "for again in things:", "while True:", "if maybe():", "with torch_xla.step():", "with maybe() as scope:",
    "try:", "def inner(*args, **kwargs):", "class Inner(maybe()):", "async def later():",
    "match thing:\n case _:",
]  # fmt: skip
_NEWER = "type Newer = int\n"


class Failure(NamedTuple):
    """What went wrong with one input; `replay` makes the same input again."""

    seed: int
    reason: str


@lru_cache
def programs() -> list[str]:
    """What inputs are made of."""
    paths = sorted([*FIXTURES.rglob("*.py"), *FOLDER.rglob("*.py")])
    texts = (path.read_bytes().decode("utf-8", errors="replace") for path in paths)
    return [text for text in texts if len(text) <= _LARGEST]


def text_of(seed: int) -> str:
    """The input that a seed stands for."""
    chance = random.Random(seed)
    # Of several the shortest: what goes wrong mostly does so in small programs too, and they cost less.
    text = min(chance.sample(programs(), 4), key=len)
    stays_valid = chance.random() < 0.7
    for _ in range(chance.randint(1, 5)):
        changed = chance.choice(_CHANGES)(text, chance)[: 2 * _LARGEST]
        if not stays_valid or _tree(changed) is not None:
            text = changed
    if "torch_xla" not in text:
        text = "import torch_xla\n" + text
    return text


def run(seed: int, folder: Path) -> Failure | None:
    """Check the input of a seed; nothing where all is well."""
    written = text_of(seed)
    path = folder / "fuzzed.py"
    texts = {str(path): written.encode("utf-8", errors="surrogatepass")}
    for _ in range(2):  # the first time, a process with many tests behind it may collect their garbage
        began = time.process_time()
        try:
            report = check([path], _settings(), texts=texts)
            json.render(report.diagnostics, report.sources)
            for _ in text.full(report.diagnostics, report.sources, 100):
                pass
        except Exception as error:  # what an input may bring about is the question
            return Failure(seed, f"{type(error).__name__}: {error}")
        seconds = time.process_time() - began
        if seconds <= MOST_SECONDS:
            break
    else:
        return Failure(seed, f"it took {seconds:.1f} s")
    outside = _outside(report)
    return Failure(seed, outside) if outside else None


@lru_cache
def _settings() -> SettingsFinder:
    return SettingsFinder(isolated=True, given={"select": ("ALL",), "preview": True})


def _outside(report: Report) -> str:
    """Which diagnostic does not lie inside its file."""
    for diagnostic in report.diagnostics:
        for path, place in [
            (diagnostic.path, diagnostic.range),
            *((r.path, r.range) for r in diagnostic.related),
        ]:
            source = report.sources.get(path)
            if source is None:
                continue
            for position in (place.start, place.end):
                known = 1 <= position.line <= len(source.lines)
                if not known or not 1 <= position.column <= len(source.line(position.line)) + 1:
                    return f"{diagnostic.code} stands at {position}, outside {path}"
    return ""


def _tree(text: str) -> ast.Module | None:
    """The syntax tree of a program that is valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


Change = Callable[[str, random.Random], str]


def _change_tokens(text: str, chance: random.Random) -> str:
    """Delete, double or swap a few tokens."""
    tokens = _TOKEN.findall(text)
    for _ in range(chance.randint(1, 5)):
        if len(tokens) < 3:
            break
        at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(3):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[at])
            case _:
                tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def _change_lines(text: str, chance: random.Random) -> str:
    """Delete, double, move or indent a few lines."""
    lines = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 4)):
        if len(lines) < 2:
            break
        at = chance.randrange(len(lines))
        match chance.randrange(4):
            case 0:
                del lines[at]
            case 1:
                lines.insert(chance.randrange(len(lines)), lines[at])
            case 2:
                lines[at] = "    " + lines[at]
            case _:
                lines[at] = lines[at].removeprefix("    ")
    return "".join(lines)


def _splice(text: str, chance: random.Random) -> str:
    """Put a stretch of another program between two lines."""
    lines = text.splitlines(keepends=True)
    other = chance.choice(programs()).splitlines(keepends=True)
    begin = chance.randrange(len(other) or 1)
    at = chance.randrange(len(lines) or 1)
    return "".join([*lines[:at], *other[begin : begin + chance.randint(1, 40)], *lines[at:]])


def _nest(text: str, chance: random.Random) -> str:
    """Put a statement into a loop, a scope, a function ..., perhaps many times."""
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    at = chance.randrange(len(lines))
    blank = re.match(r"[ \t]*", lines[at])
    indent = blank[0] if blank is not None else ""
    made: list[str] = []
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        for header in chance.choice(_AROUND).split("\n"):
            made.append(indent + header)
            indent += " "
    tried = [line.replace("try:", "except Exception: pass") for line in reversed(made) if "try:" in line]
    nested = [*made, indent + lines[at].strip(), *tried]
    return "".join([*lines[:at], *(line + "\n" for line in nested), *lines[at + 1 :]])


def _collide(text: str, chance: random.Random) -> str:
    """Give one name to what had another."""
    names = sorted(set(re.findall(r"\b[A-Za-z_]\w*", text)))
    if len(names) < 2:
        return text
    one, other = chance.sample(names, 2)
    return re.sub(rf"\b{one}\b", other, text)


def _exchange_expressions(text: str, chance: random.Random) -> str:
    """Replace expressions by others of the program; it stays a program."""
    tree = _tree(text)
    if tree is None:
        return text
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    ]
    changed = text
    for _ in range(chance.randint(1, 4) if found else 0):
        old, new = ast.get_source_segment(text, chance.choice(found)), ast.unparse(chance.choice(found))
        if old:
            changed = changed.replace(old, f"({new})", 1)
    return changed


def _strew(text: str, chance: random.Random) -> str:
    """Put strange characters anywhere."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(_STRANGE) + text[at:]
    return text


def _make_newer(text: str, chance: random.Random) -> str:
    """Add syntax that older Pythons do not know, so that another parser is asked."""
    return _NEWER + text


_CHANGES: list[Change] = [
    _change_tokens, _change_lines, _splice, _nest, _nest, _collide, _collide, _exchange_expressions,
    _exchange_expressions, _strew, _make_newer,
]  # fmt: skip
