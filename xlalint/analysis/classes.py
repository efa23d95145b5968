"""Classes of the project: their bases, what they are, what their instances hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import Final

from xlalint.analysis.frame import Frame
from xlalint.analysis.lacking import defines, makes, may_give, sets
from xlalint.analysis.machine import Machine
from xlalint.analysis.payloads import (
    Batch,
    Classes,
    Instance,
    Known,
    Loader,
    Module,
    Namespace,
    classes_of,
    run,
    settled_chance,
    targets,
)
from xlalint.analysis.store import Store
from xlalint.configuration import HARNESS
from xlalint.knowledge.classes import FUNCTION, MODULE, STREAM, is_module, kind_by_base
from xlalint.knowledge.functions import FUNCTIONS, GIVING_METHODS, HOST_LOADERS
from xlalint.knowledge.methods import OF_MODULES, OF_WRAPPED_MODULES
from xlalint.knowledge.packages import GPU_ONLY
from xlalint.lazy.state import Raised, State
from xlalint.lazy.values import (
    UNKNOWN,
    Kind,
    Place,
    Value,
    join_all,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Class, Function, Import, Outline, last_name, within


class ClassTable:
    """What is known of the project's classes, found out when first asked for."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._tabulating: dict[Class, dict[str, Value]] = {}
        """Attribute tables that are being made."""
        self._assigning: dict[Function, frozenset[str]] = {}

    def close(self) -> None:
        """Forget all classes; see `Program.close`."""
        self._tabulating.clear()
        self._assigning.clear()

    def forget(self, files: Set[str]) -> None:
        """Forget what the texts of some files say of methods."""
        for method in [method for method in self._assigning if method.outline.file in files]:
            del self._assigning[method]

    def find_method(self, cls: Class, name: str) -> Function | None:
        """The method that instances of `cls` have under `name`."""
        for candidate in self.bases(cls):
            if name in candidate.methods:
                method = candidate.methods[name]
                self._machine.rest_on("text", *method.key)
                return method
        return None

    def harnesses_of(self, cls: Class) -> tuple[Function, ...]:
        """What calls instances of a class as a framework does, by a base class that it derives from."""
        return self._machine.lookups.find(("harnesses", cls), lambda: self._find_harnesses(cls), tuple)

    def _find_harnesses(self, cls: Class) -> tuple[Function, ...]:
        project = self._machine.project
        names = {base.name for base in self.bases(cls)[1:]}
        for framework in project.frameworks(cls.outline):
            if names.isdisjoint(framework.hooked):
                continue
            program = project.framework(framework)
            for base in self.bases(cls)[1:]:
                # In its own tree, the framework itself defines the class.
                here = base.outline is program or base.outline.name.partition(".")[0] in framework.packages
                found = _harnesses(program, base.name) if here else ()
                if found:
                    return found
        return ()

    def bases(self, cls: Class) -> list[Class]:
        """The class and those of its bases that the project defines, in lookup order."""
        return self._machine.lookups.find(("bases", cls), lambda: self._find_bases(cls), lambda: [cls])

    def _find_bases(self, cls: Class) -> list[Class]:
        direct = [
            each
            for value in self._base_values(cls)
            if isinstance(value.payload, Classes)
            for each in value.payload.of
            if not isinstance(each, str)
        ]
        return [cls, *_merged([*map(self.bases, direct), direct])]

    def _base_values(self, cls: Class) -> list[Value]:
        self._machine.rest_on("class", *cls.key)
        store = Store(State())
        if cls.parent is not None:
            # Those that stand beside it in a function, or a class, are known there alone.
            self._machine.rest_on("whole", cls.outline.file)
            beside = [each for each in cls.outline.classes.values() if each.parent is cls.parent]
            store.names = {
                each.name: Value(Kind.CLASS, payload=Classes((each,))) for each in beside if each is not cls
            }
        return [
            self._machine.evaluate(expression, Frame(cls.outline, None, 0), store) for expression in cls.bases
        ]

    def _library_bases(self, cls: Class) -> list[str]:
        """The qualified names of those bases of a class that are not the project's."""
        names = []
        for value in self._base_values(cls):
            if isinstance(value.payload, Namespace) and value.payload.outline is None:
                names.append(value.payload.name)
            names += [target.name for target in targets(value) if isinstance(target, Known)]
        return names

    def is_plain_module(self, cls: Class) -> bool:
        """Whether a class is a module of torch with what the project adds, and nothing unseen."""
        known = self.bases(cls)
        named = sum(len(base.bases) for base in known)
        libraries = [name for base in known for name in self._library_bases(base)]
        return bool(libraries) and MODULE.issuperset(libraries) and named == len(known) - 1 + len(libraries)

    def module_of_torch(self, cls: Class) -> str:
        """The class of torch, by its last name, that a module class of the project derives from; empty if it
        derives from a class of another library."""
        return self._machine.lookups.find(("of torch", cls), lambda: self._find_of_torch(cls), lambda: "")

    def _find_of_torch(self, cls: Class) -> str:
        libraries = [name for base in self.bases(cls) for name in self._library_bases(base)]
        modules = [name for name in libraries if is_module(name)]
        if not modules or any(kind_by_base(name) for name in libraries if name not in modules):
            return ""
        return modules[0].rpartition(".")[2]

    def kind_of(self, cls: Class) -> Kind:
        """What instances of the class are: modules, optimizers, scalers or any other objects."""
        return self._machine.lookups.find(("kind", cls), lambda: self._find_kind(cls), lambda: Kind.INSTANCE)

    def _find_kind(self, cls: Class) -> Kind:
        names = (name for base in self.bases(cls) for name in self._library_bases(base))
        kinds = (kind_by_base(name) for name in names)
        return next((kind for kind in kinds if kind is not None), Kind.INSTANCE)

    def is_differentiated_by_hand(self, cls: Class) -> bool:
        """Whether the class is a function for autograd, with a `forward` and a `backward` of its own."""
        return self._machine.lookups.find(("by hand", cls), lambda: self._find_by_hand(cls), lambda: False)

    def _find_by_hand(self, cls: Class) -> bool:
        return any(not FUNCTION.isdisjoint(self._library_bases(base)) for base in self.bases(cls))

    def is_stream(self, cls: Class) -> bool:
        """Whether the class is a dataset that is iterated, and may go on for ever."""
        return self._machine.lookups.find(("stream", cls), lambda: self._find_stream(cls), lambda: False)

    def _find_stream(self, cls: Class) -> bool:
        # By the last name: a class inside a function may have a base that is imported there.
        return any(last_name(base) == STREAM for each in self.bases(cls) for base in each.bases)

    def gone_over(self, value: Value) -> Value:
        """What is gone over: an object of a class that derives from the `DataLoader` of torch is a loader."""
        if not isinstance(held := value.payload, Instance):
            return value
        if not held.of or any(isinstance(cls, str) or not self._is_loader(cls) for cls in held.of):
            return value
        each = Value(Kind.HOST, differs=True, payload=Batch())
        return Value(Kind.LOADER, value.assumes, payload=Loader(each))

    def _is_loader(self, cls: Class) -> bool:
        """Whether the class is a loader of a library that goes over its batches as that does."""
        return self._machine.lookups.find(("loader", cls), lambda: self._find_loader(cls), lambda: False)

    def _find_loader(self, cls: Class) -> bool:
        libraries = (name for base in self.bases(cls) for name in self._library_bases(base))
        return any(name in HOST_LOADERS for name in libraries) and self.find_method(cls, "__iter__") is None

    def is_mapping(self, cls: Class) -> bool:
        """Whether the class is a dict whose items are attributes as well, and which is made as a dict is."""
        return self._machine.lookups.find(("mapping", cls), lambda: self._find_mapping(cls), lambda: False)

    def _find_mapping(self, cls: Class) -> bool:
        known = self.bases(cls)
        if not any(FUNCTIONS.get(name) == "dict" for base in known for name in self._library_bases(base)):
            return False
        init = self.find_method(cls, "__init__")
        # Beside itself it takes what `dict` does: one mapping, and keywords.
        if init is not None and len(init.parameters.annotations) > 2:
            return False
        finds = any("__getattr__" in base.methods or "__getattr__" in base.constants for base in known)
        return finds or (init is not None and "__dict__" in init.attributes())

    def has_optimizer_scope(self, function: Function) -> bool:
        """Whether a function is a method of an optimizer or scaler class."""
        cls = function.owner
        if cls is None or self.kind_of(cls) not in (Kind.OPTIMIZER, Kind.SCALER):
            return False
        return not self.needs_gpu(cls)

    def needs_gpu(self, cls: Class) -> bool:
        """Whether the class runs on GPUs only."""
        self._machine.rest_on("needs gpu", *cls.key)
        return needs_gpu(cls)

    def constant(self, cls: Class, name: str) -> Value:
        """The value of a name assigned in a class body."""
        return self._machine.lookups.find(
            ("constant", cls, name), lambda: self._evaluate_constant(cls, name), lambda: UNKNOWN
        )

    def _evaluate_constant(self, cls: Class, name: str) -> Value:
        frame, store = Frame(cls.outline, None, 0), Store(State())
        expressions = cls.constants[name]
        for other in {node.id for each in expressions for node in within(each) if isinstance(node, ast.Name)}:
            if other != name and other in cls.constants:
                store.names[other] = self.constant(cls, other)
        return join_all((self._machine.evaluate(each, frame, store) for each in expressions), UNKNOWN)

    def attributes(self, cls: Class) -> dict[str, Value]:
        """What instances of the class hold after `__init__`, and after other methods the rest.

        What an object holds that such an instance has made for itself stands under a path, such as
        `settings.device`.
        """
        return self._machine.lookups.find(
            ("attributes", cls),
            lambda: self._tabulate(cls),
            lambda: self._tabulating.get(cls, {}),
            ("attributes", *cls.key),
        )

    def raised_by_making(self, cls: Class) -> Raised | None:
        """What surely raises when an instance of the class is made."""
        made = self.attributes(cls).get("__init__")
        return made.payload if made is not None and isinstance(made.payload, Raised) else None

    def _tabulate(self, cls: Class) -> dict[str, Value]:
        table = self._tabulating[cls] = {}
        try:
            receiver = self.instance(cls)
            init = self.find_method(cls, "__init__")
            methods = [init] if init is not None else []
            for base in self.bases(cls):
                methods += [m for m in base.methods.values() if m.name != "__init__" and self._assigns(m)]
            for method in methods:
                wanted = None if method is init else self._assigns(method) - _settled(table)
                if wanted is not None and not wanted:
                    continue
                store = Store(State())
                for attribute, value in table.items():
                    store.attributes[cls, attribute] = value
                raised = self._machine.tabulate(method, receiver, store, wanted)
                if raised is not None and method is init:
                    table[init.name] = Value(Kind.UNKNOWN, payload=raised)
                for (owner, attribute), value in store.attributes.items():
                    if owner is not cls:
                        continue
                    if method is init:  # what an object draws there it keeps
                        table[attribute] = settled_chance(run(value))
                    elif attribute not in table:
                        table[attribute] = run(value)
                    elif table[attribute].kind in _PLACEHOLDERS:
                        table[attribute] = join_values(table[attribute], run(value))
                if method is init:
                    table |= _held_by_parts(table, store)
        finally:
            del self._tabulating[cls]
        return table

    @contextmanager
    def being_tabulated(self, cls: Class, table: dict[str, Value]) -> Iterator[None]:
        """Go on as if it were just being found out what instances of a class hold."""
        self._tabulating[cls] = table
        try:
            with self._machine.lookups.held_open(("attributes", cls)):
                yield
        finally:
            del self._tabulating[cls]

    def is_tabulating(self, cls: Class) -> bool:
        """Whether the attribute table of a class is just being made."""
        return self._machine.lookups.is_open(("attributes", cls))

    def _assigns(self, method: Function) -> frozenset[str]:
        self._machine.rest_on("assigns", *method.key)
        known = self._assigning.get(method)
        if known is None:
            known = self._assigning[method] = assigns(method)
        return known

    def assigns(self, cls: Class, name: str) -> bool:
        """Whether a method of the class or its bases assigns an attribute."""
        return any(name in self._assigns(each) for base in self.bases(cls) for each in base.methods.values())

    def where_set(self, cls: Class, name: str, asks: Outline) -> str | None:
        """The file in which the module of a class, or the one that asks, turns a flag of such objects off for
        XLA; nothing where one sets it otherwise, None where neither does."""
        return self._machine.lookups.find(
            ("where set", cls, name, asks.file), lambda: self._find_where(cls, name, asks), lambda: None
        )

    def _find_where(self, cls: Class, name: str, asks: Outline) -> str | None:
        found: str | None = None
        for file, outline in {cls.outline.file: cls.outline, asks.file: asks}.items():
            self._machine.rest_on("sets", file, name)
            turns_off = sets(outline, name)
            if turns_off:
                return outline.path.name
            found = found if turns_off is None else ""
        return found

    def lacks(self, cls: Class, name: str, asks: Outline) -> bool:
        """Whether objects of the class surely have nothing of a name, so that who asks for it raises.

        An object is made in the module that asks, or in that of the class.
        """
        if name.startswith("__") or cls.outline.is_framework or self.is_tabulating(cls):
            return False
        return self._machine.lookups.find(
            ("lacks", cls, name, asks.file), lambda: self._find_lack(cls, name, asks), lambda: False
        )

    def _find_lack(self, cls: Class, name: str, asks: Outline) -> bool:
        known = self.bases(cls)
        if any(each.node.keywords or each.outline.is_framework for each in known):
            return False
        if any("__init__" in each.methods and each.methods["__init__"].decorators for each in known):
            return False  # that may keep what it is given
        if self.is_plain_module(cls):
            if name.startswith("_") or name in OF_MODULES or name in OF_WRAPPED_MODULES:
                return False
            if any(self._machine.mentions(outline, GIVING_METHODS) for outline in (asks, cls.outline)):
                return False
        elif sum(last_name(base) != "object" for each in known for base in each.bases) != len(known) - 1:
            return False
        decorators = (by for each in known for by in each.node.decorator_list)
        if any(last_name(by.func if isinstance(by, ast.Call) else by) != _FIELDS_ONLY for by in decorators):
            return False
        rest_on = self._machine.rest_on
        for each in known:
            rest_on("defines", each.outline.file, f"{name} {each.key[1]}")
            if defines(each, name):
                return False
        outlines = {outline.file: outline for outline in (asks, *(each.outline for each in known))}
        for file, outline in outlines.items():
            rest_on("gives", file, f"{cls.name} {name}")
            if may_give(outline, cls.name, name):
                return False
        for outline in (asks, cls.outline):
            rest_on("makes", outline.file, cls.name)
            if makes(outline, cls.name):
                return True
        return False

    def instance(self, cls: Class) -> Value:
        """An instance of a class of the project, of which nothing else is known."""
        if self.kind_of(cls) is Kind.MODULE:
            return Value(Kind.MODULE, payload=Module((), Place.UNKNOWN, (cls,)))
        return Value(Kind.INSTANCE, payload=Instance((cls,)))


