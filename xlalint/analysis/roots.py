"""Which functions have to do with torch_xla, and which of them nobody seems to call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xlalint.analysis.outline import Function, Import, Outline

_WORDS = re.compile(r"[A-Za-z_]\w*")


class Relevance:
    """Finds, by the words in their text, the functions worth interpreting.

    Words are a coarse measure: a function too many costs time, never an answer.
    """

    def __init__(self, outlines: Iterable[Outline], tokens: Iterable[str]) -> None:
        """Args: tokens: words that make a function relevant, such as `torch_xla`."""
        self._outlines = list(outlines)
        self._tokens = frozenset(tokens)
        self._words: dict[Function, frozenset[str]] = {}
        self._module_words: dict[Outline, frozenset[str]] = {}
        self._hot_names = self._names_that_lead_there()
        self.relevant: set[Function] = set()
        for outline in self._outlines:
            self._collect(outline)
        self._spread()

    def module_bodies(self) -> list[Outline]:
        """Modules whose own body names something relevant, beside imports and definitions."""
        visible = self._visible()
        return [o for o in self._outlines if self._module_words[o] & (self._hot_names[o] | visible[o].keys())]

    def referenced(self) -> set[Function]:
        """Relevant functions that some other relevant function, or a module body, names."""
        found: set[Function] = set()
        visible = self._visible()
        for outline in self._outlines:
            names = visible[outline]
            for name in names.keys() & self._module_words[outline]:
                found.update(names[name])
            for user in outline.functions.values():
                if user in self.relevant:
                    for name in names.keys() & self._words[user]:
                        found.update(f for f in names[name] if f is not user and not _contains(f, user))
        return found

    def _names_that_lead_there(self) -> dict[Outline, set[str]]:
        """By module, the names imported from torch_xla, be it through other modules of the project."""
        found: dict[Outline, set[str]] = {}
        waiting: dict[Outline, list[tuple[str, str, str]]] = {}
        for outline in self._outlines:
            found[outline], waiting[outline] = set(self._tokens), []
            for name, bindings in outline.bindings.items():
                for binding in bindings:
                    if isinstance(binding, Import):
                        if binding.target.partition(".")[0] in self._tokens:
                            found[outline].add(name)
                        else:
                            source, _, last = binding.target.rpartition(".")
                            waiting[outline].append((name, source.rpartition(".")[2], last))
        modules = self._by_last_name()
        known = -1
        while known != (known := sum(map(len, found.values()))):
            for outline, imports in waiting.items():
                for name, module, last in imports:
                    if any(last in found[source] for source in modules.get(module, ())):
                        found[outline].add(name)
        return found

    def _by_last_name(self) -> dict[str, list[Outline]]:
        modules: dict[str, list[Outline]] = {}
        for outline in self._outlines:
            modules.setdefault(outline.name.rpartition(".")[2], []).append(outline)
        return modules

    def _collect(self, outline: Outline) -> None:
        lines = outline.lines
        names = self._hot_names[outline]
        body = list(lines)
        for function in outline.functions.values():
            first, last = function.node.lineno, function.node.end_lineno or function.node.lineno
            first = min([first, *(decorator.lineno for decorator in function.decorators)])
            words = self._words[function] = frozenset(_WORDS.findall("\n".join(lines[first - 1 : last])))
            if words & names:
                self.relevant.add(function)
            body[first - 1 : last] = [""] * (last - first + 1)
        statements = (
            line for line in body if not line.lstrip().startswith(("import ", "from ", "class ", "#"))
        )
        self._module_words[outline] = frozenset(_WORDS.findall("\n".join(statements)))

    def _spread(self) -> None:
        """A function that names a relevant one is relevant too."""
        known = -1
        while known != len(self.relevant):
            known = len(self.relevant)
            visible = self._visible()
            for outline in self._outlines:
                names = visible[outline].keys()
                for function in outline.functions.values():
                    if function not in self.relevant and not names.isdisjoint(self._words[function]):
                        self.relevant.add(function)

    def _visible(self) -> dict[Outline, dict[str, list[Function]]]:
        """By module, the names under which relevant functions may be meant there."""
        own: dict[Outline, dict[str, list[Function]]] = {outline: {} for outline in self._outlines}
        for function in self.relevant:
            names = own[function.outline]
            if function.owner is not None:
                names.setdefault(function.owner.name, []).append(function)
            if function.name != "__init__":
                names.setdefault(function.name, []).append(function)
        modules = self._by_last_name()
        visible: dict[Outline, dict[str, list[Function]]] = {}
        for outline in self._outlines:
            names = visible[outline] = dict(own[outline])
            for name, bindings in outline.bindings.items():
                for binding in bindings:
                    if not isinstance(binding, Import):
                        continue
                    parent, _, last = binding.target.rpartition(".")
                    for source in modules.get(last, ()):  # the module itself is imported
                        for inner, functions in own[source].items():
                            names[inner] = [*names.get(inner, ()), *functions]
                    for source in modules.get(parent.rpartition(".")[2], ()):
                        if last in own[source]:
                            names[name] = [*names.get(name, ()), *own[source][last]]
        return visible


def _contains(function: Function, user: Function) -> bool:
    """Whether `user` is defined inside `function`."""
    parent = user.parent
    while parent is not None:
        if parent is function:
            return True
        parent = parent.parent
    return False
