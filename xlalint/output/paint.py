"""Lines of styled text, written with colours or without."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """A piece of a line. `style` is one of rich's, such as `bold red`; empty: plain."""

    text: str
    style: str = ""
    link: str = ""


Line = list[Span]

GUTTER = "blue"
FAINT = "dim"
STRONG = "bold"


def plain(text: str) -> Line:
    """A line without styles."""
    return [Span(text)]


def paint(lines: Iterable[Line], *, colored: bool, linked: bool = False) -> str:
    """The lines as one text, each with its line end.

    Args:
        colored: Whether to write the styles, as sequences that terminals understand.
        linked: Whether to write the links too, which only terminals themselves hide.
    """
    if not colored:
        return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)
    # Only colours need rich, whose import is a good part of a short run.
    from rich.console import Console
    from rich.text import Text

    buffer = io.StringIO()
    console = Console(
        file=buffer, force_terminal=True, no_color=False, color_system="standard", legacy_windows=False
    )
    for line in lines:
        text = Text()
        for span in line:
            text.append(span.text, f"{span.style} link {span.link}" if linked and span.link else span.style)
        console.print(text, soft_wrap=True)
    return buffer.getvalue()


def wrap(head: Line, text: Span, indent: int, columns: int) -> Iterator[Line]:
    """`head` followed by the words of `text`, on as many lines as it takes.

    Code in backticks counts as one word. A word that is wider than a line stays whole.

    Args:
        indent: How far every line but the first is indented.
        columns: How wide a line may be.
    """
    first, *words = _WORD.findall(text.text) or [""]
    row, room = first, columns - sum(width(span.text) for span in head)
    for word in words:
        longer = f"{row} {word}"
        if width(longer) <= room:
            row = longer
            continue
        yield [*head, text._replace(text=row)]
        head, row, room = [Span(" " * indent)], word, columns - indent
    yield [*head, text._replace(text=row)]


def show_control(text: str) -> str:
    """The text without characters that would steer the terminal or reorder what is read."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_harmless(character) for character in text)


def width(text: str) -> int:
    """How many columns a terminal gives the text."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


_WORD = re.compile(r"(?:`[^`]*`|\S)+")
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _harmless(character: str) -> str:
    if character < " ":
        return chr(0x2400 + ord(character))
    if character in _REORDERING or "\x7f" <= character < "\xa0" or "\ud800" <= character <= "\udfff":
        return "\N{REPLACEMENT CHARACTER}"
    return character
