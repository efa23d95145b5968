"""Iterators that a loop draws from until they are spent, without going over them."""

from __future__ import annotations

import ast

from xlalint.program.outline import dotted, within
from xlalint.remembering import remembered


@remembered(1024)  # asked in each context of the function that holds the loop
def drawn_to_the_end(loop: ast.For | ast.AsyncFor | ast.While) -> tuple[str, ...]:
    """The names of iterators of which a loop takes the next thing, and says what to do after the last one."""
    found = {
        dotted(call.args[0])
        for statement in loop.body
        for attempt in within(statement)
        if isinstance(attempt, ast.Try) and any(map(_is_for_the_end, attempt.handlers))
        for tried in attempt.body
        for call in within(tried)
        if isinstance(call, ast.Call) and len(call.args) == 1 and dotted(call.func) == "next"
    }
    return tuple(sorted(found - {""}))


def _is_for_the_end(handler: ast.ExceptHandler) -> bool:
    return handler.type is not None and any(
        dotted(each) == "StopIteration"
        for each in (handler.type.elts if isinstance(handler.type, ast.Tuple) else (handler.type,))
    )
