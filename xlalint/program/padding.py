"""What fills texts or sequences up to the longest of a batch: a tokenizer, a collator, or code by hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from xlalint.lazy.values import Form
from xlalint.program.outline import last_name, within
from xlalint.remembering import remembered


@remembered(1024)
def padding_in(function: ast.AST, owner: ast.AST | None = None) -> tuple[ast.expr, Form] | None:
    """What in a function that puts a batch together fills it up to its longest; None if nothing does.

    Args:
        function: Where to look.
        owner: The class that it is a method of, whose fields may say how to pad.
    """
    nodes = list(within(function))
    named = _named(nodes)
    for call in _calls(nodes):
        if pads_to_longest(call, owner):
            return call, Form.PADDING
        if last_name(call.func) == _SEQUENCES or _is_as_long(call, named):
            return call, Form.SEQUENCES
    lists = (node for node in nodes if isinstance(node, ast.BinOp) and _is_filled(node, named))
    return next(((node, Form.SEQUENCES) for node in lists), None)


@remembered(1024)
def fills_to_few_lengths(function: ast.AST, owner: ast.AST | None = None) -> bool:
    """Whether a function fills up to one length, or to one of a few, whatever else it does."""
    nodes = list(within(function))
    named = _named(nodes)
    for call in _calls(nodes):
        if last_name(call.func) in _ROUNDS or any(_is_one_length(keyword) for keyword in call.keywords):
            return True
        if _pads(call) and not (pads_to_longest(call, owner) or _is_as_long(call, named)):
            return True
    return False


def _is_one_length(keyword: ast.keyword) -> bool:
    given = keyword.value
    return keyword.arg == "padding" and isinstance(given, ast.Constant) and given.value == "max_length"


def _calls(nodes: list[ast.AST]) -> list[ast.Call]:
    """The calls among some nodes, in the order of the source."""
    return sorted((node for node in nodes if isinstance(node, ast.Call)), key=_place)


def _pads(call: ast.Call) -> bool:
    """Whether it fills up by a function of a library."""
    of_self = isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "self"
    return last_name(call.func) in _PADS and not of_self


def pads_to_longest(call: ast.Call, owner: ast.AST | None) -> bool:
    """Whether it calls a tokenizer that pads to the longest text, in a method of `owner`."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if "pad_to_multiple_of" in given or _OF_TOKENIZERS.isdisjoint(given):
        return False
    padding = given.get("padding")
    if padding is None:
        return isinstance(call.func, ast.Attribute) and call.func.attr == "pad" and None not in given
    return _is_longest(_field(padding, owner) or padding)


def _field(node: ast.expr, owner: ast.AST | None) -> ast.expr | None:
    """What a field of a class is unless somebody sets it: `padding: bool = True` for `self.padding`."""
    match node, owner:
        case ast.Attribute(value=ast.Name(id="self"), attr=name), ast.ClassDef(body=body):
            for statement in body:
                match statement:
                    case ast.AnnAssign(target=ast.Name(id=field), value=ast.expr() as value) if field == name:
                        return value
    return None


def is_of_any_length(call: ast.Call, around: ast.AST) -> bool:
    """Whether it calls a tokenizer with texts of any length, which are others in each round of a loop.

    Args:
        around: The function or module that it stands in.
    """
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    padding = given.get("padding")
    if "pad_to_multiple_of" in given or None in given or not call.args:
        return False
    if padding is not None and not (_is_longest(padding) or getattr(padding, "value", True) is False):
        return False
    of_rounds = _bound_in_loops_around(call, around)
    return any(isinstance(node, ast.Name) and node.id in of_rounds for node in ast.walk(call.args[0]))


