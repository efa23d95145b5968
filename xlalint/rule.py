"""What a rule is, and what it may see: events and the state they happened in."""

from __future__ import annotations

import inspect
import re
import typing
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from xlalint.cure import Cure
from xlalint.diagnostic import Severity
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both
from xlalint.lazy.events import Event
from xlalint.lazy.scopes import Scope, Split
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import View
from xlalint.versions import VersionRange

DOCUMENTATION = "https://github.com/xlalint/xlalint/blob/main/docs/rules"

E = TypeVar("E", bound=Event)


class Stage(Enum):
    """How settled a rule is; preview rules need `--preview`."""

    PREVIEW = "preview"
    STABLE = "stable"
    DEPRECATED = "deprecated"


class Later(NamedTuple):
    """A place that a finding speaks of beside its own and the calls that lead there, mostly a later one, and
    what happens there, as a sentence without its end."""

    site: Site
    what: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of one event; `judging` gives it a place and makes a diagnostic of it.

    Args:
        rule: Who says it.
        path: Call sites from the event's own function down to the place it is about.
        owner: The scope or rank test that makes the event a hazard: the diagnostic stands in the
            function that opened it. None: in the event's own function.
        assumes: What it takes for granted: nothing is *definite*, one thing *likely*, more stays silent.
        since: Where the pending work was recorded. It takes the place of `{since}` in message and
            help, and the owner's line that of `{owner}`.
        cures: What would mend it, the best first.
        later: What comes later and makes a hazard of it, or comes too late; or what else it rests on. Its
            line takes the place of `{later}` in the message.
    """

    rule: type[Rule[Any]]
    severity: Severity
    path: Path
    message: str
    help: str
    assumes: Assumptions
    owner: Scope | Split | None = None
    since: tuple[Site, ...] = ()
    cures: tuple[Cure, ...] = ()
    later: Later | None = None


class Rule(ABC, Generic[E]):
    """One hazard. A rule judges events of the kinds it is declared with and remembers nothing.

    `class HostReadInStep(Rule[HostRead])` judges host reads, `Rule[Cut | LoopLeft]` cuts and ends of
    loops. The docstring is the documentation; its headings are What it does, Why is this bad?,
    Example, Use instead, Fix safety, On the engine, References.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    events: ClassVar[tuple[type[Event], ...]] = ()
    """The kinds of events that the rule judges: those of its declaration."""
    enabled: ClassVar[bool] = True
    """Whether the rule is on by default."""
    of_text: ClassVar[bool] = False
    """Whether it is about how the source is written: while a program runs there is nothing to say."""
    by_reading: ClassVar[tuple[type[Event], ...]] = ()
    """Events of which only the source tells: while a program runs, the rule judges by the others."""
    of_runs: ClassVar[bool] = False
    """Whether only a running program shows it: of its source there is nothing to say."""
    only_definite: ClassVar[bool] = False
    """Whether it says only what rests on no assumption, as no public code has shown an alarm of it yet."""
    raises: ClassVar[bool] = False
    """Whether the program raises at the place: what is wrong below shows when that is mended."""
    since: ClassVar[str] = "0.1"
    stage: ClassVar[Stage] = Stage.STABLE
    aliases: ClassVar[tuple[str, ...]] = ()
    """Former codes and names of this rule."""
    behind: ClassVar[tuple[str, ...]] = ()
    """Codes of rules that speak where this one would find the same once theirs is mended."""
    yields_to: ClassVar[tuple[str, ...]] = ()
    """Codes of rules that say more about the same place: this rule stays silent there."""

    def __init__(self, target: VersionRange) -> None:
        """Args: target: the versions of torch_xla that the user's code must run on."""
        self.target = target

    def __init_subclass__(cls) -> None:
        for base in getattr(cls, "__orig_bases__", ()):
            if typing.get_origin(base) is Rule:
                (declared,) = typing.get_args(base)
                cls.events = typing.get_args(declared) or (declared,)

    @abstractmethod
    def judge(self, event: E, state: View) -> Iterator[Finding]:
        """Yield what there is to say of `event`."""

    def finding(
        self, event: E, message: str, *, help: str, owner: Scope | Split | None = None,
        assumes: Assumptions = assumptions.NONE, severity: Severity | None = None,
        since: tuple[Site, ...] = (), at: Site | None = None, cures: tuple[Cure, ...] = (),
        later: Later | None = None,
    ) -> Finding:  # fmt: skip
        """A finding at `event`, or `at` another place of its function.

        What the event assumes is added; a cure that writes what not all of the target has is left out.
        """
        return Finding(
            type(self), severity or self.severity, event.path if at is None else (at,), message, help,
            both(event.assumes, assumes), owner, since,
            tuple(cure for cure in cures if cure.since <= self.target.low), later,
        )  # fmt: skip

    @classmethod
    def documentation(cls) -> str:
        """The rule's documentation, as Markdown."""
        return inspect.cleandoc(cls.__doc__ or "")

    @classmethod
    def summary(cls) -> str:
        """The first sentence of What it does."""
        match = re.search(r"## What it does\n(.+?)(?:\n\n|\Z)", cls.documentation(), re.DOTALL)
        return " ".join(match[1].split()) if match else ""

    @classmethod
    def url(cls) -> str:
        """Where the documentation stands."""
        return f"{DOCUMENTATION}/{cls.name}.md"
