"""The outline of one module: its functions, classes and module-level names, without running it."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from xlalint.knowledge.functions import OTHER_BACKENDS
from xlalint.knowledge.gone import AT_IMPORT
from xlalint.knowledge.methods import MOVES
from xlalint.lazy.site import FRAMEWORK, Site
from xlalint.lazy.values import XLA
from xlalint.program.sections import SIMPLE, Sections, blocks, digest
from xlalint.remembering import remembered
from xlalint.sources.file import split_lines
from xlalint.sources.usage import HOT_TOKEN

if TYPE_CHECKING:
    from xlalint.program.rebinding import Rebinding

ADDS_OPTION: Final = "add_argument"
"""How the method of `argparse` is called that adds an option."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Key = tuple[str, str]
"""What a function or class is known by: its file, and where in which section of it it is defined."""


class Parameters(NamedTuple):
    """The parameters of a function, without those that take any number of arguments.

    Args:
        positional: The names of those that a position may give.
        annotations: All names, with what annotates them.
        defaults: What some of them are by default.
    """

    positional: list[str]
    annotations: dict[str, ast.expr | None]
    defaults: dict[str, ast.expr]


class Function:
    """A function, method or lambda of the project."""

    __slots__ = (
        "_attributes",
        "_key",
        "_parameters",
        "_stored",
        "_used",
        "assigned",
        "decorators",
        "free",
        "is_generator",
        "is_static",
        "name",
        "node",
        "outline",
        "owner",
        "parent",
        "qualname",
    )  # fmt: skip

    def __init__(
        self, outline: Outline, node: FunctionNode, parent: Function | None, owner: Class | None
    ) -> None:
        self.outline = outline
        self.become(node, parent, owner)

    def become(self, node: FunctionNode, parent: Function | None, owner: Class | None) -> None:
        """Be what a node defines, that of another text perhaps, and know nothing of it yet."""
        self.node = node
        self.parent = parent
        self.owner = owner
        self.name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        scope = owner.qualname if owner else parent.qualname if parent else ""
        self.qualname: str = f"{scope}.{self.name}" if scope else self.name
        self.decorators: list[ast.expr] = [] if isinstance(node, ast.Lambda) else node.decorator_list
        self.is_static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in self.decorators)
        self.assigned: frozenset[str] | None = None
        self.free: tuple[str, ...] | None = None
        self.is_generator: bool | None = None
        self._used: set[str] | None = None
        self._attributes: frozenset[str] | None = None
        self._stored: frozenset[str] | None = None
        self._key: Key | None = None
        self._parameters: Parameters | None = None

    def __repr__(self) -> str:
        return f"<{self.outline.name}:{self.qualname}>"

    @property
    def parameters(self) -> Parameters:
        """What a call may give it; asked at every call."""
        if self._parameters is None:
            arguments = self.node.args
            positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
            annotations = {
                a.arg: a.annotation for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            }
            last = positional[len(positional) - len(arguments.defaults) :]
            defaults = dict(zip(last, arguments.defaults, strict=True))
            for keyword_only, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
                if default is not None:
                    defaults[keyword_only.arg] = default
            self._parameters = Parameters(positional, annotations, defaults)
        return self._parameters

    @property
    def receiver(self) -> str:
        """The name of its first parameter, which for a method is the object; empty where it has none."""
        parameters = self.node.args.args
        return parameters[0].arg if parameters else ""

    @property
    def makes_objects(self) -> bool:
        """Whether it is called before there is an object of its class, or without one."""
        by_class = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in self.decorators)
        return by_class or self.is_static or self.name in ("__init__", "__new__")

    @property
    def site(self) -> Site:
        """The place of the definition."""
        return self.outline.site(self.node)

    @property
    def key(self) -> Key:
        """What tells it from all others, and stays when other parts of the module change."""
        if self._key is None:
            self._key = self.outline.key(self.node)
        return self._key

    def locals(self) -> frozenset[str]:
        """Names that the function itself binds, its parameters among them."""
        if self.assigned is None:
            self._look_inside()
        assert self.assigned is not None
        return self.assigned

    def free_names(self) -> tuple[str, ...]:
        """Names that the function uses and an enclosing function binds, in a stable order."""
        if self.free is None:
            if self._used is None:
                self._look_inside()
            assert self._used is not None
            around: set[str] = set()
            parent = self.parent
            while parent is not None:
                around |= parent.locals()
                parent = parent.parent
            self.free = tuple(sorted((self._used - self.locals()) & around))
        return self.free

    def binds(self, name: str) -> bool:
        """Whether a name that the function uses is its own, or that of a function around it."""
        return name in self.locals() or (self.parent is not None and name in self.free_names())

    def outer_names(self) -> frozenset[str]:
        """Names of the module, or builtins, that the function uses."""
        if self._used is None:
            self._look_inside()
        assert self._used is not None
        return frozenset(self._used) - self.locals() - {*self.free_names()}

    def attributes(self) -> frozenset[str]:
        """The names of attributes that stand in the function."""
        if self._attributes is None:
            self._look_inside()
        assert self._attributes is not None
        return self._attributes

    def stored_attributes(self) -> frozenset[str]:
        """The names of attributes that the function assigns, of whatever objects."""
        if self._stored is None:
            self._look_inside()
        assert self._stored is not None
        return self._stored

    def yields(self) -> bool:
        """Whether calling the function makes a generator."""
        if self.is_generator is None:
            self._look_inside()
        return bool(self.is_generator)

    def only_raises(self) -> bool:
        """Whether no call comes back: the last statement raises, and none returns."""
        if not isinstance(self.node, ast.FunctionDef) or not isinstance(self.node.body[-1], ast.Raise):
            return False
        return not any(isinstance(each, ast.Return | ast.Yield | ast.YieldFrom) for each in within(self.node))

    def _look_inside(self) -> None:
        arguments = self.node.args
        bound = {argument.arg for argument in all_arguments(arguments)}
        used: set[str] = set()
        outer: set[str] = set()
        attributes: set[str] = set()
        stored: set[str] = set()
        for header in (arguments, *self.decorators):
            _note_names(header, set(), attributes, stored)
        self.is_generator = False
        body = [self.node.body] if isinstance(self.node, ast.Lambda) else self.node.body
        stack: list[ast.AST] = list(body)
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind in _WITHOUT_PARTS:
                continue
            if isinstance(node, ast.Name):
                (used if node.ctx.__class__ is ast.Load else bound).add(node.id)
                continue
            if kind not in _BINDING:
                if isinstance(node, ast.Attribute):
                    attributes.add(node.attr)
                    if node.ctx.__class__ is ast.Store:
                        stored.add(node.attr)
                stack += parts_of(node)
                continue
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                inner = self.outline.functions.get(node) or Function(self.outline, node, self, None)
                loaded: set[str] = set()
                _note_names(node, loaded, attributes, stored)
                used |= loaded - inner.locals()
                if not isinstance(node, ast.Lambda):
                    bound.add(node.name)
                    stack.extend(node.decorator_list)
                stack.extend(node.args.defaults)
                continue
            if isinstance(node, ast.ClassDef):
                bound.add(node.name)
                _note_names(node, used, attributes, stored)
                continue
            if isinstance(node, ast.Import | ast.ImportFrom):
                bound |= {(a.asname or a.name.split(".")[0]) for a in node.names}
            elif isinstance(node, ast.Global | ast.Nonlocal):
                outer |= set(node.names)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                bound.add(node.name)
            elif isinstance(node, ast.Yield | ast.YieldFrom):
                self.is_generator = True
            stack += parts_of(node)
        self.assigned = frozenset(bound - outer)
        self._used = used | outer
        self._attributes, self._stored = frozenset(attributes), frozenset(stored)


