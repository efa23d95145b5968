"""Which rules there are, and which of them a user has selected."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from xlalint import plugins
from xlalint.lazy.events import Event
from xlalint.rule import Rule, Stage

ALL = "ALL"
_UNREADABLE = "XLA000"


class UnknownRule(ValueError):
    """A selector names no rule."""


@cache
def all_rules() -> tuple[type[Rule[Any]], ...]:
    """Every rule of every installed rule package, by code.

    Raises:
        ValueError: two rules share a code or a name.
    """
    found: dict[str, type[Rule[Any]]] = {}
    names: set[str] = set()
    for entry in plugins.entries(plugins.RULES):
        package = entry.load()
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            for rule in vars(importlib.import_module(module.name)).values():
                # The cheap question first: asking an abstract class for its subclasses is slow.
                if not isinstance(rule, type) or rule.__module__ != module.name:
                    continue
                if not issubclass(rule, Rule):
                    continue
                if rule.code in found or rule.name in names:
                    raise ValueError(f"two rules share the code {rule.code} or the name {rule.name}")
                found[rule.code] = rule
                names.add(rule.name)
    return tuple(found[code] for code in sorted(found))


@cache
def names() -> frozenset[str]:
    """The names of all rules, former ones too."""
    return frozenset(name for rule in all_rules() for name in (rule.name, *rule.aliases))


@cache
def guarded_events() -> frozenset[type[Event]]:
    """The kinds of events that the installed guard emits; none where it is not installed."""
    for entry in plugins.entries(plugins.GUARD):
        if entry.name == "events":
            emitted: frozenset[type[Event]] = entry.load()
            return emitted
    return frozenset()


def is_guarded(rule: type[Rule[Any]]) -> bool:
    """Whether the guard sees all that the rule judges but for what only the source tells, so that the rule
    works there too."""
    events = set(rule.events).difference(rule.by_reading)
    return bool(events) and not rule.of_text and guarded_events() >= events


def find(selector: str) -> type[Rule[Any]]:
    """The one rule with this code, name or former name.

    Raises:
        UnknownRule: there is none; the message suggests the nearest.
    """
    for rule in all_rules():
        if _is_named(rule, selector):
            return rule
    raise UnknownRule(_unknown(selector))


def nearest(selector: str) -> str | None:
    """The code or name of a rule that may have been meant."""
    import difflib

    words = [word for rule in all_rules() for word in (rule.code, rule.name)]
    return next(iter(difflib.get_close_matches(selector, words, n=1)), None)


def expand(selector: str) -> list[type[Rule[Any]]]:
    """The rules that a code, a prefix of codes, a name or `ALL` selects.

    Raises:
        UnknownRule: it selects none; the message suggests the nearest.
    """
    if selector == ALL:
        return list(all_rules())
    chosen = [
        rule
        for rule in all_rules()
        if rule.code.startswith(selector.upper()) or selector in (rule.name, *rule.aliases)
    ]
    if not chosen or not selector:
        raise UnknownRule(_unknown(selector))
    return chosen


def select(
    chosen: Sequence[str] | None, ignored: Iterable[str], extended: Iterable[str], *, preview: bool
) -> list[type[Rule[Any]]]:
    """The rules that a user has selected. The more specific selector wins, as users of ruff expect.

    XLA000 is always among them unless it is ignored by its own code or name: a file in which nothing
    can be found must not look like one in which nothing is wrong.

    Args:
        chosen: What to select instead of the rules that are on by default; None: those.
        ignored: What to leave out.
        extended: What to add.
        preview: Whether rules in preview may be selected.
    """
    ignored = tuple(ignored)
    weight: dict[type[Rule[Any]], tuple[int, bool]] = {}
    if chosen is None:
        weight = {rule: (-1, True) for rule in all_rules() if rule.enabled}
    for selectors, wanted in ((chosen or (), True), (extended, True), (ignored, False)):
        for selector in selectors:
            rank = 0 if selector == ALL else len(selector)
            for rule in expand(selector):
                if rank > weight.get(rule, (-2, True))[0] or (rank == weight[rule][0] and not wanted):
                    weight[rule] = (rank, wanted)

    def is_selected(rule: type[Rule[Any]]) -> bool:
        if rule.code == _UNREADABLE:
            return not any(_is_named(rule, selector) for selector in ignored)
        return weight.get(rule, (0, False))[1] and (preview or rule.stage is not Stage.PREVIEW)

    return [rule for rule in all_rules() if is_selected(rule)]


def _is_named(rule: type[Rule[Any]], selector: str) -> bool:
    return selector.upper() in (name.upper() for name in (rule.code, rule.name, *rule.aliases))


def _unknown(selector: str) -> str:
    near = nearest(selector)
    hint = f"did you mean {near}?" if near else "run `xlalint rules` to list all rules"
    return f"unknown rule {selector!r}; {hint}"