def _bound_in_loops_around(call: ast.Call, around: ast.AST) -> set[str]:
    """The names that the loops around a call bind."""
    loops = [
        node
        for node in within(around)
        if isinstance(node, _LOOPS) and node.lineno <= call.lineno <= (node.end_lineno or node.lineno)
    ]
    return {
        node.id
        for loop in loops
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


@remembered(1024)
def is_as_long_as_rows(call: ast.Call, around: ast.AST) -> bool:
    """Whether it makes what is as long as the longest of some rows, which are others in each round of a loop.

    Args:
        around: The function or module that it stands in.
    """
    nodes = list(within(around))
    if not _is_as_long(call, _named(nodes)) or fills_to_few_lengths(around):
        return False
    of_rounds = _bound_in_loops_around(call, around)
    return any(
        isinstance(node, ast.Name) and node.id in of_rounds
        for lengths in filter(_is_lengths, nodes)
        for rows in _measured(lengths)
        for node in ast.walk(rows)
    )


def _measured(lengths: ast.AST) -> list[ast.expr]:
    """What some lengths are those of: `rows` in `[len(row) for row in rows]`."""
    match lengths:
        case ast.GeneratorExp(generators=generators) | ast.ListComp(generators=generators):
            return [each.iter for each in generators]
        case ast.Call(args=[_, rows]):
            return [rows]
    return []


def collates_to_longest(call: ast.Call, text: str) -> bool:
    """Whether a collator of transformers, made in a file, pads: they do, unless they are told otherwise.

    Where texts may be of one length before, it has nothing to fill up.
    """
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if not given.keys().isdisjoint({"pad_to_multiple_of", None}) or is_of_one_length(text):
        return False
    padding = given.get("padding")
    return padding is None or _is_longest(padding)


@remembered(64)
def cuts_texts_to_any_length(tree: ast.Module, text: str) -> bool:
    """Whether a file makes its samples of texts that are only cut off where they are too long.

    Where it puts them together to blocks, all are of one length.
    """
    if is_of_one_length(text) or _OF_BLOCKS.search(text) is not None:
        return False
    nodes = within(tree)
    if any(isinstance(node, ast.Slice) and _is_block(node) for node in nodes):
        return False
    return any(_only_cuts(call) for call in nodes if isinstance(call, ast.Call))


def _is_block(part: ast.Slice) -> bool:
    """Whether it takes as much as another number says: `[start : start + length]`."""
    match part:
        case ast.Slice(lower=ast.Name(id=start), upper=ast.BinOp(ast.Name(id=again), ast.Add(), _)):
            return start == again
    return False


def _only_cuts(call: ast.Call) -> bool:
    """Whether it calls a tokenizer for samples, and says nothing of how to fill up."""
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    truncation, padding = given.get("truncation"), given.get("padding")
    if not {"pad_to_multiple_of", "return_tensors", None}.isdisjoint(given) or not call.args:
        return False
    if not isinstance(truncation, ast.Constant) or truncation.value is not True:
        return False
    return padding is None or _is_longest(padding) or getattr(padding, "value", True) is False


def is_of_one_length(text: str) -> bool:
    """Whether a file has texts filled up to one length."""
    return _OF_ONE_LENGTH.search(text) is not None


class _Named(NamedTuple):
    """Names of a function for the lengths of rows, and those for nothing but the length of the longest."""

    lengths: frozenset[str]
    longest: frozenset[str]


def _named(nodes: list[ast.AST]) -> _Named:
    bound = [
        (target.id, node.value)
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    lengths = frozenset(name for name, value in bound if any(map(_is_lengths, ast.walk(value))))
    others = {name for name, value in bound if not _is_longest_length(value, lengths)}
    return _Named(lengths, frozenset(name for name, _ in bound) - others)


def _is_longest_length(node: ast.AST, lengths: frozenset[str]) -> bool:
    """Whether it is `max(len(row) for row in rows)`, or one of its kind."""
    match node:
        case ast.Call(func=ast.Name(id="max") | ast.Attribute(attr="max"), args=[given]):
            return _is_lengths(given) or (isinstance(given, ast.Name) and given.id in lengths)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="max"), args=[]):
            return name in lengths
        case ast.Call(func=ast.Name(id="int"), args=[given]):
            return _is_longest_length(given, lengths)
        case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[]):
            return _is_longest_length(inner, lengths)
        case ast.Call(func=ast.Name(id="min"), args=[first, second]):
            return _is_longest_length(first, lengths) or _is_longest_length(second, lengths)
    return False


def _is_lengths(node: ast.AST) -> bool:
    """Whether it goes over the lengths of rows: `[len(row) for row in rows]`, `map(len, rows)`."""
    match node:
        case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each):
            return _is_length(each)
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="len"), _]):
            return True
    return False


def _is_length(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len")) | ast.Call(func=ast.Attribute(attr="size")):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
    return False


def _is_as_long(call: ast.Call, named: _Named) -> bool:
    """Whether it makes, or fills up, what is as long as the longest; a few lengths are found by dividing."""
    if last_name(call.func) not in _MAKES:
        return False
    given = [node for each in (*call.args, *call.keywords) for node in _computed(each)]
    return not any(isinstance(node, ast.FloorDiv | ast.Mod) for node in given) and any(
        (isinstance(node, ast.Name) and node.id in named.longest) or _is_longest_length(node, named.lengths)
        for node in given
    )


def _computed(node: ast.AST) -> Iterator[ast.AST]:
    """What a number is computed of, in sight: what a function makes of others may be one of a few lengths."""
    yield node
    if not isinstance(node, ast.Call) or last_name(node.func) in _IN_SIGHT:
        for part in ast.iter_child_nodes(node):
            yield from _computed(part)


def _is_filled(node: ast.BinOp, named: _Named) -> bool:
    """Whether it is what fills a list up: `[0] * (longest - len(row))`."""
    match node:
        case ast.BinOp(left=ast.List(), op=ast.Mult(), right=ast.BinOp(ast.Name(id=name), ast.Sub(), _)):
            return name in named.longest
    return False


def _is_longest(padding: ast.expr) -> bool:
    return isinstance(padding, ast.Constant) and (padding.value is True or padding.value == "longest")


def _place(call: ast.Call) -> tuple[int, int]:
    return call.lineno, call.col_offset


_LOOPS: Final = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SEQUENCES: Final = "pad_sequence"
_PADS: Final = frozenset({"pad", "ConstantPad1d", "ConstantPad2d"})
_MAKES: Final = frozenset(
    {"pad", "zeros", "ones", "full", "empty", "new_zeros", "new_ones", "new_full", "new_empty"}
)
_IN_SIGHT: Final = frozenset({"int", "max", "min", "Size", "tuple"})
"""Functions that give one of the numbers that they are given."""
_ROUNDS: Final = frozenset(
    {"ceil", "next_power_of_2", "bisect", "bisect_left", "bisect_right", "searchsorted"}
)
"""What finds one of a few lengths."""
_OF_ONE_LENGTH: Final = re.compile(r"[\"']max_length[\"']|pad_to_max_length")
_OF_BLOCKS: Final = re.compile(r"block|chunk|chain\(|pack(?:ed|ing)|return_overflowing_tokens|ConstantLength")
"""Words of files that make samples of one length of many texts."""
_OF_TOKENIZERS: Final = frozenset(
    {"return_tensors", "truncation", "add_special_tokens", "return_attention_mask"}
)
"""What only tokenizers take beside `padding`."""
