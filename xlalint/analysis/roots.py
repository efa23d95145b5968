"""Which functions have to do with torch_xla, and which of them nobody seems to call."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeGuard

from xlalint.analysis.bodies import serves_checkpointing, sets_spmd_up, starts_replicas, turns_eager_on
from xlalint.analysis.constructing import same_for_all
from xlalint.knowledge.functions import (
    CACHE_SETUP,
    DEFAULT_DEVICES,
    MARKERS,
    OF_SPMD,
    SPMD_VARIABLE,
    SWAPS_PARAMETERS,
    members_of,
)
from xlalint.lazy.values import XLA
from xlalint.program.outline import Class, Function, Import, Outline, dotted, last_name, within, within_lines
from xlalint.program.project import Project
from xlalint.program.words import words_in
from xlalint.sources.usage import HOT_TOKEN

Tokens = Iterable[str]

# These begin with fixed text, for speed, and look at what is before it afterwards.
_DEVICE: Final = re.compile(r"""["']xla(?::(?:\d+|\{[^{}]*\}))?["'](?!\s*:)""")
_HANDED_ON: Final = re.compile(r"(?:[(:]|(?<![=!])=|\breturn)$")
"""What stands before a device that is handed on, not compared with or looked up."""
_STEPS_BY_ITSELF: Final = re.compile(r"barrier(?<!\wbarrier)\s*=\s*True\b")


MOST_PASSED_ON: Final = 4
"""Names are followed through so many packages that have them from each other."""


class Plan:
    """Finds, by the words in their text, the functions worth interpreting, and who may call whom.

    Words are a coarse measure: a function too many costs time, never an answer.
    """

    def __init__(
        self, outlines: Iterable[Outline], project: Project, tokens: Callable[[Outline], Tokens]
    ) -> None:
        """
        Args:
            outlines: The modules that use torch_xla.
            project: Says what their imports mean.
            tokens: The words that make a function of a module relevant, such as `torch_xla`.
        """
        self.outlines = sorted(outlines, key=lambda outline: outline.file)
        self.resolved: set[tuple[str, str]] = set()
        """The names of modules that were looked up on the way, with the folder that imports each."""
        self.relevant: set[Function] = set()
        self._project = project
        self._tokens = tokens
        self._by_path = {outline.path: outline for outline in self.outlines}
        self._last_names = {outline.name.rpartition(".")[2] for outline in self.outlines}
        self._folders = {str(folder) for outline in self.outlines for folder in outline.path.parents}
        self._packages = {part for outline in self.outlines for part in outline.name.split(".")[:-1]}
        self._passing: set[Outline] = set()
        """Packages that are none of these modules, and have names from those that are."""
        self._imported: dict[Outline, list[tuple[str, Outline, str]]] = {}
        self._words: dict[Function, frozenset[str]] = {}
        self._module_words: dict[Outline, frozenset[str]] = {}
        self._naming_devices: set[Function] = set()
        self._flags: dict[Class, dict[str, bool]] = {}
        self._stepping_by_themselves: set[Outline] = set()
        """Modules in which an optimizer's step cuts the graph by itself."""
        self._called: dict[Outline, tuple[frozenset[str], tuple[Function, ...], Counter[str]]] = {}
        """What was asked last of the calls in a module."""
        self._users: dict[Outline, dict[str, list[Function]]] = {}
        """By module and word, the functions in which it stands."""
        self._given: dict[Outline, dict[str, list[str]]] = {}
        """By module and what is called, the names that get what it returns."""
        for outline in self.outlines:
            self._look(outline)
        self._find()

    def change(self, outline: Outline) -> None:
        """Look once more at a module whose text has changed, if it is one of those."""
        if outline in self._passing:
            for importer in self.outlines:
                self._imported[importer] = list(self._imports(importer))
            self._find()
        if outline not in self._imported:
            return
        for function in [function for function in self._words if function.outline is outline]:
            del self._words[function]
            self._naming_devices.discard(function)
        self._look(outline)
        for importer in self.outlines:
            if any(self._module(name, importer) is outline for name in importer.star_imports):
                self._imported[importer] = list(self._imports(importer))
        self._find()

    def _look(self, outline: Outline) -> None:
        """Note what the text of a module says by itself."""
        self._stepping_by_themselves.discard(outline)
        if "barrier" in outline.text and _STEPS_BY_ITSELF.search(outline.text):
            self._stepping_by_themselves.add(outline)
        self._called.pop(outline, None)
        self._imported[outline] = list(self._imports(outline))
        self._collect(outline)
        users = self._users[outline] = {}
        for function in outline.functions.values():
            for word in self._words[function]:
                users.setdefault(word, []).append(function)
        given = self._given[outline] = {}
        for name, word in _called_for(outline):
            given.setdefault(word, []).append(name)

    def _find(self) -> None:
        """Find out what that makes of all modules."""
        self._flags.clear()
        offered = {outline: self._offered(outline) for outline in self.outlines}
        self._hot_names = self._names_that_lead_there(self._tokens, offered)
        held = {
            outline: [(alias, self._hot_names[source]) for alias, source, last in imports if not last]
            for outline, imports in self._imported.items()
        }
        self.relevant = {
            function
            for function, words in self._words.items()
            if function in self._naming_devices
            or not words.isdisjoint(self._hot_names[function.outline])
            or any(
                package in words and not words.isdisjoint(names)
                for package, names in offered[function.outline].items()
            )
            or any(alias in words and not words.isdisjoint(names) for alias, names in held[function.outline])
        }
        self._spread()
        self._add_users_of_attributes()
        self._starting = any(map(starts_replicas, self.outlines))
        self._by_default = any(outline.mentions(DEFAULT_DEVICES) for outline in self.outlines)
        self._checkpointing = any(map(serves_checkpointing, self.outlines))
        self._swapping = self._connected_with(
            {outline for outline in self.outlines if outline.mentions(SWAPS_PARAMETERS)}
        )
        self._caching = self._connected_with(
            {outline for outline in self.outlines if CACHE_SETUP in outline.text}
        )
        self._of_spmd = self._connected_with(
            {outline for outline in self.outlines if any(name in outline.text for name in OF_SPMD)}
        )
        self._eager = self._importing(set(filter(turns_eager_on, self.outlines)))

    def looks_at(self, path: Path) -> bool:
        """Whether a file is one of the modules that use torch_xla."""
        return path in self._by_path

    def close(self) -> None:
        """Forget all modules; see `Program.close`."""
        self.outlines.clear()
        self.relevant.clear()
        self._swapping.clear()
        self._caching.clear()
        self._of_spmd.clear()
        self._eager.clear()
        self._by_path.clear()
        self._passing.clear()
        self._imported.clear()
        self._words.clear()
        self._module_words.clear()
        self._naming_devices.clear()
        self._flags.clear()
        self._stepping_by_themselves.clear()
        self._called.clear()
        self._users.clear()
        self._given.clear()
        self._hot_names.clear()

    def module_bodies(self) -> list[Outline]:
        """Modules whose own body names something relevant, beside imports and definitions."""
        visible = self._visible()
        return [o for o in self.outlines if self._module_words[o] & (self._hot_names[o].union(visible[o]))]

    def referenced(self, also: set[Function]) -> set[Function]:
        """Functions worth interpreting that another one of them, or a module body, names.

        Args:
            also: Functions worth interpreting for other reasons than their words.
        """
        found: set[Function] = set()
        visible = self._visible(also)
        for outline in self.outlines:
            names = visible[outline]
            for name in names.keys() & self._module_words[outline]:
                found.update(names[name])
            for user in outline.functions.values():
                if user in self.relevant or user in also:
                    for name in names.keys() & self._words[user]:
                        found.update(f for f in names[name] if f is not user and not _contains(f, user))
        return found

    def savers(self) -> list[Function]:
        """Functions that save for somebody who is not seen, in the order of the source.

        There are none where an optimizer's step cuts the graph by itself: then nothing is pending when
        somebody saves; nor in a class that ends its own steps. Where another one calls what has the name,
        that may be who.
        """
        if self._stepping_by_themselves:
            return []
        found = sorted(
            (function for function in self.relevant if saves(function) and not _ends_steps_beside(function)),
            key=order,
        )
        names = frozenset(function.name for function in found)
        called: Counter[str] = Counter()
        for outline in self.outlines:
            inside = tuple(function for function in found if function.outline is outline)
            called.update(self._calls_in(outline, names, inside))
        return [function for function in found if called[function.name] <= 0]

    def _calls_in(
        self, outline: Outline, names: frozenset[str], savers: tuple[Function, ...]
    ) -> Counter[str]:
        """How often some names are called in a module, outside the functions of it that save."""
        known = self._called.get(outline)
        if known is None or known[:2] != (names, savers):
            lines = outline.lines_with(names)
            found = Counter(_called_in(outline.tree, outline, names, lines))
            for function in savers:
                found.subtract(_called_in(function.node, outline, names, lines))
            known = self._called[outline] = names, savers, found
        return known[2]

    def uses_class_of(self, method: Function) -> bool:
        """Whether anything outside a method's class names the class."""
        assert method.owner is not None
        name = method.owner.name
        return any(name in words for words in self._module_words.values()) or any(
            name in words for user, words in self._words.items() if user.owner is not method.owner
        )

    def starts_replicas(self) -> bool:
        """Whether anything in the program may start several replicas, or be started by somebody who does."""
        return self._starting

    def sets_default_device(self) -> bool:
        """Whether anything in the program says where tensors are made that do not say so themselves."""
        return self._by_default

    def serves_checkpointing(self) -> bool:
        """Whether anything in the program has PyTorch's activation checkpointing work on XLA devices."""
        return self._checkpointing

    def flags_of_all(self, cls: Class) -> dict[str, bool]:
        """The flags of a class's constructor that the program sets alike for all its objects, or never."""
        if cls not in self._flags:
            self._flags[cls] = same_for_all(cls, self.outlines)
        return self._flags[cls]

    def swaps_parameters(self, outline: Outline) -> bool:
        """Whether moving a module keeps its parameters' identity, in the program that a module is part of.

        It is a setting of torch, off by default.
        """
        return outline in self._swapping or outline.mentions(SWAPS_PARAMETERS)

    def sets_up_cache(self, outline: Outline) -> bool:
        """Whether the program that a module is part of sets up the persistent cache."""
        return outline in self._caching

    def starts_eagerly(self, outline: Outline) -> bool:
        """Whether a module imports one, be it through others, whose body turns eager mode on."""
        return outline in self._eager

    def starts_without_spmd(self, outline: Outline) -> bool:
        """Whether a script has to do with SPMD, and nothing turns that on before its body begins: no
        environment variable that the program sets, and no module's own body."""
        if outline not in self._of_spmd:
            return False
        connected = self._connected_with({outline})
        if any(SPMD_VARIABLE in each.text for each in connected):
            return False
        return not any(map(sets_spmd_up, connected - {outline}))

    def _imports(self, outline: Outline) -> Iterator[tuple[str, Outline, str]]:
        """What a module imports from others that use torch_xla: a name, whose, and called what there.

        Where the module itself is imported, it is called nothing.
        """
        for name, bindings in outline.bindings.items():
            for binding in bindings:
                if isinstance(binding, Import):
                    whole = self._module(binding.target, outline)
                    if whole is not None:
                        yield name, whole, ""
                    elif (package := self._package(binding.target, outline)) is not None:
                        yield from ((name, source, "") for source in self._sources(package))
                    if (passed := self._source(binding.target, outline, 0)) is not None:
                        yield name, *passed
        for name in _dotted_modules(outline):
            source = self._module(name, outline)
            if source is not None:
                yield name.partition(".")[0], source, ""
        for module in outline.star_imports:
            source = self._module(module, outline)
            if source is None:
                continue
            for name in source.bindings:
                if name not in outline.bindings and not name.startswith("_"):
                    yield name, source, name

    def _source(self, target: str, importer: Outline, depth: int) -> tuple[Outline, str] | None:
        """Which of the modules an import takes a name from, be it through packages, and what it is there."""
        parent, _, last = target.rpartition(".")
        source = self._module(parent, importer)
        if source is not None:
            return source, last
        package = self._package(parent, importer) if depth < MOST_PASSED_ON else None
        if package is None:
            return None
        for binding in package.bindings.get(last, ()):
            if isinstance(binding, Import):
                return self._source(binding.target, package, depth + 1)
        for module in package.star_imports:
            source = self._module(module, package)
            if source is not None and last in source.bindings:
                return source, last
        return None

    def _sources(self, package: Outline) -> Iterator[Outline]:
        """The modules that a package has names from."""
        for bindings in package.bindings.values():
            for binding in bindings:
                if isinstance(binding, Import):
                    passed = self._source(binding.target, package, 1)
                    if passed is not None:
                        yield passed[0]
        for module in package.star_imports:
            source = self._module(module, package)
            if source is not None:
                yield source

    def _package(self, name: str, importer: Outline) -> Outline | None:
        """A package that is none of the modules, while some stand in it."""
        if name.rpartition(".")[2] not in self._packages:
            return None
        self.resolved.add((importer.folder, name))
        found = self._project.locate(name, importer.path)
        if found is None or found in self._by_path or str(found.parent) not in self._folders:
            return None
        package = self._project.outline(found)
        if package is not None:
            self._passing.add(package)
        return package

    def _module(self, name: str, importer: Outline) -> Outline | None:
        # Looking for files is slow, and most imports are of other modules.
        if name.rpartition(".")[2] not in self._last_names:
            return None
        self.resolved.add((importer.folder, name))
        found = self._project.locate(name, importer.path)
        return None if found is None else self._by_path.get(found)

    def _names_that_lead_there(
        self, tokens: Callable[[Outline], Tokens], by_package: Mapping[Outline, Mapping[str, tuple[str, ...]]]
    ) -> dict[Outline, set[str]]:
        """By module, the names imported from torch_xla, be it through other modules of the project, and the
        classes that derive from such."""
        found: dict[Outline, set[str]] = {}
        for outline in self.outlines:
            own = frozenset(tokens(outline))
            found[outline] = set(own)
            found[outline].update(_bringing(outline))
            offered = by_package[outline]
            for module in outline.star_imports:
                package = module.partition(".")[0]
                if package == HOT_TOKEN:
                    found[outline].update(members_of(module).difference(outline.bindings))
                found[outline].update(set(offered.get(package, ())).difference(outline.bindings))
            for name, bindings in outline.bindings.items():
                for target in (binding.target for binding in bindings if isinstance(binding, Import)):
                    package, _, rest = target.partition(".")
                    if package in own or rest.rpartition(".")[2] in offered.get(package, ()):
                        found[outline].add(name)
                    elif package in offered:
                        found[outline].update(set(offered[package]).difference(outline.bindings))
        made = {outline: list(_made(outline)) for outline in self.outlines}
        derived = {outline: _derived(outline) for outline in self.outlines}
        known = -1
        while known < (grown := sum(map(len, found.values()))):
            known = grown
            for outline, imports in self._imported.items():
                names = found[outline]
                names.update(name for name, source, last in imports if last in found[source])
                names.update(name for name, words in made[outline] if not names.isdisjoint(words))
                for base in derived[outline].keys() & names:
                    names.update(derived[outline][base])
        return found

    def _offered(self, outline: Outline) -> dict[str, tuple[str, ...]]:
        """By package, what the frameworks that a module uses offer to it; nothing to their own modules."""
        offered: dict[str, tuple[str, ...]] = {}
        here = outline.name.partition(".")[0]
        for framework in self._project.frameworks(outline):
            if here not in framework.packages:
                for package in framework.packages:
                    offered[package] = (*offered.get(package, ()), *framework.names)
        return offered

    def _connected_with(self, some: set[Outline]) -> set[Outline]:
        """All modules that one of `some` imports or is imported by, be it through others."""
        if not some:
            return set()
        beside: dict[Outline, set[Outline]] = {outline: set() for outline in self.outlines}
        for outline, imports in self._imported.items():
            for _, source, _ in imports:
                beside[outline].add(source)
                beside[source].add(outline)
        return _reached(some, beside)

    def _importing(self, some: set[Outline]) -> set[Outline]:
        """All modules that import one of `some`, be it through others."""
        if not some:
            return set()
        importers: dict[Outline, set[Outline]] = {outline: set() for outline in self.outlines}
        for outline, imports in self._imported.items():
            for _, source, _ in imports:
                importers[source].add(outline)
        return _reached({importer for outline in some for importer in importers[outline]}, importers)

    def _collect(self, outline: Outline) -> None:
        lines = outline.lines
        body = list(lines)
        names_device = _names_device(outline.text)
        for function in outline.functions.values():
            first, last = function.node.lineno, function.node.end_lineno or function.node.lineno
            first = min([first, *(decorator.lineno for decorator in function.decorators)])
            text = "\n".join(lines[first - 1 : last])
            self._words[function] = words_in(text)
            if names_device and _names_device(text):
                self._naming_devices.add(function)
            body[first - 1 : last] = [""] * (last - first + 1)
        statements = (
            line for line in body if not line.lstrip().startswith(("import ", "from ", "class ", "#"))
        )
        text = "\n".join(statements)
        words = words_in(text)
        self._module_words[outline] = words | {HOT_TOKEN} if names_device and _names_device(text) else words

    def _spread(self) -> None:
        """A function that names a relevant one is relevant too, and so is one that names what it gave, or a
        class that derives from one with such methods."""
        users, given = self._users, self._given
        derived = {outline: _derived(outline) for outline in self.outlines}
        importers: dict[Outline, list[tuple[Outline, str, str]]] = {outline: [] for outline in self.outlines}
        for outline in self.outlines:
            for name, source, last in self._imported[outline]:
                importers[source].append((outline, name, last))
        seen: set[tuple[Outline, str]] = set()
        waiting = [(function.outline, name) for function in self.relevant for name in _names(function)]
        while waiting:
            outline, name = waiting.pop()
            if (outline, name) in seen:
                continue
            seen.add((outline, name))
            places = [(outline, name)]
            for place, alias, last in importers[outline]:
                if last in ("", name):
                    places.append((place, alias if last else name))
            waiting += places[1:]  # those may pass it on
            for place, word in places:
                waiting += [(place, other) for other in given[place].get(word, ())]
                waiting += [(place, other) for other in derived[place].get(word, ())]
                new = [user for user in users[place].get(word, ()) if user not in self.relevant]
                self.relevant.update(new)
                waiting += [(user.outline, other) for user in new for other in _names(user)]

    def _add_users_of_attributes(self) -> None:
        """A method is relevant, too, that uses what one of its class keeps of the engine's, such as a device
        or a model on it, be it in a function of the module to which it gives its object; and so is one that
        calls it."""
        for outline in self.outlines:
            hot = self._hot_names[outline]
            plain = {f.name: f for f in outline.functions.values() if f.owner is None and f.parent is None}
            for cls in outline.classes.values():
                makers = [method for method in cls.methods.values() if method in self.relevant]
                held = set[str]().union(*(_held_by(maker, hot) for maker in makers))
                known = -1
                while held and known < len(held):
                    known = len(held)
                    using = {m for m in cls.methods.values() if self._uses(held, m, plain, set())}
                    held.update(method.name for method in using - self.relevant)
                    self.relevant |= using

    def _uses(
        self, attributes: set[str], function: Function, others: Mapping[str, Function], seen: set[str]
    ) -> bool:
        """Whether a function names one of some attributes, or another does to which it gives its object.

        Args:
            others: The functions of its module.
            seen: The names of those that were looked at.
        """
        if not attributes.isdisjoint(function.attributes()):
            return True
        for name in self._words[function]:
            if name in others and name not in seen and _gives_on(function, name):
                seen.add(name)
                if self._uses(attributes, others[name], others, seen):
                    return True
        return False

    def _visible(self, also: Iterable[Function] = ()) -> dict[Outline, dict[str, list[Function]]]:
        """By module, the names under which functions worth interpreting may be meant there."""
        own: dict[Outline, dict[str, list[Function]]] = {outline: {} for outline in self.outlines}
        for function in sorted({*self.relevant, *also}, key=order):
            names = own[function.outline]
            for name in _names(function):
                names.setdefault(name, []).append(function)
        visible: dict[Outline, dict[str, list[Function]]] = {}
        for outline in self.outlines:
            names = visible[outline] = dict(own[outline])
            for name, source, last in self._imported[outline]:
                if last:
                    for origin, called in self._origins(source, last):
                        if called in own[origin]:
                            names[name] = [*names.get(name, ()), *own[origin][called]]
                else:
                    for inner, functions in own[source].items():
                        names[inner] = [*names.get(inner, ()), *functions]
            # What a class inherits is meant by its name, too.
            derived = _derived(outline)
            waiting = list(derived.keys() & names)
            while waiting:
                base = waiting.pop()
                for name in derived.pop(base, ()):
                    names[name] = [*names.get(name, ()), *names[base]]
                    waiting.append(name)
        return visible

    def _origins(self, source: Outline, name: str) -> list[tuple[Outline, str]]:
        """Where a name of a module may be defined: there, or in those that it imports it from."""
        found = [(source, name)]
        for module, called in found:
            for alias, other, last in self._imported[module]:
                if alias == called and last and (other, last) not in found:
                    found.append((other, last))
        return found


def leading_to(own: set[str], cls: Class, methods: dict[str, Function]) -> list[str]:
    """The methods of a class that it inherits and that name some of its own, be it through others.

    Of those that name one another, the outermost.
    """
    if not own:
        return []
    names = {name: method.attributes() & methods.keys() - {name} for name, method in methods.items()}
    leading, known = set(own), 0
    while known < len(leading):
        known = len(leading)
        leading |= {name for name, inner in names.items() if inner & leading}
    inherited = {name for name in leading if methods[name].owner is not cls}
    inner = {name for outer in leading for name in names[outer]}
    return sorted(inherited - inner - {"__init__"})


def _held_by(maker: Function, hot: set[str]) -> set[str]:
    """The attributes to which a method gives what it makes with one of some names, or with one of them, and
    those of which it calls a method with such a thing, as that which moves a model."""
    names, held = set(hot), set[str]()
    statements = [node for node in within(maker.node) if isinstance(node, ast.Assign | ast.Expr)]
    for node in sorted(statements, key=lambda node: node.lineno):
        if not any(_leads_there(each, names, held) for each in within(node.value)):
            continue
        match node:
            case ast.Assign(targets=targets):
                names.update(target.id for target in targets if isinstance(target, ast.Name))
                held.update(target.attr for target in targets if _is_own(target))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=changed))) if _is_own(changed):
                held.add(changed.attr)
    return held


