"""Where a file fills texts or sequences up to the longest of a batch: by a tokenizer, or in a collator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from xlalint.lazy.assumptions import assume
from xlalint.lazy.events import ShapeVaries
from xlalint.lazy.site import site_of
from xlalint.lazy.values import Form
from xlalint.program.outline import within, within_lines
from xlalint.spelling import spelling


def paddings(tree: ast.Module, text: str, path: str) -> Iterator[ShapeVaries]:
    """The calls that pad to the longest text, in the order of the source.

    Args:
        tree: The file.
        text: Its text: most files pad nothing.
        path: What the sites of the events name as their file.
    """
    tokenizes = _PADDED.search(text) is not None and any(name in text for name in _OF_TOKENIZERS)
    if not (tokenizes or _COLLATOR.search(text) or _SEQUENCES in text):
        return
    lines = [number for number, line in enumerate(text.split("\n"), 1) if _WORDS.search(line)]
    nodes = list(within_lines(tree, lines))
    around, collating = _functions_around(nodes), _collating(nodes)
    # Where texts may be of one length before, a collator has nothing to fill up.
    of_one_length = _OF_ONE_LENGTH.search(text) is not None
    calls = (node for node in nodes if isinstance(node, ast.Call))
    for call in sorted(calls, key=_place):
        function = around.get(call)
        if _pads_to_longest(call) or (not of_one_length and _collates_to_longest(call)):
            by = Form.PADDING
        elif function in collating and _name(call) == _SEQUENCES:
            by = Form.SEQUENCES
        else:
            continue
        if function is not None and _pads_again(function):
            continue
        shown = spelling(call)
        goes = assume(f"what `{shown}` returns goes to the device")
        yield ShapeVaries(site_of(path, call), goes, by, shown)


def _functions_around(nodes: list[ast.AST]) -> dict[ast.Call, ast.FunctionDef]:
    """The innermost function around each call; of nodes in which functions come before what they hold."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    return {
        inside: function
        for function in sorted(functions, key=_length, reverse=True)
        for inside in within(function)
        if isinstance(inside, ast.Call)
    }


def _collating(nodes: list[ast.AST]) -> set[ast.stmt]:
    """The functions that put a batch together, by their names or those of their classes."""
    named = [
        node
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and _COLLATES.search(node.name)
    ]
    return {each for node in named for each in (node.body if isinstance(node, ast.ClassDef) else [node])}


def _length(function: ast.FunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno


def _pads_again(function: ast.FunctionDef) -> bool:
    """Whether a function fills up by itself what was filled up to the longest before."""
    calls = (node for node in within(function) if isinstance(node, ast.Call))
    return any(_name(call) in _PADS and not _pads_to_longest(call) for call in calls)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _pads_to_longest(call: ast.Call) -> bool:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    padding = given.get("padding")
    if padding is None or "pad_to_multiple_of" in given:
        return False
    return _is_longest(padding) and not _OF_TOKENIZERS.isdisjoint(given)


def _collates_to_longest(call: ast.Call) -> bool:
    """Whether it makes a collator of transformers that pads: they do, unless they are told otherwise."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if _COLLATOR.fullmatch(_name(call)) is None or not given.keys().isdisjoint({"pad_to_multiple_of", None}):
        return False
    padding = given.get("padding")
    return bool(call.args or given) and (padding is None or _is_longest(padding))


def _is_longest(padding: ast.expr) -> bool:
    return isinstance(padding, ast.Constant) and (padding.value is True or padding.value == "longest")


def _place(call: ast.Call) -> tuple[int, int]:
    return call.lineno, call.col_offset


_PADDED: Final = re.compile(r"padding[ \t]*=")
_COLLATOR: Final = re.compile(
    r"DataCollator(?:WithPadding|ForTokenClassification|ForSeq2Seq|ForMultipleChoice)"
)
_SEQUENCES: Final = "pad_sequence"
_COLLATES: Final = re.compile("collat", re.IGNORECASE)
"""What puts a batch together goes by it."""
_PADS: Final = frozenset({"pad", "ConstantPad1d", "ConstantPad2d"})
_WORDS: Final = re.compile(rf"padding|{_COLLATOR.pattern}|{_SEQUENCES}")
_OF_ONE_LENGTH: Final = re.compile(r"[\"']max_length[\"']|pad_to_max_length")
_OF_TOKENIZERS: Final = frozenset(
    {"return_tensors", "truncation", "add_special_tokens", "return_attention_mask"}
)
"""What only tokenizers take beside `padding`."""