class Class:
    """A class of the project."""

    __slots__ = (
        "_key",
        "bases",
        "constants",
        "gives",
        "methods",
        "name",
        "node",
        "outline",
        "parent",
        "qualname",
    )  # fmt: skip

    def __init__(self, outline: Outline, node: ast.ClassDef, parent: Function | Class | None) -> None:
        self.outline = outline
        self.become(node, parent)

    def become(self, node: ast.ClassDef, parent: Function | Class | None) -> None:
        """Be what a node defines, that of another text perhaps, and know nothing of it yet."""
        self.node = node
        self.parent = parent
        self.name = node.name
        self.qualname: str = f"{parent.qualname}.{node.name}" if parent else node.name
        self.bases = node.bases
        self.methods: dict[str, Function] = {}
        self.constants: dict[str, list[ast.expr]] = {}
        """What its body assigns to names, each in turn: several where a branch does it."""
        self.gives: dict[str, bool] = {}
        """Whether it gives its objects attributes of some names, as far as somebody asked."""
        self._key: Key | None = None

    def __repr__(self) -> str:
        return f"<{self.outline.name}:{self.qualname}>"

    @property
    def key(self) -> Key:
        """What tells it from all others, and stays when other parts of the module change."""
        if self._key is None:
            self._key = self.outline.key(self.node)
        return self._key

    def fields(self) -> list[str]:
        """The names that the class body annotates, in order: what a dataclass takes."""
        return [
            node.target.id
            for node in self.node.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        ]


