"""What a rule is, and what it may see: events and the state they happened in."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from xlalint.diagnostic import Severity
from xlalint.lazy.events import Event
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import Scope, Split, State
from xlalint.versions import VersionRange

DOCUMENTATION = "https://github.com/xlalint/xlalint/blob/main/docs/rules"


class Stage(Enum):
    """How settled a rule is; preview rules need `--preview`."""

    PREVIEW = "preview"
    STABLE = "stable"
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of one event; the observer turns it into a diagnostic with a place.

    Args:
        path: Call sites from the owner's function down to the event.
        owner: The scope or rank test that makes the event a hazard: the diagnostic stands in the
            function that opened it. None: the event's own function.
        doubts: How many facts are not sure: none is *definite*, one *likely*, more stay silent.
        since: Where the pending work was recorded. The observer puts it in the place of `{since}` in
            message and help, and the owner's line in the place of `{owner}`.
        withdrawn: Nothing is said: what this rule found at the same place, before or later, is void.
    """

    code: str
    name: str
    severity: Severity
    path: Path
    message: str
    help: str
    doubts: int
    owner: Scope | Split | None = None
    since: tuple[Site, ...] = ()
    withdrawn: bool = False


class Rule(ABC):
    """One hazard. A rule judges events and remembers nothing.

    The docstring is the documentation; its headings are What it does, Why is this bad?, Example,
    Use instead, Fix safety, On the engine, References.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    events: ClassVar[tuple[type[Event], ...]] = ()
    """What the rule judges; empty for rules that the checker itself reports."""
    enabled: ClassVar[bool] = True
    """Whether the rule is on by default."""
    since: ClassVar[str] = "0.1"
    stage: ClassVar[Stage] = Stage.STABLE
    guarded: ClassVar[bool] = False
    """Whether the guard emits all of `events` too."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Former codes and names of this rule."""
    yields_to: ClassVar[tuple[str, ...]] = ()
    """Codes of rules that say more about the same place: this rule stays silent there."""

    def __init__(self, target: VersionRange) -> None:
        """Args: target: the versions of torch_xla that the user's code must run on."""
        self.target = target

    @abstractmethod
    def judge(self, event: Event, state: State) -> Iterator[Finding]:
        """Yield what there is to say of `event`, which is one of `events`."""

    def finding(
        self, event: Event, message: str, *, help: str, owner: Scope | Split | None = None,
        doubts: int = 0, severity: Severity | None = None, since: tuple[Site, ...] = (),
    ) -> Finding:  # fmt: skip
        """A finding at `event`; its own doubts are added to those given."""
        return Finding(
            self.code, self.name, severity or self.severity, event.path, message, help,
            event.doubts + doubts, owner, since,
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
