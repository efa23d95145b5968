"""Which names of torch_xla a file uses, and whether the code asks first if they are there."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from xlalint.knowledge import lifecycle
from xlalint.knowledge.gone import OF_TORCH
from xlalint.lazy.events import ApiUsed
from xlalint.lazy.site import site_of
from xlalint.program.outline import all_arguments, dotted
from xlalint.program.words import words_in
from xlalint.sources.usage import FORMER

Resolve = Callable[[str], str | None]

PACKAGE: Final = "torch_xla"
EXTENSION: Final = "_XLAC"
"""What torch_xla is written in beside Python, a module of its own."""


def api_uses(module: ast.Module, lines: list[str], resolve: Resolve, path: str) -> Iterator[ApiUsed]:
    """The uses of torch_xla's names in a file, in the order of the text.

    A use is an import, a name or chain of attributes as it is written, or a keyword of a call.

    Args:
        module: The file.
        lines: Its text, line by line.
        resolve: What a dotted text means at module level, such as `torch_xla.core.xla_model.save`
            for `xm.save`; None for a name that no import binds.
        path: What the sites of the events name as their file.
    """
    walker = _Walker(lines, resolve)
    walker.block(module.body)
    yield from walker.events(path)


class _Binding:
    """How a scope binds a name."""

    __slots__ = ("alternatives", "guarded", "targets")

    def __init__(self) -> None:
        self.targets: list[str] = []  # what imports bind it to
        self.guarded = False  # whether one of them stands where a failure is expected
        self.alternatives = 0  # bindings that are no imports, None apart

    @property
    def target(self) -> str | None:
        """What the name means if torch_xla has it; None when no import binds it."""
        ours = [target for target in self.targets if _ours(target)]
        return ours[0] if ours else self.targets[0] if self.targets else None

    def protects(self, name: str) -> bool:
        """Whether the import of the name that is used was itself prepared to fail."""
        if not self.guarded:
            return False
        if name in self.targets and (self.alternatives or len(set(self.targets)) > 1):
            return True
        lives = [lifecycle.of(target) for target in self.targets if f"{name}.".startswith(f"{target}.")]
        return any(life is not None and life.removed is not None for life in lives)


class _Scope:
    """A module, class, function, lambda or comprehension."""

    __slots__ = ("bound", "defined", "elsewhere", "is_class", "is_comprehension", "name", "parent")

    def __init__(self, parent: _Scope | None, name: str = "", *, is_class: bool = False) -> None:
        self.parent = parent
        self.name = name
        self.is_class = is_class
        self.is_comprehension = False
        self.bound: dict[str, _Binding] = {}
        self.defined: set[str] = set()  # by `def` or `class`
        self.elsewhere: set[str] = set()  # declared global or nonlocal


class _Use(NamedTuple):
    scope: _Scope
    node: ast.expr | ast.alias
    text: str
    guarded: bool
    keywords: tuple[tuple[str, ast.keyword], ...] = ()
    imported: bool = False
    compared: bool = False
    """Whether types are only compared with it."""


class _Walker:
    """One pass over a file. Uses are gathered with their scopes and resolved at the end, when all
    bindings are known: Python binds a name for the whole of its scope."""

    def __init__(self, lines: list[str], resolve: Resolve) -> None:
        self._lines = lines
        self._resolve = resolve
        # A function may import a name that others use.
        self._binds_for_others = any("global" in line and _GLOBAL.search(line) for line in lines)
        self._meanings: dict[str, str | None] = {}
        self._roots: dict[str, bool] = {}
        self._module = self._scope = _Scope(None)
        self._imported: set[str] = set()
        self._stars: list[str] = []
        """The modules of which all names are imported, as far as none but torch_xla's came after them."""
        self._uses: list[_Use] = []
        self._guarded = False
        self._guarded_imports = False
        self._gate = False  # whether a version test was met in the expression being walked
        self._gate_names: set[str] = set()
        self._compared = False

    # Results ------------------------------------------------------------------------------------

    def events(self, path: str) -> Iterator[ApiUsed]:
        found: list[ApiUsed] = []
        for use in self._uses:
            name, binding = (use.text, None) if use.imported else self._meaning(use.scope, use.text)
            if name is None or not (_ours(name) or _gone(name)):
                continue
            if name.startswith(FORMER) and not use.imported:
                continue
            guarded = use.guarded or (binding is not None and binding.protects(name))
            if use.compared:
                life = lifecycle.of(name)
                guarded |= life is not None and life.removed is None
            found.append(ApiUsed(site_of(path, use.node), name=_gone(name) or name, protected=guarded))
            for keyword, node in use.keywords:
                found.append(ApiUsed(site_of(path, node), name=name, keyword=keyword, protected=guarded))
        found.sort(key=lambda event: event.site)
        return iter(found)

    def _meaning(self, scope: _Scope, text: str) -> tuple[str | None, _Binding | None]:
        root, _, rest = text.partition(".")
        around: _Scope | None = scope
        while around is not None and around is not self._module:
            binding = around.bound.get(root)
            if binding is not None and (not around.is_class or around is scope):
                if binding.target is None:
                    return None, None
                if _ours(binding.target):
                    return _joined(binding.target, rest), binding
                # Another module may pass torch_xla's names on, if `resolve` means this import.
                return (None if root in self._module.bound else self._at_module(text)), binding
            around = around.parent
        binding = self._module.bound.get(root)
        if binding is not None and not binding.targets and root in self._module.defined:
            return None, None  # torch_xla's own definition of it
        name = self._at_module(text)
        if name is None and binding is not None and binding.target is not None and _ours(binding.target):
            name = _joined(binding.target, rest)
        if name is None and binding is not None and binding.target is not None and not _gone(binding.target):
            name = _gone(_joined(binding.target, rest)) or None
        if name is None and binding is None and (star := self._star_with(root)) is not None:
            name = f"{star}.{text}"
        return name, binding

    def _star_with(self, name: str) -> str | None:
        """The module that brings a name with all its others."""
        return next((star for star in self._stars if lifecycle.seen(f"{star}.{name}")), None)

    def _at_module(self, text: str) -> str | None:
        if text not in self._meanings:
            self._meanings[text] = self._resolve(text)
        return self._meanings[text]

    # Bindings -----------------------------------------------------------------------------------

    def _bind(self, name: str, target: str | None = None, *, is_none: bool = False) -> None:
        scope = self._scope
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        if name in scope.elsewhere and scope is not self._module:
            scope = self._module
        binding = scope.bound.get(name)
        if binding is None:
            binding = scope.bound[name] = _Binding()
        if target is not None:
            binding.targets.append(target)
            binding.guarded |= self._guarded or self._guarded_imports
            self._imported.add(name)
        elif not is_none:
            binding.alternatives += 1

    def _bind_target(self, target: ast.expr, *, is_none: bool = False) -> None:
        match target:
            case ast.Name():
                self._bind(target.id, is_none=is_none)
            case ast.Tuple() | ast.List():
                for element in target.elts:
                    self._bind_target(element)
            case ast.Starred():
                self._bind_target(target.value)
            case _:
                self.expression(target)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        guarded = self._guarded or self._guarded_imports
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                self._bind(alias.asname or first, alias.name if alias.asname else first)
                if _ours(alias.name) or _gone(alias.name):
                    self._uses.append(_Use(self._scope, alias, alias.name, guarded, imported=True))
            return
        source = node.module or ""
        for alias in node.names:
            if alias.name == "*":
                self._stars = [*self._stars, source] if not node.level and _ours(source) else []
            else:
                # What a relative import means is known to `resolve` alone.
                self._bind(alias.asname or alias.name, f"{'.' * node.level}{_joined(source, alias.name)}")
            name = source if alias.name == "*" else f"{source}.{alias.name}"
            if node.level == 0 and (_ours(source) or _gone(name)):
                self._uses.append(_Use(self._scope, alias, name, guarded, imported=True))

    # Statements ---------------------------------------------------------------------------------

    def block(self, body: Iterable[ast.stmt]) -> None:
        guarded = self._guarded
        for node in body:
            self.statement(node)
            if isinstance(node, ast.If) and self._gate and (_leaves(node.body) or _leaves(node.orelse)):
                self._guarded = True  # the rest is for the other versions
        self._guarded = guarded

    def statement(self, node: ast.stmt) -> None:
        self._gate = False
        match node:
            case ast.Expr():
                self.expression(node.value)
            case ast.Assign():
                self.expression(node.value)
                is_none = isinstance(node.value, ast.Constant) and node.value.value is None
                for target in node.targets:
                    self._bind_target(target, is_none=is_none)
                    if self._gate and isinstance(target, ast.Name):
                        self._gate_names.add(target.id)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.If() | ast.While():
                self.expression(node.test)
                gate = self._gate
                self._guarding(gate, node.body)
                self._guarding(gate, node.orelse)
                self._gate = gate
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node)
            case ast.ClassDef():
                self._class(node)
            case ast.Return():
                if node.value is not None:
                    self.expression(node.value)
                    if self._gate:
                        self._gate_names.add(self._scope.name)
            case ast.Try():
                self._try(node)
            case ast.With() | ast.AsyncWith():
                self._with(node)
            case ast.For() | ast.AsyncFor():
                self.expression(node.iter)
                self._bind_target(node.target)
                self.block(node.body)
                self.block(node.orelse)
            case ast.AnnAssign():
                self.expression(node.annotation)
                if node.value is not None:
                    self.expression(node.value)
                    self._bind_target(node.target)
            case ast.Global() | ast.Nonlocal():
                self._scope.elsewhere.update(node.names)
            case ast.Match():
                self.expression(node.subject)
                for case in node.cases:
                    self._pattern(case.pattern)
                    if case.guard is not None:
                        self.expression(case.guard)
                    self.block(case.body)
            case _:
                if hasattr(node, "handlers"):  # try with except*
                    self._try(node)  # type: ignore[arg-type]
                else:
                    self._children(node)

    def _guarding(self, guards: bool, body: Iterable[ast.stmt]) -> None:
        outside = self._guarded
        self._guarded = outside or guards
        self.block(body)
        self._guarded = outside

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.expression(decorator)
        gate = self._gate
        self._defined(node.name)
        annotations = [a.annotation for a in all_arguments(node.args) if a.annotation]
        for expression in (*annotations, *([node.returns] if node.returns else [])):
            self.expression(expression)
        self._enter_function(node.args, node.name)
        if self._may_tell(node):
            self._guarding(gate, node.body)
        self._leave()

    def _may_tell(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether anything in a function may be a use, or say something of the version; most say neither."""
        around = self._scope.parent
        while around is not None and around.is_class:
            around = around.parent
        if self._binds_for_others or around is not self._module:
            return True
        text = "\n".join(self._lines[node.lineno - 1 : node.end_lineno])
        # To ignore the case in the pattern would take twice as long.
        if not text.isascii() or _TELLING.search(text.lower()) is not None:
            return True
        words = words_in(text)
        return not (self._gate_names.isdisjoint(words) and _OF_GONE.isdisjoint(words)) or any(
            self._at_module(word) is not None or self._star_with(word) is not None for word in words
        )

    def _enter_function(self, arguments: ast.arguments, name: str = "") -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.expression(default)
        self._scope = _Scope(self._scope, name)
        for argument in all_arguments(arguments):
            self._bind(argument.arg)

    def _leave(self) -> None:
        assert self._scope.parent is not None
        self._scope = self._scope.parent

    def _class(self, node: ast.ClassDef) -> None:
        for expression in (*node.decorator_list, *node.bases):
            self.expression(expression)
        for keyword in node.keywords:
            self.expression(keyword.value)
        gate = self._gate
        self._defined(node.name)
        self._scope = _Scope(self._scope, is_class=True)
        self._guarding(gate, node.body)
        self._leave()

    def _defined(self, name: str) -> None:
        self._bind(name)
        self._scope.defined.add(name)

    def _try(self, node: ast.Try) -> None:
        caught = {name for handler in node.handlers for name in _caught(handler)}
        expected = bool(caught & _ABSENCE)
        anything = bool(caught & _ANYTHING) and any(
            isinstance(statement, ast.Import | ast.ImportFrom) for statement in node.body
        )
        outside = self._guarded_imports
        self._guarded_imports = outside or anything
        self._guarding(expected, node.body)
        self._guarded_imports = outside
        for handler in node.handlers:
            if handler.type is not None:
                self.expression(handler.type)
            if handler.name:
                self._bind(handler.name)
            self._guarding(expected or anything, handler.body)
        self._guarding(expected, node.orelse)
        self.block(node.finalbody)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        expected = False
        for item in node.items:
            self.expression(item.context_expr)
            if isinstance(item.context_expr, ast.Call):
                called = dotted(item.context_expr.func)
                expected |= called.rpartition(".")[2] in _EXPECTING
            if item.optional_vars is not None:
                self._bind_target(item.optional_vars)
        self._guarding(expected, node.body)

    def _pattern(self, pattern: ast.pattern) -> None:
        for node in ast.walk(pattern):
            match node:
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    self._bind(name)
                case ast.MatchMapping(rest=str(name)):
                    self._bind(name)
                case ast.MatchValue():
                    self.expression(node.value)
                case ast.MatchClass():
                    self.expression(node.cls)
                case _:
                    pass

    # Expressions --------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> None:
        kind = type(node)
        if kind is ast.Constant:
            return
        if kind is ast.Name or kind is ast.Attribute:
            self._chain(node)
        elif kind is ast.Call:
            self._call(node)  # type: ignore[arg-type]
        elif kind in _PLAIN:
            self._children(node)
        elif isinstance(node, ast.BoolOp):
            # What follows `hasattr(xm, "sync") and` is guarded by it.
            outside = self._guarded
            for value in node.values:
                self.expression(value)
                self._guarded |= self._gate
            self._guarded = outside
        elif isinstance(node, ast.IfExp):
            before, self._gate = self._gate, False
            self.expression(node.test)
            outside = self._guarded
            self._guarded |= self._gate
            self.expression(node.body)
            self.expression(node.orelse)
            self._guarded = outside
            self._gate |= before
        elif isinstance(node, ast.Lambda):
            self._enter_function(node.args)
            self.expression(node.body)
            self._leave()
        elif isinstance(node, ast.NamedExpr):
            self.expression(node.value)
            self._bind_target(node.target)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            self._comprehension(node.generators, node.elt)
        elif isinstance(node, ast.DictComp):
            self._comprehension(node.generators, node.key, node.value)
        else:
            self._children(node)

    def _children(self, node: ast.AST) -> None:
        for name in node._fields:
            field = getattr(node, name, None)
            if field is None or field.__class__ in _LEAVES:
                continue
            for child in field if field.__class__ is list else (field,):
                if isinstance(child, ast.expr):
                    self.expression(child)
                elif isinstance(child, ast.stmt):
                    self.statement(child)
                elif isinstance(child, ast.AST) and child._fields:
                    self._children(child)

    def _chain(self, node: ast.expr, keywords: tuple[tuple[str, ast.keyword], ...] = ()) -> None:
        foot = node
        while isinstance(foot, ast.Attribute):
            foot = foot.value
        if not isinstance(foot, ast.Name):
            self.expression(foot)
            return
        if not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            if node is foot:
                self._bind(foot.id)
            return
        root = foot.id
        if not self._matters(root):
            return
        text = dotted(node) or root
        if root in self._gate_names or _VERSION_NAME.search(text) is not None:
            self._gate = True
        elif text.startswith("__version__") and root in self._imported:
            self._gate |= _VERSION_NAME.search(self._meaning(self._scope, root)[0] or "") is not None
        if root in self._imported or self._at_module(root) is not None or self._star_with(root) is not None:
            self._uses.append(_Use(self._scope, node, text, self._guarded, keywords, compared=self._compared))

    def _matters(self, root: str) -> bool:
        """Whether a name may lead to torch_xla or say something of its version; few names do."""
        known = self._roots.get(root)
        if known is None:
            known = _ABOUT_TORCH.search(root) is not None or self._at_module(root) is not None
            known = known or self._star_with(root) is not None
            self._roots[root] = known
        return known or root in self._imported or root in self._gate_names

    def _call(self, node: ast.Call) -> None:
        text = dotted(node.func)
        keywords = tuple((keyword.arg, keyword) for keyword in node.keywords if keyword.arg)
        arguments = node.args
        if not text:
            self.expression(node.func)
        else:
            if self._is_gate(text, node):
                self._gate = True
            partial = text in ("partial", "functools.partial")
            if partial and arguments and dotted(arguments[0]):
                self._chain(node.func)
                self._chain(arguments[0], keywords)
                arguments = arguments[1:]
            else:
                self._chain(node.func, keywords)
        self._compared = text in ("isinstance", "issubclass")
        for argument in arguments:
            self.expression(argument)
        self._compared = False
        for keyword in node.keywords:
            self.expression(keyword.value)

    def _is_gate(self, called: str, node: ast.Call) -> bool:
        """Whether a call asks for the version of torch_xla, or for one of its names."""
        last = called.rpartition(".")[2]
        if last == "hasattr" and node.args:
            asked = dotted(node.args[0])
            if not asked:
                return False
            name, _ = self._meaning(self._scope, asked)
            return asked.partition(".")[0] == "torch" if name is None else _ours(name)
        values = (*node.args, *(keyword.value for keyword in node.keywords))
        constants = [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]
        if not constants:
            return False
        last = (self._meaning(self._scope, called)[0] or called).rpartition(".")[2]
        if _ABOUT_TORCH.search(last) and any(map(_VERSION.match, constants)):
            return True
        asked_for = _MODULE if last in ("find_spec", "importorskip") else _DISTRIBUTION
        return last in _ASKING and any(map(asked_for.match, constants))

    def _comprehension(self, generators: list[ast.comprehension], *results: ast.expr) -> None:
        self.expression(generators[0].iter)
        self._scope = _Scope(self._scope)
        for index, generator in enumerate(generators):
            if index:
                self.expression(generator.iter)
            self._bind_target(generator.target)
            for test in generator.ifs:
                self._within(test)
        for result in results:
            self._within(result)
        self._leave()

    def _within(self, node: ast.expr) -> None:
        # A walrus in a comprehension binds outside of it.
        self._scope.is_comprehension = True
        self.expression(node)
        self._scope.is_comprehension = False


_PLAIN: Final = frozenset({
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Slice,
    ast.Starred, ast.JoinedStr, ast.FormattedValue, ast.Await, ast.Yield, ast.YieldFrom,
})  # fmt: skip
"""Expressions of which nothing matters but the parts."""
_LEAVES: Final = frozenset({
    ast.Load, ast.Store, ast.Constant, str, int,
    *ast.operator.__subclasses__(), *ast.unaryop.__subclasses__(),
})  # fmt: skip
"""What has no parts at all: most of what fields hold."""
_ABSENCE: Final = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
_ANYTHING: Final = frozenset({"", "Exception", "BaseException"})
_EXPECTING: Final = frozenset({
    "suppress", "raises", "warns", "deprecated_call", "assertRaises", "assertRaisesRegex", "assertWarns",
    "assertWarnsRegex",
})  # fmt: skip
"""Context managers under which a name may be missing or deprecated on purpose."""
_VERSION: Final = re.compile(r"[<>=!~ ]*\d+\.\d+")
_VERSION_NAME: Final = re.compile(
    r"(?:^|[._])(?:torch|xla|torch_xla|libneuronxla)[\w.]*\.(?:__version__|version)\b"
    r"|(?i:(?:torch|xla).*(?:greater|less|version|at_least|_g[et]_|_l[et]_|\d+_\d+))"
)
"""Names that say they are about a version: `torch_xla.__version__`, `_XLA_GREATER_EQUAL_2_1`."""
_TELLING: Final = re.compile(
    r"""xla|version|greater|less|at_least|_[gl][et]_|\d_\d|["'][<>=!~ ]*\d+\.\d"""
    r"|find_spec|require|get_distribution|importorskip"
)
"""What stands in a function that imports torch_xla or asks for a version, whatever names around it mean."""
_OF_GONE: Final = frozenset(name.rpartition(".")[2] for name in OF_TORCH)
"""The last words of what is gone from torch: such a name may stand where nothing is of torch_xla."""
_GLOBAL: Final = re.compile(r"(?:^|[;:])\s*global\s")
_ABOUT_TORCH: Final = re.compile(r"(?i)xla|torch|version")
_ASKING: Final = frozenset({"version", "find_spec", "require", "get_distribution", "importorskip"})
_DISTRIBUTION: Final = re.compile(r"torch(?:[-_]xla)?\b")
_MODULE: Final = re.compile(r"torch_xla\.")  # to ask for torch_xla itself is no question of its version


def _ours(name: str) -> bool:
    return name.partition(".")[0] in (PACKAGE, FORMER, EXTENSION)


def _gone(name: str) -> str:
    """What of a name of torch is gone from the newest release; empty for all else."""
    part = lifecycle.gone_part(name) if name.startswith("torch.") else None
    return "" if part is None else part[0]


def _joined(name: str, rest: str) -> str:
    return f"{name}.{rest}" if name and rest else name or rest


def _caught(handler: ast.ExceptHandler) -> Iterator[str]:
    if handler.type is None:
        yield ""
        return
    for node in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
        yield (dotted(node) or "?").rpartition(".")[2]


def _leaves(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