def _gives_on(function: Function, name: str) -> bool:
    """Whether a function gives one of its parameters, or a method its object, to what is called by a name."""
    given = [*function.parameters.annotations]
    own = given if function.owner is None else given[:1]
    return any(
        isinstance(argument, ast.Name) and argument.id in own
        for node in within(function.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
    )


def _leads_there(node: ast.AST, names: set[str], attributes: set[str]) -> bool:
    match node:
        case ast.Name(name):
            return name in names
        case ast.Attribute(attr=name):
            return name in attributes
        case ast.Constant(str(text)):
            return text.partition(":")[0] == XLA
    return False


def _is_own(target: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether something is an attribute of a name, such as `self.device`."""
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)


def _names_device(text: str) -> bool:
    """Whether a device of XLA is handed on somewhere; seen of most texts without a pattern."""
    if not ("'xla" in text or '"xla' in text):
        return False
    before = (text[: found.start()] for found in _DEVICE.finditer(text))
    return any(_HANDED_ON.search(each.removesuffix("f").rstrip()[-8:]) for each in before)


def saves(function: Function) -> bool:
    """Whether a function saves something, by its name."""
    return function.name.lstrip("_").startswith("save")


def _ends_steps_beside(saver: Function) -> bool:
    """Whether another method of a saver's class names what ends a step."""
    methods = saver.owner.methods.values() if saver.owner is not None else ()
    return any(each is not saver and not MARKERS.isdisjoint(each.attributes()) for each in methods)


def _called_in(root: ast.AST, outline: Outline, names: frozenset[str], lines: list[int]) -> Iterator[str]:
    """Those of some names, which stand in `lines`, by which what no imported module has is called."""
    for node in within_lines(root, lines):
        if isinstance(node, ast.Call) and (name := last_name(node.func)) in names:
            bound = outline.bindings.get(dotted(node.func).partition(".")[0], ())
            if not (isinstance(node.func, ast.Attribute) and any(isinstance(b, Import) for b in bound)):
                yield name


def _reached(some: set[Outline], beside: dict[Outline, set[Outline]]) -> set[Outline]:
    """Some modules, and all that stand beside one of those."""
    reached: set[Outline] = set()
    stack = list(some)
    while stack:
        outline = stack.pop()
        if outline not in reached:
            reached.add(outline)
            stack.extend(beside[outline])
    return reached


def _bringing(outline: Outline) -> Iterator[str]:
    """The names that a module, or a class of it, gives to a device of XLA or a module imported by name, and
    those of such classes."""
    for name, bindings in outline.bindings.items():
        if any(isinstance(binding, ast.expr) and _brings(binding) for binding in bindings):
            yield name
    for cls in outline.classes.values():
        held = [name for name, values in cls.constants.items() if any(map(_brings, values))]
        yield from [*held, cls.name] if held else ()


def _brings(value: ast.expr) -> bool:
    texts = [value, *value.args] if isinstance(value, ast.Call) else [value]
    return any(
        isinstance(text, ast.Constant)
        and isinstance(text.value, str)
        and (text.value.partition(":")[0] == "xla" or text.value.partition(".")[0] == HOT_TOKEN)
        for text in texts
    )


def _made(outline: Outline) -> Iterator[tuple[str, frozenset[str]]]:
    """The names that a module gives to what a call makes, each with the names in the call."""
    for name, bindings in outline.bindings.items():
        words = {
            node.id
            for binding in bindings
            if isinstance(binding, ast.Call)
            for node in within(binding)
            if isinstance(node, ast.Name)
        }
        if words:
            yield name, frozenset(words)


def _dotted_modules(outline: Outline) -> Iterator[str]:
    """The modules of packages that a module imports by their whole names, as in `import package.module`."""
    for node in outline.tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname is None and "." in alias.name:
                    yield alias.name


def _called_for(outline: Outline) -> Iterator[tuple[str, str]]:
    """The names that a module gives to the result of a call, each with what is called, and to tables of
    functions, classes and objects, each with what it holds."""
    for name, bindings in outline.bindings.items():
        for binding in bindings:
            while isinstance(binding, ast.Subscript):
                binding = binding.value
            if isinstance(binding, ast.Call | ast.Dict | ast.List | ast.Tuple | ast.Set):
                yield from ((name, held) for held in _held(binding))


def _held(expression: ast.expr) -> Iterator[str]:
    """The last names of what an expression holds, be it in tables, or calls to make it."""
    match expression:
        case ast.Call(func=func):
            yield from _held(func)
        case ast.Dict(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from _held(part)
        case _ if name := last_name(expression):
            yield name


def _derived(outline: Outline) -> dict[str, list[str]]:
    """By the last name of a base, the classes of a module that derive from it."""
    found: dict[str, list[str]] = {}
    for cls in outline.classes.values():
        for base in cls.bases:
            if name := last_name(base):
                found.setdefault(name, []).append(cls.name)
    return found


def _names(function: Function) -> list[str]:
    """What a function is called by where it is used: a method by its class, too."""
    names = [] if function.owner is None else [function.owner.name]
    return names if function.name == "__init__" else [*names, function.name]


def order(function: Function) -> tuple[str, int, int]:
    """Functions are looked at in the order of their files and lines."""
    return (function.outline.file, function.node.lineno, function.node.col_offset)


def _contains(function: Function, user: Function) -> bool:
    """Whether `user` is defined inside `function`."""
    parent = user.parent
    while parent is not None:
        if parent is function:
            return True
        parent = parent.parent
    return False
