"""Which functions have to do with torch_xla, and which of them nobody seems to call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xlalint.analysis.outline import Class, Function, Import, Outline

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
        self.relevant: set[Function] = set()
        for outline in self._outlines:
            self._collect(outline)
        self._spread()

    def module_bodies(self) -> list[Outline]:
        """Modules whose own body names something relevant, beside imports and definitions."""
        return [o for o in self._outlines if self._reaches(o, self._module_words[o], None)]

    def referenced(self) -> set[Function]:
        """Relevant functions that some other relevant function, or a module body, names."""
        found: set[Function] = set()
        for outline in self._outlines:
            users = [(f, self._words[f]) for f in outline.functions.values() if f in self.relevant]
            module = self._module_words[outline]
            for function in self.relevant:
                if function.outline is not outline and not self._imports(outline, function):
                    continue
                for user, words in users:
                    if user is not function and function.name in words and not _inside(function, user, words):
                        found.add(function)
                        break
                if function.name in module:
                    found.add(function)
        return found

    def _collect(self, outline: Outline) -> None:
        lines = outline.text.splitlines(keepends=True)
        covered: list[tuple[int, int]] = []
        names = self._tokens | {
            name
            for name, bindings in outline.bindings.items()
            for b in bindings
            if isinstance(b, Import) and b.target.partition(".")[0] in self._tokens
        }
        for function in outline.functions.values():
            first, last = function.node.lineno, function.node.end_lineno or function.node.lineno
            for decorator in function.decorators:
                first = min(first, decorator.lineno)
            covered.append((first, last))
            text = "".join(lines[first - 1 : last])
            words = self._words[function] = frozenset(_WORDS.findall(text))
            if words & names:
                self.relevant.add(function)
        body = list(lines)
        for first, last in covered:
            body[first - 1 : last] = [""] * (last - first + 1)
        text = "".join(line for line in body if not line.lstrip().startswith(("import ", "from ", "class ")))
        self._module_words[outline] = frozenset(_WORDS.findall(text)) - {"torch_xla"}
        self._hot = getattr(self, "_hot", {})
        self._hot[outline] = names - {"torch_xla"}

    def _spread(self) -> None:
        """A function that names a relevant one is relevant too."""
        changed = True
        while changed:
            changed = False
            for outline in self._outlines:
                for function in outline.functions.values():
                    if function not in self.relevant and self._reaches(outline, self._words[function], function):
                        self.relevant.add(function)
                        changed = True
            self._names = None

    _names: dict[Outline, frozenset[str]] | None = None

    def _reaches(self, outline: Outline, words: frozenset[str], function: Function | None) -> bool:
        if function is None and words & self._hot[outline]:
            return True
        if self._names is None:
            self._names = {}
            mine: dict[Outline, set[str]] = {}
            for relevant in self.relevant:
                held = mine.setdefault(relevant.outline, set())
                held.add(relevant.name if relevant.name != "__init__" else relevant.qualname.split(".")[-2])
                if relevant.owner is not None:
                    held.add(relevant.owner.name)
            modules = {o.name.rpartition(".")[2]: o for o in mine}
            for o in self._outlines:
                seen = set(mine.get(o, ()))
                for name, bindings in o.bindings.items():
                    for b in bindings:
                        if isinstance(b, Import):
                            parent, _, last = b.target.rpartition(".")
                            source = modules.get(parent.rpartition(".")[2])
                            if (source is not None and last in mine[source]) or last in modules:
                                seen.add(name)
                self._names[o] = frozenset(seen)
        return bool(words & self._names[outline])

    def _imports(self, outline: Outline, function: Function) -> bool:
        wanted = function.owner.name if isinstance(function.owner, Class) else function.name
        module = function.outline.name.rpartition(".")[2]
        for bindings in outline.bindings.values():
            for b in bindings:
                if isinstance(b, Import) and b.target.rpartition(".")[2] in (wanted, module):
                    return True
        return False


def _inside(function: Function, user: Function, words: frozenset[str]) -> bool:
    """Whether `user` only contains the definition of `function` or is contained in it."""
    parent: Function | None = user.parent
    while parent is not None:
        if parent is function:
            return True
        parent = parent.parent
    return False
