"""Where a file tells a tokenizer to fill texts up to the longest of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xlalint.analysis.outline import within_lines
from xlalint.lazy.assumptions import assume
from xlalint.lazy.events import Form, ShapeVaries
from xlalint.lazy.site import site_of
from xlalint.spelling import spelling


def paddings(tree: ast.Module, text: str, path: str) -> Iterator[ShapeVaries]:
    """The calls that pad to the longest text, in the order of the source.

    Args:
        tree: The file.
        text: Its text: most files pad nothing.
        path: What the sites of the events name as their file.
    """
    if _PADDED.search(text) is None or not any(name in text for name in _OF_TOKENIZERS):
        return
    lines = [number for number, line in enumerate(text.split("\n"), 1) if "padding" in line]
    nodes = within_lines(tree, lines)
    calls = (node for node in nodes if isinstance(node, ast.Call) and _pads_to_longest(node))
    for call in sorted(calls, key=_place):
        shown = spelling(call)
        goes = assume(f"what `{shown}` returns goes to the device")
        yield ShapeVaries(site_of(path, call), goes, Form.PADDING, shown)


def _pads_to_longest(call: ast.Call) -> bool:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    padding = given.get("padding")
    if not isinstance(padding, ast.Constant) or "pad_to_multiple_of" in given:
        return False
    longest = padding.value is True or padding.value == "longest"
    return longest and not _OF_TOKENIZERS.isdisjoint(given)


def _place(call: ast.Call) -> tuple[int, int]:
    return call.lineno, call.col_offset


_PADDED = re.compile(r"padding[ \t]*=")
_OF_TOKENIZERS = frozenset({"return_tensors", "truncation", "add_special_tokens", "return_attention_mask"})
"""What only tokenizers take beside `padding`."""
