"""What names mean: of the module, of builtins, of libraries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from xlalint.analysis.frame import Frame
from xlalint.analysis.lacking import DEFINED, lacks_option, scopes_binding
from xlalint.analysis.machine import Machine
from xlalint.analysis.moments import frame_at
from xlalint.analysis.operators import truth
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Known,
    Moment,
    Namespace,
    RankTest,
    callable_value,
    constant,
    run,
    targets,
)
from xlalint.analysis.registries import filled
from xlalint.analysis.store import AttributeKey, Store
from xlalint.knowledge import functions, members, packages
from xlalint.lazy.assumptions import assume
from xlalint.lazy.state import State
from xlalint.lazy.values import (
    HOST,
    UNKNOWN,
    Kind,
    Value,
    join_all,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Binding, Class, Function, Import, Outline, within
from xlalint.program.rebinding import rebinding
from xlalint.program.redefined import seen_by
from xlalint.sources.usage import HOT_TOKEN

_BUILTINS: Final = frozenset(name[9:] for name in functions.FUNCTIONS if name.startswith("builtins."))


_RUNS_TEXT: Final = frozenset({"exec"})

_TRUE: Final = constant(True)


_FALSE: Final = constant(False)


def _guessed() -> Iterator[tuple[str, Value]]:
    for name in functions.GUESSED_RANKS:
        yield name, Value(Kind.ORDINAL, assume(f"`{name}` is the number of the replica"), differs=True)
    for name in functions.GUESSED_RANK_TESTS:
        guess = assume(f"`{name}` is true on the master only")
        yield name, Value(Kind.RANK_TEST, guess, payload=RankTest(True, guess, guess))


_FLAGS: Final = {**dict(_guessed()), **dict.fromkeys(functions.AVAILABILITY, _TRUE)}
"""What names say by themselves in every module; which replica this is, is guessed."""


MOST_IMPORTED: Final = 8
"""A name is followed through so many modules that import it from another."""


class Names:
    """What names mean, in modules of the project and in libraries."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def global_name(
        self, name: str, outline: Outline, function: Function | None = None, moment: Moment | None = None
    ) -> Value:
        """The value of a name of the module, or of a builtin, as a function of the module sees it.

        Args:
            moment: When the function runs, where that is known.
        """
        flag = self.flag(name, outline)
        value = self._seen_at(moment, name, outline) or self._seen_by(function, name, outline)
        value = value or self.in_module(name, outline)
        if flag is not None:
            # What the project defines says more than a guess by its name.
            own = [t.function for t in targets(value) if isinstance(t, Bound)] if value is not None else []
            asks_of = any(each.parameters.positional for each in own)  # such as a device, which may be any
            return value if value is not None and own and (flag.assumes or asks_of) else flag
        if value is not None:
            return value
        if name in _BUILTINS:
            return callable_value(Known(f"builtins.{name}"))
        return UNKNOWN

    def _seen_at(self, moment: Moment | None, name: str, outline: Outline) -> Value | None:
        """What a name that the module binds several times means at a moment; None for all others."""
        if moment is None or len(outline.bindings.get(name, ())) < 2:
            return None
        self._machine.rest_on("whole", outline.file)
        seen = rebinding(outline).seen(name, moment.passed)
        if seen is None:
            return None
        bindings = [outline.bindings[name][number] for number in seen]
        return self._machine.lookups.find(
            ("whole", outline, f"{name} by {seen}"),
            lambda: self._joined(bindings, name, outline),
            lambda: UNKNOWN,
        )

    def _seen_by(self, function: Function | None, name: str, outline: Outline) -> Value | None:
        """What a name that the module defines several times means in a function; None for all others."""
        bindings = outline.bindings.get(name, ())
        # Most of what has several values is no function, and is not looked for in all of the module.
        if (
            function is None
            or len(bindings) < 2
            or not all(isinstance(b, Function | Class) for b in bindings)
        ):
            return None
        self._machine.rest_on("whole", outline.file)
        seen = seen_by(function, name, outline)
        return None if seen is None else join_all(map(_defined, seen), UNKNOWN)

    def flag(self, name: str, outline: Outline) -> Value | None:
        """What a name says by itself: that XLA is there, another backend is not, or which replica this is."""
        if name in outline.false_tests and name not in functions.AVAILABILITY:
            return _FALSE
        return _FLAGS.get(name)

    def is_undefined(self, node: ast.Name, outline: Outline) -> bool:
        """Whether a name that the module does not bind surely means nothing where it is used."""
        name = node.id
        if name in DEFINED or name.startswith("__"):
            return False
        self._machine.rest_on("whole", outline.file)
        scopes = self._machine.lookups.find(
            ("undefined", outline, name), lambda: scopes_binding(name, outline), lambda: None
        )
        return scopes is not None and not any(first <= node.lineno <= last for first, last in scopes)

    def lacks_option(self, outline: Outline, name: str) -> bool:
        """Whether what a module parses of the command line surely has no option of a name."""
        self._machine.rest_on("whole", outline.file)
        return lacks_option(outline, name)

    def library(self, name: str, outline: Outline) -> Value:
        """What a qualified name of a library means, as it is used in a module."""
        if name.startswith(HOT_TOKEN):
            name = _shortest(name)
            module, _, last = name.rpartition(".")
            name = (
                f"{functions.FORMER_MODULES[module]}.{last}" if module in functions.FORMER_MODULES else name
            )
        if name in functions.FUNCTIONS:
            return callable_value(Known(name))
        last = name.rpartition(".")[2]
        if name not in outline.false_tests and last in functions.AVAILABILITY:
            return _TRUE
        if name in outline.false_tests or last in outline.false_tests:
            return _FALSE
        found = self._machine.project.framework_of(name, outline)
        value = self.in_module(found[1], found[0]) if found is not None else None
        return value or Value(Kind.NAMESPACE, payload=Namespace(name))

    def in_module(self, name: str, outline: Outline) -> Value | None:
        """The value of a name that a module defines, wherever it does so; None where it does not."""
        self._machine.rest_on("name", outline.file, name)
        if name not in outline.bindings and not outline.star_imports:
            return None
        value = self._machine.lookups.find(
            ("name", outline, name), lambda: self._find_global(outline, name), lambda: UNKNOWN
        )
        return value if value.kind is not Kind.UNKNOWN or name in outline.bindings else None

    def held_by(self, name: str, outline: Outline) -> dict[AttributeKey, Value]:
        """What a model of a framework holds since it was made, which a name of a module stands for."""
        outline, name = self.origin(name, outline)
        return self._machine.lookups.find(
            ("held", outline, name), lambda: self._find_held(outline, name), dict[AttributeKey, Value]
        )

    def _find_held(self, outline: Outline, name: str) -> dict[AttributeKey, Value]:
        match outline.bindings.get(name):
            case [ast.expr() as binding]:
                store = Store(State())
                self._machine.evaluate(binding, frame_at(outline, binding), store)
                return {
                    (owner, attribute): run(value)
                    for (owner, attribute), value in store.attributes.items()
                    if isinstance(owner, Class) and owner.outline.is_framework
                }
        return {}

    def origin(self, name: str, outline: Outline) -> tuple[Outline, str]:
        """The module that defines what a name of another one means, and how it is called there."""
        for _ in range(MOST_IMPORTED):
            self._machine.rest_on("name", outline.file, name)
            match outline.bindings.get(name):
                case [Import(target=target)]:
                    module, _, last = target.rpartition(".")
                    found = self.find_module(module, outline) if module else None
                    if found is None:
                        break
                    outline, name = found, last
                case _:
                    break
        return outline, name

    def _find_global(self, outline: Outline, name: str) -> Value:
        bindings = outline.bindings.get(name, [])
        if bindings:
            return filled(self._machine, self._joined(bindings, name, outline), name, outline)
        for source in reversed(outline.star_imports):
            module = self.find_module(source, outline)
            if module is not None and name in module.bindings:
                return self.in_module(name, module) or UNKNOWN
            if module is not None:
                self._machine.rest_on("name", module.file, name)
            if (
                f"{source}.{name}" in functions.FUNCTIONS
                or (module is None and name not in _BUILTINS and members.has(source, name))
                or self._is_of_framework(source, name, outline)
            ):
                return self.qualified(f"{source}.{name}", outline)
        for source in reversed(outline.star_imports) if name in packages.OPTIMIZERS else ():
            if source.partition(".")[0] not in functions.LIBRARIES and not self.find_module(source, outline):
                return self.qualified(f"{source}.{name}", outline)
        return UNKNOWN

    def _is_of_framework(self, source: str, name: str, outline: Outline) -> bool:
        """Whether all that a framework has, which is imported by `*`, defines a name of its own."""
        found = self._machine.project.framework_of(f"{source}.{name}", outline)
        return found is not None and not any(isinstance(each, Import) for each in found[0].bindings[found[1]])

    def _joined(self, bindings: list[Binding], name: str, outline: Outline) -> Value:
        """What a name is by some of its bindings."""
        joined: Value | None = None
        libraries = [b for b in bindings if isinstance(b, Import) and b.target.startswith(functions.FAMILY)]
        for binding in libraries or self._bound(self._there(bindings, outline), outline):
            if isinstance(binding, Import):
                value = self.qualified(binding.target, outline)
            elif isinstance(binding, Function | Class):
                value = _defined(binding)
            else:
                store = Store(State())
                builds_on = joined is not None and any(
                    isinstance(node, ast.Name) and node.id == name for node in within(binding)
                )
                if builds_on and joined is not None:
                    store.names[name] = joined
                imported = outline.imported_there.get(binding)
                if imported is not None:
                    store.names[imported[0]] = self.qualified(imported[1], outline)
                value = self._machine.evaluate(binding, frame_at(outline, binding), store)
                if builds_on and binding not in outline.in_branches:
                    joined = None  # `model = model.to(device)`: nothing is what it was before
            joined = value if joined is None else join_values(joined, value)
        if joined is None:
            return UNKNOWN
        return HOST if joined.kind is Kind.CONSTANT and self._runs_text(outline) else run(joined)

    def _there(self, bindings: list[Binding], outline: Outline) -> list[Binding]:
        """Of several imports, of which each is for want of the one before it, those of the project's own."""
        targets = [binding.target for binding in bindings if isinstance(binding, Import)]
        if len(targets) < 2 or len(targets) < len(bindings):
            return bindings
        if any(target.partition(".")[0] in functions.LIBRARIES for target in targets):
            return bindings
        pairs = zip(bindings, targets, strict=True)
        return [binding for binding, target in pairs if self._is_own(target, outline)] or bindings

    def _is_own(self, target: str, outline: Outline) -> bool:
        """Whether what is imported is a module of the project, or stands in one."""
        parent = target.rpartition(".")[0]
        names = (target, parent) if parent else (target,)
        return any(self.find_module(name, outline) is not None for name in names)

    def _bound(self, bindings: list[Binding], outline: Outline) -> list[Binding]:
        """The bindings of a name without those that are passed over; all, where none would be left."""
        bound = [b for b in bindings if not (isinstance(b, ast.expr) and self._is_passed_over(b, outline))]
        return bound or bindings

    def _is_passed_over(self, binding: ast.expr, outline: Outline) -> bool:
        """Whether a name is bound in an arm that a setting of the program leaves out."""
        for test, holds in outline.in_branches.get(binding, ()):
            if not any(isinstance(node, ast.Call) for node in within(test)):
                known = truth(self._machine.evaluate(test, Frame(outline, None, 0), Store(State())))
                if known is not None and known is not holds:
                    return True
        return False

    def _runs_text(self, outline: Outline) -> bool:
        """Whether a module runs text, which may set its settings anew."""
        return self._machine.mentions(outline, _RUNS_TEXT)

    def find_module(self, name: str, importer: Outline) -> Outline | None:
        """The module of the project that `name` means in `importer`; None for all others."""
        path = self.locate_module(name, importer)
        found = None if path is None else self._machine.project.outline(path)
        if found is not None:
            for kind in ("outline", "module name", "settings"):
                self._machine.rest_on(kind, found.file)
        return found

    def locate_module(self, name: str, importer: Outline) -> Path | None:
        """The file of this module; whether it can be parsed is not asked."""
        if importer.is_framework:
            return None
        self._machine.rest_on("module", importer.folder, name)
        return self._machine.project.locate(name, importer.path)

    def qualified(self, name: str, outline: Outline) -> Value:
        """What a dotted name, as an import in `outline` spells it, means."""
        if name.partition(".")[0] in functions.LIBRARIES:
            return self.library(name, outline)
        module = self.find_module(name, outline)
        if module is not None:
            return Value(Kind.NAMESPACE, payload=Namespace(module.name, module))
        parent, _, last = name.rpartition(".")
        if parent:
            inner = self.find_module(parent, outline)
            if inner is not None and inner is not outline:
                return self.global_name(last, inner)
        return self.library(name, outline)


def _defined(definition: Function | Class) -> Value:
    if isinstance(definition, Function):
        return callable_value(Bound(definition))
    return Value(Kind.CLASS, payload=Classes((definition,)))


def _shortest(name: str) -> str:
    """`xm.torch_xla.device` is `torch_xla.device`: a module has those that it imports as attributes."""
    parts = name.split(".")
    begins = max((index for index, part in enumerate(parts) if part in _ROOTS), default=0)
    return ".".join(parts[begins:])


_ROOTS: Final = frozenset({"torch", "torch_xla"})
