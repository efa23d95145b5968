"""How deep a text nests, as far as its tokens tell: asked before a parser that would not survive it."""

from __future__ import annotations

import re
from typing import Final

_BRACKET: Final = 5
_BACKTRACKING: Final = 200
"""Brackets weigh more than what stands between them, and most where a parser tries each twice."""

_TOKEN: Final = re.compile(
    r"""(?P<line> (?:\r\n|\r|\n) (?P<indent>[ \t\f]*) )
    | (?P<skipped> \#[^\r\n]* | \\(?:\r\n|\r|\n) )
    | (?: \b[a-zA-Z]{1,2} )? (?:
          '{3} (?:[^\\]|\\.)*? (?:'{3}|\Z) | "{3} (?:[^\\]|\\.)*? (?:"{3}|\Z)
        | ' (?:[^\\\r\n']|\\.)* '? | " (?:[^\\\r\n"]|\\.)* "? )
    | \w+
    | \S""",
    re.VERBOSE | re.DOTALL,
)


def nesting(text: str) -> int:
    """At least the depth of the syntax tree of `text`, but for the blocks it is indented by.

    Every token may nest what follows: an operator, a call, one of adjacent strings, a conditional. So
    tokens are counted from one comma to the next, over all open brackets, and so are `elif` branches.
    """
    deepest, depth, chained = 0, 0, 0
    levels = [_Level(0)]
    branches: dict[int, int] = {}
    indent: int | None = 0  # of the line that begins here
    weight = _BRACKET
    for match in _TOKEN.finditer("\n" + text):
        token = match[0]
        if match["skipped"] is not None:
            continue
        if match["line"] is not None:
            if len(levels) == 1:
                indent, depth, levels = len(match["indent"]), 0, [_Level(0)]
            continue
        if indent is not None:
            goes_on = token in ("elif", "else")
            branches = {at: n for at, n in branches.items() if at < indent or (goes_on and at == indent)}
            if token == "elif":
                branches[indent] = branches.get(indent, 0) + 1
            chained = sum(branches.values())
            weight = _BACKTRACKING if token in ("case", "del") else _BRACKET
            indent = None
        level = levels[-1]
        if token in (",", ";") and not level.open:
            depth -= level.tokens
            level.tokens = 0
            continue
        if token in (")", "]", "}") and len(levels) > 1:
            depth -= levels.pop().all
            level = levels[-1]
        level.tokens += 1
        depth += 1
        if token in ("(", "[", "{"):
            levels.append(_Level(weight))
            depth += weight
        elif token in ("lambda", "for"):
            level.open += 1
        elif token in (":", "in") and level.open:
            level.open -= 1
        deepest = max(deepest, depth + chained)
    return deepest


class _Level:
    """A bracket that is open, or the line itself.

    Attributes:
        tokens: How many tokens there are since the last comma.
        open: How many parameters of lambdas and targets of comprehensions are not complete; their
            commas end nothing.
    """

    __slots__ = ("_weight", "open", "tokens")

    def __init__(self, weight: int) -> None:
        self._weight = weight
        self.tokens = 0
        self.open = 0

    @property
    def all(self) -> int:
        """What the bracket adds to the depth, with what is in it."""
        return self._weight + self.tokens
