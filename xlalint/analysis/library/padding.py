"""What fills the batches of a loader up to their longest sequence."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import Bound, Collator, Instance, Loader, Partial, Target, targets
from xlalint.lazy.assumptions import assume
from xlalint.lazy.site import Site
from xlalint.lazy.values import HOST, Form, Kind, Padded, Value
from xlalint.program.outline import Function, within
from xlalint.program.padding import (
    collates_to_longest,
    cuts_texts_to_any_length,
    fills_to_few_lengths,
    is_as_long_as_rows,
    is_of_any_length,
    is_of_one_length,
    padding_in,
)
from xlalint.spelling import spelling


def padded_of(loader: Value | None) -> Padded | None:
    """What fills the batches of a loader up to their longest sequence."""
    return loader.payload.padded if loader is not None and isinstance(loader.payload, Loader) else None


def padded_by(machine: Machine, collate: Value | None) -> Padded | None:
    """What fills up the batches that a function or an object puts together; None if nothing surely does."""
    if collate is None:
        return None
    if isinstance(collate.payload, Collator):
        return collate.payload.padded
    functions = list(_functions(machine, collate))
    found = [_padding(machine, function) for function in functions]
    return found[0] if found and all(found) else None


def _functions(machine: Machine, collate: Value) -> Iterator[Function]:
    """The functions of the project that are called."""
    if isinstance(held := collate.payload, Instance):
        methods = [
            None if isinstance(cls, str) else machine.classes.find_method(cls, "__call__") for cls in held.of
        ]
        yield from (method for method in methods if method is not None)
    for target in targets(collate):
        yield from _of_target(machine, target)


def _of_target(machine: Machine, target: Target) -> Iterator[Function]:
    if isinstance(target, Bound):
        yield target.function
    elif isinstance(target, Partial):
        yield from _functions(machine, target.target)


def _padding(machine: Machine, function: Function) -> Padded | None:
    """What a function fills up by, or one that it calls."""
    if fills_to_few_lengths(*_parts(machine, function)):
        return None
    ways = (_own_padding(machine, each) for each in (function, *_called(machine, function)))
    return next((way for way in ways if way is not None), None)


def _parts(machine: Machine, function: Function) -> tuple[ast.AST, ast.AST | None]:
    """The text of a function and that of the class that it is a method of."""
    machine.rest_on("text", *function.key)
    if function.owner is None:
        return function.node, None
    machine.rest_on("class", *function.owner.key)
    return function.node, function.owner.node


def _own_padding(machine: Machine, function: Function) -> Padded | None:
    parts = _parts(machine, function)
    found = padding_in(*parts)
    if found is None or fills_to_few_lengths(*parts):
        return None
    node, by = found
    if by is Form.PADDING and isinstance(node, ast.Call) and _is_of_tokens(node):
        machine.rest_on("whole", function.outline.file)
        if is_of_one_length(function.outline.text):
            return None
    return _padded(function.outline.site(node), node, by)


def _is_of_tokens(call: ast.Call) -> bool:
    """Whether it fills up what is tokens already, which may have been filled up before."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "pad"


def _called(machine: Machine, function: Function) -> Iterator[Function]:
    """The functions of its module, and methods of its class, that a function calls."""
    for node in within(function.node):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                value = machine.names.global_name(name, function.outline, function)
                for target in targets(value) if value is not None else ():
                    yield from _of_target(machine, target)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                method = None if function.owner is None else machine.classes.find_method(function.owner, name)
                if method is not None:
                    yield method


def _padded(site: Site, node: ast.expr, by: Form) -> Padded:
    return Padded((site,), by, assume(f"what `{spelling(node)}` fills up differs in length"))


def of_texts(call: Call) -> Padded | None:
    """What a tokenizer makes of texts that are others in each round; None if all are of one length."""
    if not isinstance(call.node, ast.Call) or call.open_ended:
        return None
    if not is_of_any_length(call.node, call.frame.around):
        return None
    return _padded(call.site, call.node, Form.PADDING)


def of_rows(call: Call) -> Padded | None:
    """What makes a tensor as long as the longest of rows that are others in each round of a loop."""
    if not isinstance(call.node, ast.Call) or not call.store.state.scopes.in_loop:
        return None
    if not is_as_long_as_rows(call.node, call.frame.around):
        return None
    return _padded(call.site, call.node, Form.SEQUENCES)


def _collator(machine: Machine, call: Call, by: Form = Form.PADDING) -> Value:
    """A collator of transformers."""
    if not isinstance(call.node, ast.Call) or call.open_ended:
        return HOST
    machine.rest_on("whole", call.frame.outline.file)
    if not collates_to_longest(call.node, call.frame.outline.text):
        return HOST
    return Value(Kind.HOST, payload=Collator(_padded(call.site, call.node, by)))


def _collator_of_samples(machine: Machine, call: Call) -> Value:
    """A collator of transformers that mostly has blocks of one length, and then nothing to fill up."""
    outline = call.frame.outline
    machine.rest_on("whole", outline.file)
    cut = cuts_texts_to_any_length(outline.tree, outline.text)
    return _collator(machine, call, Form.SAMPLES) if cut else HOST


EFFECTS: Final[dict[str, Effect]] = {
    "padding collator": _collator,
    "collator of samples": _collator_of_samples,
}