class Import:
    """A name bound by an import: the module `target`, or `target` as something inside one."""

    __slots__ = ("target",)

    def __init__(self, target: str) -> None:
        self.target = target


class Taken(NamedTuple):
    """What a statement takes of a module when it is run.

    Args:
        module: The dotted name of the module.
        name: What of it; empty: the module itself, or all.
        site: Where the statement stands.
    """

    module: str
    name: str
    site: Site


Tests: TypeAlias = tuple[tuple[ast.expr, bool], ...]
"""Tests, each with how it comes out."""

Binding = Import | Function | Class | ast.expr


class Outline:
    """What a module defines. Nothing of it is executed."""

    def __init__(
        self, path: Path, text: str, tree: ast.Module, name: str, is_package: bool,
        false_tests: frozenset[str] = OTHER_BACKENDS, apart: int = 1,
    ) -> None:  # fmt: skip
        """
        Args:
            name: The dotted name of the module.
            is_package: Whether it is an `__init__`.
            false_tests: Names that are false in it: tests for other backends.
            apart: How far the numbers of its lines lie apart; see `Sections`.
        """
        self.path = path
        self.name = name
        self.is_package = is_package
        self.false_tests = false_tests
        self.file = str(path)
        self.folder = str(path.parent)
        self.is_framework = self.file.startswith(FRAMEWORK)
        self._former: dict[str, Function | Class] = {}
        """By key, what was defined in the text before this one, and has not been met since."""
        self._apart = apart
        self._before: Sections | None = None
        self._take(text, tree)

    def change(self, text: str, tree: ast.Module) -> None:
        """Be the outline of another text. What has the same key stays the same object."""
        self._former.update((one.key[1], one) for one in self._defined())
        self._before = self.sections
        self._take(text, tree)
        self._before = None

    def _defined(self) -> list[Function | Class]:
        return [*self.functions.values(), *self.classes.values()]

    def _take(self, text: str, tree: ast.Module) -> None:
        self.text = text
        self.tree = tree
        self.bindings: dict[str, list[Binding]] = {}
        self.functions: dict[ast.AST, Function] = {}
        self.classes: dict[ast.AST, Class] = {}
        self.imported_there: dict[ast.expr, tuple[str, str]] = {}
        """Of calls whose results functions bind to global names, the name that they begin with, and what that
        is, where the function itself imports it."""
        self.in_branches: dict[ast.expr, Tests] = {}
        """What a branch or a loop of its body assigns, with the tests of the `if` statements around it: the
        name may as well be what it was before."""
        self.star_imports: list[str] = []
        self.rebinding: Rebinding | None = None
        """When its names are bound anew; None until somebody asks."""
        self._mentioned: dict[frozenset[str], bool] = {}
        self._sites: dict[ast.AST, Site] = {}
        self._options: dict[str, object] | None = None
        self._lines: list[str] | None = None
        self._sections: Sections | None = None
        self._by_key: dict[str, Function | Class] | None = None
        self._asks_if_run: bool | None = None
        self.declared: set[str] = set()
        """The names that functions declare global."""
        self._collect(tree.body, None, None)
        if _declares_globals(text):
            self._collect_globals()

    def close(self) -> None:
        """Forget the module; see `Program.close`."""
        # Whoever still knows one of them does not hold the tree.
        for cls in self.classes.values():
            cls.methods.clear()
            cls.node = _GONE
        for function in self.functions.values():
            function.node = _NOBODY
        self.bindings.clear()
        self.functions.clear()
        self.classes.clear()
        self._sites.clear()
        self._lines = self._sections = self._by_key = None
        self.rebinding = None
        self.text = ""
        self.tree = ast.Module([], [])

    @property
    def lines(self) -> list[str]:
        """The lines of the text, as Python counts them."""
        if self._lines is None:
            self._lines = split_lines(self.text)
        return self._lines

    @property
    def sections(self) -> Sections:
        """The parts of the module that places are counted in."""
        if self._sections is None:
            self._sections = Sections(self.tree, self.lines, self._apart, self._before)
        return self._sections

    def site(self, node: ast.AST) -> Site:
        """The place of a node of this module, counted in its section."""
        site = self._sites.get(node)
        if site is None:
            site = self._sites[node] = self._find_site(node)
        return site

    def _find_site(self, node: ast.AST) -> Site:
        line: int = node.lineno  # type: ignore[attr-defined]
        section = self.sections.at(line)
        number = self.sections.number(section, line)
        if isinstance(node, ast.ClassDef):
            # Of a class, only the header is in its section.
            return Site(self.file, number, node.col_offset, number, 0, None, section.name)
        return Site(
            self.file,
            number,
            node.col_offset,  # type: ignore[attr-defined]
            self.sections.number(section, node.end_lineno),  # type: ignore[attr-defined]
            node.end_col_offset,  # type: ignore[attr-defined]
            None,
            section.name,
        )

    def key(self, node: ast.AST) -> Key:
        """What tells a function or class from all others; it stays when other sections change."""
        line: int = node.lineno  # type: ignore[attr-defined]
        section = self.sections.at(line)
        number = self.sections.number(section, line)
        return self.file, f"{section.name}:{number}:{node.col_offset}"  # type: ignore[attr-defined]

    def definition(self, key: str) -> Function | Class | None:
        """The function or class that has a key in this module."""
        if self._by_key is None:
            self._by_key = {one.key[1]: one for one in self._defined()}
        return self._by_key.get(key)

    def binding_digest(self, name: str) -> str:
        """What changes when the module binds a name to something else; what is bound may change inside."""
        if name not in self.bindings:
            return f"from {' '.join(self.star_imports)}" if self.star_imports else ""
        return ";".join(map(self._binding, self.bindings[name]))

    def _binding(self, binding: Binding) -> str:
        if isinstance(binding, Import):
            return binding.target
        if isinstance(binding, Function | Class):
            return binding.key[1]
        section = self.sections.at(binding.lineno)
        return f"{self.sections.digest(section.name)}:{binding.lineno - section.first}:{binding.col_offset}"

    def body_digest(self) -> str:
        """What changes when the module's own statements do, the functions that it defines left out."""
        return digest("\n".join(map(self._statement, self.tree.body)))

    def class_digest(self, cls: Class) -> str:
        """What changes when a class does, but for what stands in its methods."""
        header = self.sections.digest(self.sections.at(cls.node.lineno).name)
        return digest("\n".join([header, *map(self._statement, cls.node.body)]))

    def _statement(self, node: ast.stmt) -> str:
        name = self.sections.at(node.lineno).name
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return name
        return f"{self.sections.digest(name)}:{node.col_offset}"

    def mentions(self, names: frozenset[str]) -> bool:
        """Whether the code, not a comment or a text in it, uses one of these names."""
        known = self._mentioned.get(names)
        if known is None:
            near = within_lines(self.tree, self.lines_with(names))
            known = self._mentioned[names] = any(not names.isdisjoint(_names_in(node)) for node in near)
        return known

    def lines_with(self, names: Iterable[str]) -> list[int]:
        """The numbers of the lines in which one of some names stands, be it in a comment or a text."""
        found: set[int] = set()
        for name in names:
            if name in self.text:  # as in few modules
                found.update([number for number, line in enumerate(self.lines, 1) if name in line])
        return sorted(found)

    def taken(self) -> list[Taken]:
        """What imports of the body itself take, whatever happens, and what it uses that may be gone."""
        uses = any(word.decode() in self.text for word in AT_IMPORT)
        found: list[Taken] = []
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                found += self.taken_by(node)
            elif uses:
                found += self._used_at_once(node)
        return found

    @property
    def is_script(self) -> bool:
        """Whether it is run by itself, and says nothing of where imports start."""
        return self._is_run and "sys.path" not in self.text

    @property
    def looks_elsewhere_first(self) -> bool:
        """Whether it is run by itself, and has imports start in another folder."""
        return self._is_run and "sys.path.insert(0," in self.text

    @property
    def _is_run(self) -> bool:
        """Whether it asks if it is run by itself; all who import from it want to know."""
        if self._asks_if_run is None:
            self._asks_if_run = "__main__" in self.text
        return self._asks_if_run

    @property
    def makes_modules(self) -> bool:
        """Whether it may put modules of its own in the place of those that are gone."""
        return "sys.modules[" in self.text

    def taken_by(self, node: ast.Import | ast.ImportFrom) -> Iterator[Taken]:
        """What an import statement takes."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Taken(alias.name, "", self.site(node))
        else:
            module = self.absolute(node.module, node.level)
            for alias in node.names:
                yield Taken(module, "" if alias.name == "*" else alias.name, self.site(node))

    def _used_at_once(self, node: ast.AST) -> Iterator[Taken]:
        """What a statement of the body uses of an imported module when it is run, by its dotted name."""
        if isinstance(node, ast.Try | ast.If | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        name = dotted(node) if isinstance(node, ast.Attribute) else ""
        root, _, rest = name.partition(".")
        bound = self.bindings.get(root, ())
        if rest and bound and all(isinstance(each, Import) for each in bound):
            module, _, last = f"{bound[0].target}.{rest}".rpartition(".")  # type: ignore[union-attr]
            yield Taken(module, last, self.site(node))
        for part in parts_of(node):
            yield from self._used_at_once(part)

    def default_of_option(self, name: str) -> object:
        """What an option of the command line is by default; None if the module adds none of this name.

        One that is only named to be on (`store_true`) is False.
        """
        if self._options is None:
            self._options = self._find_options() if ADDS_OPTION in self.text else {}
        return self._options.get(name)

    def default_of_field(self, name: str) -> object:
        """What a field of the classes of the module is by default, as `field(default=...)` or not; None where
        none has one, or not all have the same."""
        found: set[object] = set()
        for cls in self.classes.values():
            for node in cls.node.body:
                match node:
                    case ast.AnnAssign(target=ast.Name(id=field), value=value) if field == name:
                        found.add(_constant_of(value))
        return found.pop() if len(found) == 1 else None

    def _find_options(self) -> dict[str, object]:
        """The options that the module adds, each with what it is by default; of a choice with XLA, that.

        A program that is checked for XLA is one that is told to use it.
        """
        options: dict[str, object] = {}
        for node in within_lines(self.tree, self.lines_with((ADDS_OPTION,))):
            match node:
                case ast.Call(func=ast.Attribute(attr=method), args=flags, keywords=keywords):
                    given = {each.arg: each.value for each in keywords}
                    texts = [*flags, given.get("dest")]
                    action = given.get("action")
                    is_flag = isinstance(action, ast.Constant) and action.value == "store_true"
                    default = given.get("default", ast.Constant(False) if is_flag else None)
                    if isinstance(default, ast.Name):
                        default = self._given_for(default.id, node) or default
                    match given.get("choices"):
                        case ast.List(elts=choices) | ast.Tuple(elts=choices) | ast.Set(elts=choices):
                            default = next(filter(_names_xla, choices), default)
                    match default:
                        case ast.Constant(value=value):
                            pass
                        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                            value = -number
                        case _:
                            continue
                    if method == ADDS_OPTION:
                        for text in texts:
                            if isinstance(text, ast.Constant):
                                name = str(text.value).lstrip("-").replace("-", "_")
                                options.setdefault(name, value)
        return options

    def _given_for(self, name: str, inside: ast.expr) -> ast.expr | None:
        """What a parameter of the function around something is in each call of it that the module writes, be
        it by default; None where they differ, or nothing tells."""
        around = [
            function
            for function in self.functions.values()
            if function.node.lineno <= inside.lineno <= (function.node.end_lineno or 0)
        ]
        function = max(around, key=lambda function: function.node.lineno, default=None)
        if function is None or name not in function.parameters.annotations:
            return None
        for node in within_lines(function.node, self.lines_with((name,))):
            if isinstance(node, ast.Name) and node.id == name and node.ctx.__class__ is ast.Store:
                return None
        positional, defaults = function.parameters.positional, function.parameters.defaults
        given: dict[str, ast.expr | None] = {}
        for call in within_lines(self.tree, self.lines_with((function.name,))):
            if not isinstance(call, ast.Call) or dotted(call.func) != function.name:
                continue
            by_name = {each.arg: each.value for each in call.keywords}
            by_place = dict(zip(positional, call.args, strict=False))
            open_ended = None in by_name or any(isinstance(each, ast.Starred) for each in call.args)
            value = None if open_ended else by_name.get(name, by_place.get(name, defaults.get(name)))
            given["" if value is None else ast.dump(value)] = value
        return next(iter(given.values())) if len(given) == 1 else None

    def set_in_body(self, mapping: str, key: str) -> object:
        """What the body of the module puts under a key of a mapping, in any case; None if it is no constant,
        or the module puts something there elsewhere, too."""
        found: list[ast.Assign] = []
        for node in within_lines(self.tree, self.lines_with((key,))):
            match node:
                case ast.Assign(targets=[ast.Subscript(of, ast.Constant(value=under))]):
                    if under == key and dotted(of) == mapping:
                        found.append(node)
                case ast.Call(func=ast.Attribute(of, attr=method), args=[ast.Constant(value=under), *_]):
                    if under == key and dotted(of) == mapping and method in _SETTING_ITEMS:
                        return None
        if len(found) != 1 or found[0] not in self.tree.body:
            return None
        value = found[0].value
        return value.value if isinstance(value, ast.Constant) else None

    def absolute(self, module: str | None, level: int) -> str:
        """The dotted name that `from <level dots><module> import` means in this module."""
        return absolute(self.name, self.is_package, module or "", level)

    def function(self, node: FunctionNode, parent: Function | None) -> Function:
        """The function that `node` defines; lambdas are made known when first met."""
        return self.functions.get(node) or self._function(node, parent, None)

    def _function(self, node: FunctionNode, parent: Function | None, owner: Class | None) -> Function:
        known = self._former.pop(self.key(node)[1], None) if self._former else None
        if isinstance(known, Function):
            known.become(node, parent, owner)
        else:
            known = Function(self, node, parent, owner)
        self.functions[node] = known
        return known

    def _class(self, node: ast.ClassDef, parent: Function | Class | None) -> Class:
        known = self._former.pop(self.key(node)[1], None) if self._former else None
        if isinstance(known, Class):
            known.become(node, parent)
        else:
            known = Class(self, node, parent)
        self.classes[node] = known
        return known

    def imports(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        """The names that an import statement binds, with what each means."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    yield alias.asname, alias.name
                else:
                    yield alias.name.split(".")[0], alias.name.split(".")[0]
        else:
            source = self.absolute(node.module, node.level)
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name, f"{source}.{alias.name}"

    def _bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def _collect_globals(self) -> None:
        """Names that functions declare global, and import, or give what something of the module makes.

        What stands in a function may mean less outside, but for calls of what the module or the function
        knows.
        """
        declaring = self.lines_with(["global"])
        for function in self.functions.values():
            if not stands_in(function.node, declaring):
                continue
            nodes = within(function.node)
            declared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
            if not declared:
                continue
            self.declared |= declared
            own = dict(
                imported
                for node in nodes
                if isinstance(node, ast.Import | ast.ImportFrom)
                for imported in self.imports(node)
            )
            for name in sorted(declared.intersection(own)):
                self._bind(name, Import(own[name]))
            given: dict[str, list[ast.expr]] = {}
            for node in nodes:
                for target, value in _givings(node):
                    for name, part in _assigned(target, value):
                        given.setdefault(name, []).append(part)
            for name in sorted(declared.intersection(given)):
                for value in given[name]:
                    self._bind_global(name, value, own, given, set(declared))

    def _bind_global(
        self, name: str, value: ast.expr, own: dict[str, str], given: dict[str, list[ast.expr]],
        seen: set[str],
    ) -> None:  # fmt: skip
        """Bind a name to what a function gives it, which imports what `own` says, and gives its own names
        what `given` says; those that were `seen` on the way stand for nothing new."""
        match value:
            case ast.Name(imported) if imported in own:
                self._bind(name, Import(own[imported]))
            case ast.Name(local) if local in given and local not in seen:
                for each in given[local]:
                    self._bind_global(name, each, own, given, {*seen, local})
            case ast.IfExp(body=yes, orelse=no):
                self._bind_global(name, yes, own, given, seen)
                self._bind_global(name, no, own, given, seen)
            case ast.Call(func=called) | ast.Subscript(value=called):
                root = _root(called)
                if root in own:
                    self.imported_there[value] = root, own[root]
                if root in own or root in self.bindings:
                    self._bind(name, value)

    def _collect(
        self, body: list[ast.stmt], parent: Function | None, owner: Class | None, tests: Tests = ()
    ) -> None:
        """Walk statements, not expressions: functions at any depth, names of the module level."""
        at_module = parent is None and owner is None
        for node in body:
            if parent is not None and owner is None and node.__class__ in SIMPLE:
                continue  # a function's own names are found when it is looked into
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                function = self._function(node, parent, owner)
                if owner is not None:
                    owner.methods[_method_name(node)] = function
                elif at_module:
                    self._bind(node.name, function)
                self._collect(node.body, function, None)
            elif isinstance(node, ast.ClassDef):
                cls = self._class(node, owner or parent)
                if at_module:
                    self._bind(node.name, cls)
                self._collect(node.body, parent, cls)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                if at_module:
                    for name, target in self.imports(node):
                        self._bind(name, Import(target))
                    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                        self.star_imports.append(self.absolute(node.module, node.level))
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                if owner is not None and node.value is not None:
                    for assigned in node.targets if isinstance(node, ast.Assign) else [node.target]:
                        if isinstance(assigned, ast.Name):
                            given = owner.constants.setdefault(assigned.id, [])
                            if body is owner.node.body:
                                given.clear()
                            given.append(node.value)
                            if isinstance(node.value, ast.Name) and node.value.id in owner.methods:
                                owner.methods[assigned.id] = owner.methods[node.value.id]
                elif at_module and node.value is not None:
                    for assigned in node.targets if isinstance(node, ast.Assign) else [node.target]:
                        for name, value in _assigned(assigned, node.value):
                            self._bind(name, value)
                            if body is not self.tree.body:
                                self.in_branches[value] = tests
            elif at_module and (moved := _moved(node)) is not None:
                if moved.func.value.id in self.bindings:  # type: ignore[attr-defined]
                    self._bind(moved.func.value.id, moved)  # type: ignore[attr-defined]
                    if body is not self.tree.body:
                        self.in_branches[moved] = tests
            elif at_module and isinstance(node, ast.Try) and _brings_xla_in(node):
                self._collect_guarded(node, tests)
            elif at_module and isinstance(node, ast.If):
                self._collect(node.body, parent, owner, (*tests, (node.test, True)))
                self._collect(node.orelse, parent, owner, (*tests, (node.test, False)))
            else:
                for inner in blocks(node):
                    self._collect(inner, parent, owner, tests)

    def _collect_guarded(self, node: ast.Try, tests: Tests) -> None:
        """Walk a `try` that imports torch_xla: what its body binds, no handler binds in its place."""
        before = {name: len(bindings) for name, bindings in self.bindings.items()}
        for block in (node.body, node.orelse):
            self._collect(block, None, None, tests)
        bound = {
            name: len(bindings)
            for name, bindings in self.bindings.items()
            if len(bindings) > before.get(name, 0)
        }
        for handler in node.handlers:
            self._collect(handler.body, None, None, tests)
        for name, count in bound.items():
            del self.bindings[name][count:]
        self._collect(node.finalbody, None, None, tests)


