"""Facts of a program that answers rest on, each with a text that tells when it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from xlalint.analysis.bodies import is_started_by_others, makes_no_group
from xlalint.analysis.classes import assigns, needs_gpu
from xlalint.analysis.constructing import has_flags
from xlalint.analysis.lacking import defines, makes, may_give, sets
from xlalint.analysis.reuse.lookups import Fact
from xlalint.analysis.roots import Plan
from xlalint.lazy.values import Value
from xlalint.program.outline import Class, Function, Outline
from xlalint.program.project import ABOUT_FILES, Project
from xlalint.program.sections import digest

OF_THE_WHOLE: Final = frozenset(
    {
        "caches",
        "checkpointing",
        "default device",
        "eager",
        "flags",
        "refusing",
        "relevant",
        "starts",
        "swaps",
        "without spmd",
    }
)
"""Facts that may change with the text of any file."""

_OF_PLANNED: Final = frozenset({"caches", "eager", "relevant", "without spmd"})
"""Those of them that are false of all files but those of the plan."""

OF_FUNCTIONS: Final = frozenset({"text", "assigned"})
"""Facts about the text of a function, and of what it stands in."""

_MISSING: Final = "missing"

NO_FLAGS: Final = "none"
"""The value of "flags" for a class that has none, whatever other files say."""


class Facts:
    """The facts of one program."""

    def __init__(
        self, project: Project, plan: Callable[[], Plan], attributes: Callable[[Class], dict[str, Value]],
        refusing: frozenset[str],
    ) -> None:  # fmt: skip
        """Args:
        attributes: What instances of a class hold.
        refusing: The files of which an import may raise.
        """
        self._refusing = digest("\n".join(sorted(refusing)))
        self._project = project
        self._plan = plan
        self._attributes = attributes
        self._known: dict[Fact, str] = {}

    def value(self, fact: Fact) -> str:
        """A text that is the same as long as what rests on the fact holds."""
        known = self._known.get(fact)
        if known is None:
            kind, file, detail = fact
            known = self._known[fact] = self._find(kind, file, detail)
        return known

    def forget(self, facts: Iterable[Fact]) -> None:
        """Look at some facts anew when their value is asked for."""
        for fact in facts:
            self._known.pop(fact, None)

    def _find(self, kind: str, file: str, detail: str) -> str:
        if kind in ABOUT_FILES:
            return self._project.fact(kind, file, detail)
        if kind == "refusing":
            return self._refusing
        if kind == "starts":
            return str(self._plan().starts_replicas())
        if kind == "default device":
            return str(self._plan().sets_default_device())
        if kind == "checkpointing":
            return str(self._plan().serves_checkpointing())
        path = self._project.path(file)
        if kind == "lacks":
            return str(self._project.lacks(path, detail))
        if kind == "says":
            return str(self._project.says(path, detail))
        if kind in _OF_PLANNED and not self._plan().looks_at(path):
            return str(False)  # whatever stands in the file, so that nobody parses it
        outline = self._project.outline(path)
        if outline is None:
            return _MISSING
        if kind in _OF_TEXT:
            return _OF_TEXT[kind](outline, detail)
        if kind == "swaps":
            return str(self._plan().swaps_parameters(outline))
        if kind == "caches":
            return str(self._plan().sets_up_cache(outline))
        if kind == "eager":
            return str(self._plan().starts_eagerly(outline))
        if kind == "without spmd":
            return str(self._plan().starts_without_spmd(outline))
        if kind in OF_FUNCTIONS:
            # A lambda is made known when it is first met, so that its section is what says where it is.
            section = detail.rsplit(":", 2)[0]
            return f"{section} {outline.sections.digest(section)}"
        name, _, detail = detail.partition(" ") if kind == "defines" else ("", "", detail)
        defined = outline.definition(detail)
        if isinstance(defined, Function):
            if kind == "relevant":
                return str(defined in self._plan().relevant)
            if kind == "assigns":
                return " ".join(sorted(assigns(defined)))
        if isinstance(defined, Class):
            if kind == "defines":
                return str(defines(defined, name))
            if kind == "flags":
                if not has_flags(defined):
                    return NO_FLAGS
                return repr(sorted(self._plan().flags_of_all(defined).items()))
            if kind == "attributes":
                return digest(_stable(self._attributes(defined)))
            return str(needs_gpu(defined)) if kind == "needs gpu" else outline.class_digest(defined)
        return _MISSING


def _stable(held: object) -> str:
    """A text for a value that says the same of the same in every run."""
    if isinstance(held, Function | Class):
        return ":".join(held.key)
    if isinstance(held, Outline):
        return held.file
    if isinstance(held, dict):
        # Which name came first depends on what was asked for before.
        return f"{{{', '.join(f'{name}: {_stable(held[name])}' for name in sorted(held))}}}"
    if isinstance(held, frozenset):
        return f"{{{', '.join(sorted(map(_stable, held)))}}}"
    if isinstance(held, tuple):
        return f"{type(held).__name__}({', '.join(map(_stable, held))})"
    return repr(held)


def _taken(outline: Outline) -> str:
    said = [outline.makes_modules, outline.is_script, outline.looks_elsewhere_first]
    return repr([*said, *((*each[:2], *each.site[1:]) for each in outline.taken())])


def _mentions(outline: Outline, names: str) -> str:
    return str(outline.mentions(frozenset(names.split())))


def _may_give(outline: Outline, detail: str) -> str:
    cls, _, name = detail.partition(" ")
    return str(may_give(outline, cls, name))


_OF_TEXT: Final[dict[str, Callable[[Outline, str], str]]] = {
    "outline": lambda outline, detail: "there",
    "name": Outline.binding_digest,
    "body": lambda outline, detail: outline.body_digest(),
    "whole": lambda outline, detail: digest(outline.text),
    "mentions": _mentions,
    "started": lambda outline, detail: str(is_started_by_others(outline)),
    "group": lambda outline, detail: str(makes_no_group(outline)),
    "imports": lambda outline, detail: _taken(outline),
    "makes": lambda outline, cls: str(makes(outline, cls)),
    "gives": _may_give,
    "sets": lambda outline, name: repr(sets(outline, name)),
    "option": lambda outline, name: repr(outline.default_of_option(name)),
    "field": lambda outline, name: repr(outline.default_of_field(name)),
    "set in body": lambda outline, detail: repr(outline.set_in_body(*detail.split("\n"))),
}
"""Facts about the text of one file, for which no function or class of it must be found."""
