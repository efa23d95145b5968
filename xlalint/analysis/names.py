"""What names mean: of the module, of builtins, of libraries."""

from __future__ import annotations

from collections.abc import Iterable

from xlalint.analysis.frame import Frame
from xlalint.analysis.machine import Machine
from xlalint.analysis.outline import Class, Function, Import, Outline
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Known,
    Namespace,
    RankTest,
    callable_value,
    constant,
    run,
)
from xlalint.analysis.store import Store
from xlalint.knowledge import functions
from xlalint.lazy.state import (
    State,
)
from xlalint.lazy.values import (
    UNKNOWN,
    Kind,
    Value,
)
from xlalint.lazy.values import join as join_values
from xlalint.sources.file import HOT_TOKEN

_BUILTINS = frozenset(name[9:] for name in functions.FUNCTIONS if name.startswith("builtins."))


_TRUE = constant(True)


_FALSE = constant(False)


class Names:
    """What names mean, in modules of the project and in libraries."""

    def __init__(self, machine: Machine, other_backends: Iterable[str]) -> None:
        """Args: other_backends: names that are false, beside those knowledge lists."""
        self._machine = machine
        self._other_backends = functions.OTHER_BACKENDS | frozenset(other_backends)
        self._globals: dict[tuple[Outline, str], Value] = {}

    def global_name(self, name: str, outline: Outline) -> Value:
        """The value of a name of the module, or of a builtin."""
        flag = self.flag(name)
        if flag is not None:
            return flag
        if name in outline.bindings or outline.star_imports:
            value = self.global_value(outline, name)
            if value.kind is not Kind.UNKNOWN or name in outline.bindings:
                return value
        if name in _BUILTINS:
            return callable_value(Known(f"builtins.{name}"))
        return UNKNOWN

    def flag(self, name: str) -> Value | None:
        """What a name says by itself: that XLA is there, another backend is not, or which replica this is."""
        if name in functions.AVAILABILITY:
            return _TRUE
        if name in self._other_backends:
            return _FALSE
        if name in functions.GUESSED_RANK_TESTS:
            return Value(Kind.RANK_TEST, sure=False, payload=RankTest(True, False, False))
        if name in functions.GUESSED_RANKS:
            return Value(Kind.ORDINAL, sure=False, differs=True)
        return None

    def library(self, name: str) -> Value:
        """What a qualified name of a library means."""
        if name.startswith(HOT_TOKEN):
            module, _, last = name.rpartition(".")
            name = (
                f"{functions.FORMER_MODULES[module]}.{last}" if module in functions.FORMER_MODULES else name
            )
        if name in functions.FUNCTIONS:
            return callable_value(Known(name))
        if name in self._other_backends:
            return _FALSE
        last = name.rpartition(".")[2]
        if last in functions.AVAILABILITY:
            return _TRUE
        if last in self._other_backends:
            return _FALSE
        return Value(Kind.NAMESPACE, payload=Namespace(name))

    def global_value(self, outline: Outline, name: str) -> Value:
        """The value of a name that a module defines, wherever it does so."""
        key = (outline, name)
        known = self._globals.get(key)
        if known is None:
            self._globals[key] = UNKNOWN
            try:
                known = self._globals[key] = self._find_global(outline, name)
            except RecursionError:
                del self._globals[key]
                raise
        return known

    def _find_global(self, outline: Outline, name: str) -> Value:
        joined: Value | None = None
        bindings = outline.bindings.get(name, [])
        libraries = [b for b in bindings if isinstance(b, Import) and b.target.startswith(functions.FAMILY)]
        for binding in libraries or bindings:
            if isinstance(binding, Import):
                value = self.qualified(binding.target, outline)
            elif isinstance(binding, Function):
                value = callable_value(Bound(binding))
            elif isinstance(binding, Class):
                value = Value(Kind.CLASS, payload=Classes((binding,)))
            else:
                value = self._machine.evaluate(binding, Frame(outline, None, 0), Store(State()))
            joined = value if joined is None else join_values(joined, value)
        if joined is None:
            for source in outline.star_imports:
                module = self._machine.project.find(source, outline)
                if module is not None and name in module.bindings:
                    return self.global_value(module, name)
            return UNKNOWN
        return run(joined)

    def qualified(self, name: str, outline: Outline) -> Value:
        """What a dotted name, as an import in `outline` spells it, means."""
        if name.partition(".")[0] in functions.LIBRARIES:
            return self.library(name)
        module = self._machine.project.find(name, outline)
        if module is not None:
            return Value(Kind.NAMESPACE, payload=Namespace(module.name, module))
        parent, _, last = name.rpartition(".")
        if parent:
            inner = self._machine.project.find(parent, outline)
            if inner is not None and inner is not outline:
                return self.global_name(last, inner)
        return self.library(name)