_GONE: Final = ast.ClassDef("", [], [], [], [])
_NOBODY: Final = ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Constant(None))
"""What classes and functions of a module that is closed are made of."""


def guards_imports(node: ast.Try) -> bool:
    """Whether a `try` guards imports: then its handlers are for when torch_xla is not there."""
    if not any(isinstance(s, ast.Import | ast.ImportFrom) for s in node.body):
        return False
    for handler in node.handlers:
        caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {c.id for c in caught if isinstance(c, ast.Name)}
        if not names & {"ImportError", "ModuleNotFoundError"} and handler.type is not None:
            return False
    return True


def _brings_xla_in(node: ast.Try) -> bool:
    """Whether a `try` guards an import of torch_xla."""
    return guards_imports(node) and any(
        name.partition(".")[0] == HOT_TOKEN for statement in node.body for name in _modules_of(statement)
    )


def _modules_of(statement: ast.stmt) -> list[str]:
    """The modules that an import statement names."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [statement.module or ""] if isinstance(statement, ast.ImportFrom) else []


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment binds, each with an expression of what it is given."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        if any(isinstance(inner, ast.Starred) for inner in target.elts):
            return
        for index, inner in enumerate(target.elts):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                part = value.elts[index]
            else:
                part = ast.copy_location(ast.Subscript(value, ast.Constant(index), ast.Load()), value)
                ast.copy_location(part.slice, value)
            yield from _assigned(inner, part)


def _givings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What a statement assigns to which targets; to that of a loop, what it goes over holds."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield target, value
        case ast.For(target=ast.Name() as target, iter=held):
            yield target, ast.copy_location(ast.Subscript(held, target, ast.Load()), held)


def _moved(node: ast.stmt) -> ast.Call | None:
    """The call of a statement such as `model.to(device)`, which moves what a name of the module means."""
    if not (isinstance(node, ast.Expr) and isinstance(call := node.value, ast.Call)):
        return None
    method = call.func
    moves = isinstance(method, ast.Attribute) and method.attr in MOVES and isinstance(method.value, ast.Name)
    return call if moves else None


def _declares_globals(text: str) -> bool:
    """Whether `global` begins a statement, and is not only a word of some prose."""
    at = text.find(_GLOBAL)
    while at >= 0:
        before = text[text.rfind("\n", 0, at) + 1 : at].rstrip(" \t\f")
        if not before or before[-1] in ";:\r":
            return True
        at = text.find(_GLOBAL, at + 1)
    return False


_GLOBAL: Final = "global "

_SETTING_ITEMS: Final = frozenset({"pop", "setdefault"})
"""Methods of mappings that may change what is under a key."""


def dotted(node: ast.expr) -> str:
    """A name or a chain of attributes as written; empty for every other expression."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join((node.id, *reversed(attributes))) if attributes else node.id