def _merged(orders: list[list[Class]]) -> list[Class]:
    """All bases in the order of Python: each before its own, and those before what is named after them."""
    order: list[Class] = []
    waiting = [one for one in orders if one]
    while waiting:
        behind = {each for one in waiting for each in one[1:]}
        # Where none may be next, Python refuses the class.
        following = next((one[0] for one in waiting if one[0] not in behind), waiting[0][0])
        order.append(following)
        waiting = [rest for one in waiting if (rest := [each for each in one if each is not following])]
    return order


def _held_by_parts(table: dict[str, Value], store: Store) -> dict[str, Value]:
    """What the objects hold that an instance holds, by their paths from it."""
    return {
        f"{name}.{attribute}": run(value)
        for name, part in table.items()
        if part.kind is Kind.INSTANCE
        for (owner, attribute), value in store.attributes.items()
        if owner in classes_of(part)
    }


def _harnesses(program: Outline, name: str) -> tuple[Function, ...]:
    """The functions of a framework's program that are called with each instance of a class."""
    return tuple(
        function
        for function in program.functions.values()
        if function.name.startswith(HARNESS)
        and not isinstance(function.node, ast.Lambda)
        and any(
            isinstance(a.annotation, ast.Name) and a.annotation.id == name for a in function.node.args.args
        )
    )


