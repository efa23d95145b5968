"""What an editor shows beside the pointer: the rule of a diagnostic or suppression,
and what the model holds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from xlalint.diagnostic import Position, Range
from xlalint.registry import UnknownRule, find, names
from xlalint.rule import Rule
from xlalint.server.analysis import Checked, source_of
from xlalint.server.states import told_at
from xlalint.sources.suppressions import find_suppressions

if TYPE_CHECKING:
    from xlalint.server.server import Server


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """What is to be read at a place."""
    checked = await ls.checks.of(params.text_document.uri)
    part = None if checked is None else checked.snapshot.part(params.text_document.uri)
    if checked is None or part is None:
        return None
    place = ls.documents.units.place(params.position, part.line, part.above)
    told = [_page(rule) for rule in await ls.worker.do(partial(_rules_at, checked, place))]
    state = await told_at(ls, params.text_document.uri, place.line)
    told += [] if state is None else [state]
    if not told:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(told)))


def _rules_at(checked: Checked, place: Position) -> list[type[Rule[Any]]]:
    codes = [found.code for found in checked.diagnostics if _holds(found.range, place)]
    return [*dict.fromkeys(_found((*codes, *_suppressed_at(checked, place))))]


def _suppressed_at(checked: Checked, place: Position) -> Iterator[str]:
    """What the suppression at a place names."""
    if "#" not in checked.snapshot.part_at(place.line).line(place.line):
        return
    for suppression in find_suppressions(source_of(checked.snapshot), names()).all:
        if _holds(suppression.place, place):
            yield from suppression.selectors


def _found(selectors: tuple[str, ...]) -> Iterator[type[Rule[Any]]]:
    for selector in selectors:
        try:
            yield find(selector)
        except UnknownRule:
            continue


def _page(rule: type[Rule[Any]]) -> str:
    return f"# [{rule.code} {rule.name}]({rule.url()})\n\n{rule.documentation()}"


def _holds(place: Range, position: Position) -> bool:
    return place.start <= position <= place.end