def last_name(node: ast.expr | None) -> str:
    """A name, or the last of a chain of attributes; empty for every other expression."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _root(node: ast.expr) -> str | None:
    """The name that a dotted name begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _method_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What a method is known by: a property's setter has its name, and does not take its place."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
            return f"{node.name}.{decorator.attr}"
    return node.name


def absolute(name: str, is_package: bool, module: str, level: int) -> str:
    """The dotted name that `from <level dots><module> import` means in the module `name`."""
    if level == 0:
        return module
    parts = name.split(".")
    if not is_package:
        parts = parts[:-1]
    parts = parts[: len(parts) - (level - 1)]
    return ".".join([*parts, *([module] if module else [])])


def imports_in(told: str) -> list[str]:
    """What the imports mean that `binding_digest` tells of; nothing else that it tells looks like them."""
    return [binding for binding in told.split(";") if binding and ":" not in binding and " " not in binding]


def _names_xla(choice: ast.expr) -> bool:
    """Whether what an option may be is a text that names a device of XLA."""
    return isinstance(choice, ast.Constant) and str(choice.value).partition(":")[0] == XLA


def _names_in(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return (name,)
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return tuple(alias.name.rpartition(".")[2] for alias in aliases)
        case _:
            return ()


def parts_of(node: ast.AST) -> list[ast.AST]:
    """The nodes that a node is made of, but for those without parts of their own."""
    kind = node.__class__
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(name for name in node._fields if name not in _WITHOUT_NODES)
    parts: list[ast.AST] = []
    for name in fields:
        field = getattr(node, name, None)
        if field.__class__ is list:
            if field:
                parts += [part for part in field if isinstance(part, ast.AST)]
        elif isinstance(field, ast.AST):
            parts.append(field)
    return parts


_FIELDS: Final[dict[type, tuple[str, ...]]] = {}
"""By kind of node, the fields in which there may be nodes with parts."""
_WITHOUT_NODES: Final = frozenset({
    "ctx", "op", "ops", "attr", "id", "names", "module", "level", "kind", "type_comment", "simple",
    "conversion", "is_async", "lineno",
})  # fmt: skip
"""Fields that hold texts, numbers, operators, or names that an import binds."""


_WITHOUT_PARTS: Final = frozenset({
    ast.Constant, ast.Pass, ast.Break, ast.Continue, *ast.expr_context.__subclasses__(),
    *ast.boolop.__subclasses__(), *ast.operator.__subclasses__(), *ast.unaryop.__subclasses__(),
    *ast.cmpop.__subclasses__(),
})  # fmt: skip
_BINDING: Final = frozenset({
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global,
    ast.Nonlocal, ast.ExceptHandler, ast.Yield, ast.YieldFrom,
})  # fmt: skip
"""Nodes that bind names, beside names themselves, or make their function a generator."""


def within(root: ast.AST) -> list[ast.AST]:
    """A node and all nodes in it that may have parts, and names, in any order: faster than `ast.walk`."""
    found: list[ast.AST] = []
    stack = [root]
    while stack:
        node = stack.pop()
        found.append(node)
        if node.__class__ not in _WITHOUT_PARTS:
            stack += parts_of(node)
    return found


@remembered(16384)  # asked of each statement again and again
def named(root: ast.AST, by: type[ast.expr_context] = ast.Load) -> frozenset[str]:
    """The names in a node that it loads, or does something else with."""
    return frozenset(each.id for each in within(root) if isinstance(each, ast.Name) and type(each.ctx) is by)


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """What a function takes, however it is given."""
    extra = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


SCOPES: Final = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp,
)  # fmt: skip
"""What binds names of its own."""