_FIELDS_ONLY: Final = "dataclass"
"""The decorator that gives objects no attribute which the class body does not name."""

_PLACEHOLDERS: Final = frozenset({Kind.NONE, Kind.CONSTANT})
"""What `__init__` often sets for want of better, until another method does."""


def needs_gpu(cls: Class) -> bool:
    """Whether a method of the class makes tensors that can only live on a GPU, or whichever way it goes calls
    a package that has nothing but kernels for GPUs: it runs nowhere else."""
    text = cls.outline.text
    names = {
        name
        for package in GPU_ONLY
        if package in text  # few modules name one, and looking at every node is slow
        for name, bindings in cls.outline.bindings.items()
        if any(isinstance(each, Import) and each.target.partition(".")[0] == package for each in bindings)
    }
    return any(
        ("cuda" in text and any(map(_makes_cuda_tensor, within(method.node))))
        or (names and not isinstance(method.node, ast.Lambda) and _surely_calls(method.node.body, names))
        for method in cls.methods.values()
    )


def _makes_cuda_tensor(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="cuda"), attr=name)):
            return name.endswith("Tensor")
    return False


def _surely_calls(body: list[ast.stmt], names: set[str]) -> bool:
    """Whether each way through some statements calls something that goes by one of these names."""
    for node in body:
        match node:
            case ast.If(body=yes, orelse=no):
                if _surely_calls(yes, names) and _surely_calls(no, names):
                    return True
            case ast.Assign() | ast.AnnAssign() | ast.Expr() | ast.Return():
                called = (inner.func for inner in within(node) if isinstance(inner, ast.Call))
                if any(isinstance(each, ast.Name) and each.id in names for each in called):
                    return True
    return False


def _settled(table: dict[str, Value]) -> frozenset[str]:
    """The names under which it is known what instances hold, so that no other method has a say in it."""
    return frozenset(name for name, value in table.items() if value.kind not in _PLACEHOLDERS)


def assigns(function: Function) -> frozenset[str]:
    """The attributes that a method assigns, of its first argument or another; none if of others alone.

    Judged by its text.
    """
    node = function.node
    if not node.args.args or isinstance(node, ast.Lambda) or function.is_static:
        return frozenset()
    receiver = node.args.args[0].arg
    lines = function.outline.lines[node.lineno - 1 : node.end_lineno]
    # The pattern is slow, and most lines have nothing for it.
    lines = [line for line in lines if "=" in line and receiver in line]
    if re.search(_ASSIGNMENT.replace("self", re.escape(receiver)), "\n".join(lines)) is None:
        return frozenset()
    by_any_name = function.outer_names() & {"setattr"}
    return by_any_name | function.stored_attributes()


_ASSIGNMENT: Final = r"(?m)^(?:[ \t]*[\w.]+ *= *)?[^=\n(]*\bself\.\w+[^=\n(]*=(?!=)"