def _constant_of(value: ast.expr | None) -> object:
    """What a field of a class is by default, by how that is written."""
    match value:
        case ast.Call(keywords=keywords):
            given = [each.value for each in keywords if each.arg == "default"]
            return _constant_of(given[0]) if given else None
        case ast.Constant(value=constant):
            return constant
    return None


def within_lines(root: ast.AST, lines: list[int]) -> Iterator[ast.AST]:
    """Those of the nodes of `within` that may stand in some lines, and few others: where these are few, that
    is much faster.

    Args:
        lines: Their numbers, in order.
    """
    stack = [root] if lines else []
    while stack:
        node = stack.pop()
        if not stands_in(node, lines):
            continue
        if node.__class__ is ast.JoinedStr:
            yield from within(node)  # before Python 3.12, the places inside are not to be relied on
            continue
        yield node
        if node.__class__ not in _WITHOUT_PARTS:
            stack += parts_of(node)


def stands_in(node: ast.AST, lines: list[int]) -> bool:
    """Whether a node has a part in one of some lines, as far as it says where it stands."""
    first: int | None = getattr(node, "lineno", None)
    if first is None:
        return True
    if getattr(node, "decorator_list", None):
        first = min(first, *(each.lineno for each in node.decorator_list))  # type: ignore[attr-defined]
    following = bisect_left(lines, first)
    return following < len(lines) and lines[following] <= node.end_lineno  # type: ignore[attr-defined]


def _note_names(root: ast.AST, loaded: set[str], attributes: set[str], stored: set[str]) -> None:
    """Note the names that a node loads, the attributes in it, and those of them that it stores."""
    for node in within(root):
        if isinstance(node, ast.Name):
            if node.ctx.__class__ is ast.Load:
                loaded.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
            if node.ctx.__class__ is ast.Store:
                stored.add(node.attr)
