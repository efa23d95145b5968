"""Expressions: what value each has, and what evaluating it does to the engine's state."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from xlalint.analysis.call import Call, spelling
from xlalint.analysis.frame import Frame, Yielded
from xlalint.analysis.outline import Class, Function, Outline
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Container,
    Known,
    Method,
    Module,
    Namespace,
    RankTest,
    Scoped,
    Targets,
    callable_value,
    constant,
    container,
    container_of,
    targets,
    unknown_from,
)
from xlalint.analysis.project import Project
from xlalint.analysis.store import Store
from xlalint.analysis.store import join as join_stores
from xlalint.knowledge import functions, methods
from xlalint.lazy.events import Reading
from xlalint.lazy.site import Site
from xlalint.lazy.state import ScopeKind
from xlalint.lazy.values import FOUND_INF, HOST, NONE, NOTHING, UNKNOWN, Kind, Place, Recorded, Value, Weight
from xlalint.lazy.values import join as join_values

Evaluate = Callable[["Expressions", Any, Frame, Store], Value]

_BUILTINS = frozenset(name[9:] for name in functions.FUNCTIONS if name.startswith("builtins."))
_TRUE = constant(True)
_FALSE = constant(False)


class Expressions(ABC):
    """Evaluates expressions. What calls do is the business of the class above."""

    project: Project
    other_backends: frozenset[str]
    swaps_parameters: bool = False
    """Whether moving a module keeps its parameters' identity (a setting of torch, off by default)."""

    @abstractmethod
    def call(self, node: ast.Call, frame: Frame, store: Store) -> Value:
        """Evaluate a call."""

    @abstractmethod
    def invoke(self, callee: Value, call: Call) -> Value:
        """Call a value."""

    @abstractmethod
    def step_optimizer(self, optimizer: Value | None, call: Call, *, barrier: bool = False) -> None:
        """An optimizer steps, whichever way it was asked to."""

    @abstractmethod
    def run_closure(self, body: Value, arguments: list[Value], call: Call) -> None:
        """A step closure runs at the next cut, when nothing is recorded any more."""

    @abstractmethod
    def run_replica(
        self, target: Value, arguments: list[Value], call: Call, *, indexed: bool = True
    ) -> Value:
        """A function is launched on every replica; returns a list of what it returns.

        `indexed` says that it gets its replica's index first.
        """

    @abstractmethod
    def enter_function(self, bound: Bound, call: Call) -> Value:
        """Call a function of the project."""

    @abstractmethod
    def attribute_table(self, cls: Class) -> dict[str, Value]:
        """What instances of a class hold, by attribute."""

    @abstractmethod
    def global_value(self, outline: Outline, name: str) -> Value:
        """The value of a name that a module defines."""

    @abstractmethod
    def qualified(self, name: str, outline: Outline) -> Value:
        """What a dotted name, as an import in `outline` spells it, means."""

    @abstractmethod
    def bases(self, cls: Class) -> list[Class]:
        """The class and those of its bases that the project defines, in lookup order."""

    @abstractmethod
    def is_module_class(self, cls: Class) -> bool:
        """Whether instances of the class are `nn.Module`s."""

    @abstractmethod
    def run_block(self, body: list[ast.stmt], frame: Frame, store: Store) -> Store | None:
        """Execute statements."""

    # Evaluation ---------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, frame: Frame, store: Store) -> Value:
        """The value of an expression."""
        evaluator = _EVALUATORS.get(type(node))
        return evaluator(self, node, frame, store) if evaluator is not None else UNKNOWN

    def record(
        self, inputs: Iterable[Value], base: Weight, node_site: Site, frame: Frame, store: Store
    ) -> Value:
        """Device work on `inputs`, at least of weight `base`; returns its result."""
        must = may = base
        sure = True
        differs = reduced = False
        for value in inputs:
            if value.kind is Kind.TENSOR:
                sure = sure and value.sure
                must = max(must, value.recorded.must)
                may = max(may, value.recorded.may)
            differs = differs or value.differs
            reduced = reduced or value.reduced
        state = store.state
        result = frame.model.record(state, must, node_site)
        if may > must and result != NOTHING:
            frame.model.record_perhaps(state, may)
            result = Recorded(result.must, may)
        return Value(Kind.TENSOR, sure, result, differs, reduced)

    def read(
        self, value: Value, reading: Reading, by: str | Call, site: Site, frame: Frame, store: Store
    ) -> Value:
        """A value is read on the host, by a call or as `by` says; returns the number that comes of it."""
        if value.kind is Kind.TENSOR:
            if value.sure or reading is Reading.EXPLICIT:
                frame.model.read(
                    store.state, value, reading, _shown(by), site, closure_argument=frame.closure_argument
                )
        elif (
            value.kind is Kind.UNKNOWN and reading is Reading.EXPLICIT and store.state.scopes.step is not None
        ):
            guessed = value._replace(recorded=store.state.engine.recorded)
            frame.model.read(
                store.state, guessed, reading, _shown(by), site, closure_argument=frame.closure_argument
            )
        elif value.kind is Kind.CONTAINER and reading is Reading.TEXT:
            payload: Container = value.payload
            for item in payload.items if payload.items is not None else (payload.element,):
                self.read(item, reading, _shown(by), site, frame, store)
        return Value(Kind.HOST, differs=value.differs, reduced=value.reduced)

    def _test(
        self, value: Value, keyword: str, shown: ast.expr, place: ast.expr, frame: Frame, store: Store
    ) -> None:
        """The truth of a value is asked for, which reads a tensor."""
        if value.kind is Kind.TENSOR:
            text = f"{keyword} {spelling(shown, frame.outline.text)}".strip()
            self.read(value, Reading.BOOL, text, frame.site(place), frame, store)

    def truth(self, value: Value) -> bool | None:
        """Whether a value counts as true, if that is known."""
        if value.kind is Kind.CONSTANT and value.payload:
            return bool(value.payload.value)
        if value.kind is Kind.NONE:
            return False
        if value.kind is Kind.CONTAINER:
            items = value.payload.items
            return bool(items) if items is not None else None
        if value.kind in (
            Kind.NAMESPACE,
            Kind.CALLABLE,
            Kind.CLASS,
            Kind.MODULE,
            Kind.OPTIMIZER,
            Kind.DEVICE,
        ):
            return True
        return None

    def capture(self, function: Function, frame: Frame, store: Store) -> tuple[tuple[str, Value], ...]:
        """What a nested function sees of the functions around it, at this moment."""
        seen = []
        for name in function.free_names():
            value = store.names.get(name) or frame.captured.get(name)
            if value is not None:
                seen.append((name, _without_captures(value)))
        return tuple(seen)

    def defaults(self, function: Function, frame: Frame, store: Store) -> tuple[tuple[str, Value], ...]:
        """What the parameters of a nested function are by default: evaluated where it is defined."""
        if frame.function is None:
            return ()
        arguments = function.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        given = [
            *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        return tuple(
            (parameter.arg, self.evaluate(default, frame, store))
            for parameter, default in given
            if default is not None
        )

    # Names and attributes -----------------------------------------------------------------------

    def _name(self, node: ast.Name, frame: Frame, store: Store) -> Value:
        value = store.names.get(node.id)
        if value is None:
            value = frame.captured.get(node.id)
            if value is None:
                if frame.function is not None and node.id in frame.function.locals():
                    return self._named_flag(node.id) or UNKNOWN
                return self.global_name(node.id, frame.outline)
        elif value.kind is Kind.CALLABLE and frame.function is not None:
            return self._recapture(value, frame, store)
        if value.kind is Kind.UNKNOWN:
            return self._named_flag(node.id) or value
        return value

    def _recapture(self, value: Value, frame: Frame, store: Store) -> Value:
        fresh = []
        changed = False
        for target in targets(value):
            if isinstance(target, Bound) and target.function.parent is frame.function:
                own = target.function.locals()
                captured = self.capture(target.function, frame, store)
                captured += tuple(held for held in target.captured if held[0] in own)
                if captured != target.captured:
                    target = target._replace(captured=captured)
                    changed = True
            elif isinstance(target, Scoped) and target.target.kind is Kind.CALLABLE:
                inner = self._recapture(target.target, frame, store)
                changed = changed or inner is not target.target
                target = target._replace(target=inner)
            fresh.append(target)
        return value._replace(payload=Targets(tuple(fresh))) if changed else value

    def global_name(self, name: str, outline: Outline) -> Value:
        """The value of a name of the module, or of a builtin."""
        flag = self._named_flag(name)
        if flag is not None:
            return flag
        if name in outline.bindings or outline.star_imports:
            value = self.global_value(outline, name)
            if value.kind is not Kind.UNKNOWN or name in outline.bindings:
                return value
        if name in _BUILTINS:
            return callable_value(Known(f"builtins.{name}"))
        return UNKNOWN

    def _named_flag(self, name: str) -> Value | None:
        if name in functions.AVAILABILITY:
            return _TRUE
        if name in self.other_backends:
            return _FALSE
        if name in functions.GUESSED_RANK_TESTS:
            return Value(Kind.RANK_TEST, sure=False, payload=RankTest(True, False, False))
        if name in functions.GUESSED_RANKS:
            return Value(Kind.ORDINAL, sure=False, differs=True)
        return None

    def _attribute(self, node: ast.Attribute, frame: Frame, store: Store) -> Value:
        base = self.evaluate(node.value, frame, store)
        return self.attribute(base, node.attr, node, frame, store)

    def attribute(
        self, base: Value, name: str, node: ast.Attribute | None, frame: Frame, store: Store
    ) -> Value:
        """An attribute of a value. `node`, when there is one, says by which path it was reached."""
        kind = base.kind
        if kind is Kind.NAMESPACE:
            return self._in_namespace(base.payload, name)
        if kind is Kind.INSTANCE or (kind is Kind.MODULE and base.payload.cls is not None):
            found = self._of_instance(base, name, node, frame, store)
            if found is not None:
                if found.kind is Kind.UNKNOWN:
                    return self._named_flag(name) or found
                return found
        if kind is Kind.TENSOR:
            return self._of_tensor(base, name, frame, store)
        if kind is Kind.PARAMETERS and name in ("grad", "data", "shape", "device", "requires_grad"):
            return self._of_tensor(parameter(base, store), name, frame, store)
        if (
            kind is Kind.UNKNOWN
            and name in ("grad", "found_inf")
            and store.state.scopes.of(ScopeKind.OPTIMIZER)
        ):
            return _gradient(store) if name == "grad" else _gradient(store)._replace(payload=FOUND_INF)
        if kind is Kind.DEVICE:
            if name == "type":
                return constant(base.payload) if base.payload else HOST
            return HOST
        if kind is Kind.CLASS:
            found = self._of_class(base.payload, name)
            if found is not None:
                return found
        if kind in _WITH_METHODS:
            return callable_value(Method(base, name, _path(node.value) if node is not None else ""))
        if kind in (Kind.HOST, Kind.CONSTANT, Kind.ORDINAL):
            return callable_value(Method(base, name))
        flag = self._named_flag(name)
        if flag is not None:
            return flag
        if kind is Kind.CALLABLE:
            return UNKNOWN
        return callable_value(Method(base, name, _path(node.value) if node is not None else ""))

    def _in_namespace(self, namespace: Namespace, name: str) -> Value:
        if namespace.outline is not None:
            if name in namespace.outline.bindings:
                return self.global_name(name, namespace.outline)
            if namespace.outline.star_imports:
                value = self.global_name(name, namespace.outline)
                if value.kind is not Kind.UNKNOWN:
                    return value
            inner = self.project.find(f"{namespace.name}.{name}", namespace.outline)
            if inner is not None:
                return Value(Kind.NAMESPACE, payload=Namespace(inner.name, inner))
            return self._named_flag(name) or UNKNOWN
        return self.library(f"{namespace.name}.{name}")

    def library(self, name: str) -> Value:
        """What a qualified name of a library means."""
        if name.startswith("torch_xla"):
            module, _, last = name.rpartition(".")
            name = (
                f"{functions.FORMER_MODULES[module]}.{last}" if module in functions.FORMER_MODULES else name
            )
        if name in functions.FUNCTIONS:
            return callable_value(Known(name))
        if name in self.other_backends:
            return _FALSE
        last = name.rpartition(".")[2]
        if last in functions.AVAILABILITY:
            return _TRUE
        if last in self.other_backends:
            return _FALSE
        return Value(Kind.NAMESPACE, payload=Namespace(name))

    def _of_instance(
        self, base: Value, name: str, node: ast.Attribute | None, frame: Frame, store: Store
    ) -> Value | None:
        classes = [base.payload.cls] if base.kind is Kind.MODULE else base.payload.of
        joined: Value | None = None
        for cls in classes:
            if isinstance(cls, str):
                found: Value | None = callable_value(Method(base, name, _path(node.value) if node else ""))
                known = f"{cls}.{name}"
                if known in functions.FUNCTIONS:
                    found = callable_value(Known(known))
            else:
                found = self._of_project_class(base, cls, name, frame, store)
            if found is None:
                return None
            joined = found if joined is None else join_values(joined, found)
        return joined

    def _of_project_class(
        self, base: Value, cls: Class, name: str, frame: Frame, store: Store
    ) -> Value | None:
        value = store.attributes.get((cls, name))
        if value is None:
            found = self.find_method(cls, name)
            if found is not None:
                if any(
                    isinstance(d, ast.Name) and d.id in ("property", "cached_property")
                    for d in found.decorators
                ):
                    site = frame.site(found.node) if found.outline is frame.outline else found.site
                    return self.enter_function(Bound(found, base), Call(frame, store, site, None))
                return callable_value(Bound(found, None if found.is_static else base))
            value = self.attribute_table(cls).get(name)
        if value is None:
            for base_class in self.bases(cls):
                if name in base_class.constants:
                    value = self.class_constant(base_class, name)
                    break
        if value is None:
            return None if base.kind is Kind.MODULE else UNKNOWN
        if base.kind is Kind.MODULE and base.payload.place is not Place.HOST:
            return placed(value, base.payload)
        if base.kind is Kind.MODULE and value.kind is Kind.TENSOR:
            # What another instance, one on the device, holds under the name may not be this one's.
            return value._replace(sure=False)
        return value

    @abstractmethod
    def class_constant(self, cls: Class, name: str) -> Value:
        """The value of a name assigned in a class body."""

    def find_method(self, cls: Class, name: str) -> Function | None:
        """The method that instances of `cls` have under `name`."""
        for candidate in self.bases(cls):
            if name in candidate.methods:
                return candidate.methods[name]
        return None

    def _of_class(self, classes: Classes, name: str) -> Value | None:
        for cls in classes.of:
            if isinstance(cls, str):
                return self.library(f"{cls}.{name}")
            method = self.find_method(cls, name)
            if method is not None:
                if any(isinstance(d, ast.Name) and d.id == "classmethod" for d in method.decorators):
                    return callable_value(Bound(method, Value(Kind.CLASS, payload=Classes((cls,)))))
                return callable_value(Bound(method))
            for base in self.bases(cls):
                if name in base.constants:
                    return self.class_constant(base, name)
        return None

    def _of_tensor(self, base: Value, name: str, frame: Frame, store: Store) -> Value:
        if name in methods.HOST_ATTRIBUTES:
            return HOST
        if name == "device":
            return Value(Kind.DEVICE, sure=base.sure, payload="xla" if base.sure else "")
        if name in methods.TENSOR_ATTRIBUTES:
            return base
        if not base.sure and base.payload == MOVED and name not in methods.EXPLICIT_READS:
            # Moved to the device and now asked for a module's or an unknown attribute.
            return callable_value(Method(base, name))
        if not base.sure and name not in _TENSOR_METHODS:
            # The result of an unknown callable may be an object that holds tensors, such as `out.loss`.
            return callable_value(Method(base, name))
        return callable_value(Method(base, name))

    # Literals and operators ---------------------------------------------------------------------

    def _constant(self, node: ast.Constant, frame: Frame, store: Store) -> Value:
        return constant(node.value) if not isinstance(node.value, bytes) else HOST

    def _joined_string(self, node: ast.JoinedStr, frame: Frame, store: Store) -> Value:
        differs = False
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.evaluate(part.value, frame, store)
                differs = differs or value.differs
                if value.kind in (Kind.TENSOR, Kind.CONTAINER):
                    shown = "f-string of " + spelling(part.value, frame.outline.text)
                    self.read(value, Reading.TEXT, shown, _within(node, part, frame), frame, store)
        return Value(Kind.HOST, differs=differs)

    def _list(self, node: ast.List | ast.Tuple | ast.Set, frame: Frame, store: Store) -> Value:
        items = []
        open_ended = False
        for item in node.elts:
            if isinstance(item, ast.Starred):
                value = self.evaluate(item.value, frame, store)
                open_ended = True
                items.append(self.element(value))
            else:
                items.append(self.evaluate(item, frame, store))
        made = container(items)
        return container_of(self.element(made)) if open_ended else made

    def _dict(self, node: ast.Dict, frame: Frame, store: Store) -> Value:
        items, keys = [], []
        open_ended = False
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.evaluate(item, frame, store)
            if key is None:
                open_ended = True
                items.append(self.element(value))
                continue
            name = self.evaluate(key, frame, store)
            keys.append(name.payload.value if name.kind is Kind.CONSTANT and name.payload else None)
            items.append(value)
        made = container(items, tuple(keys))
        return container_of(self.element(made)) if open_ended else made

    def _binary(self, node: ast.BinOp, frame: Frame, store: Store) -> Value:
        left = self.evaluate(node.left, frame, store)
        right = self.evaluate(node.right, frame, store)
        return self.binary(node, node.op, left, right, frame, store)

    def binary(
        self,
        node: ast.expr | ast.stmt,
        op: ast.operator,
        left: Value,
        right: Value,
        frame: Frame,
        store: Store,
    ) -> Value:
        """The result of an operator, which records when a tensor takes part."""
        if Kind.TENSOR in (left.kind, right.kind):
            if isinstance(op, ast.Mod) and left.kind is Kind.CONSTANT:
                shown = "%-formatting"
                self.read(right, Reading.TEXT, shown, frame.site(node), frame, store)
                return Value(Kind.HOST, differs=right.differs)
            weight = Weight.HEAVY if isinstance(op, ast.MatMult) else Weight.LIGHT
            return self.record((left, right), weight, frame.site(node), frame, store)
        if isinstance(op, ast.Mod) and left.kind is Kind.CONSTANT and right.kind is Kind.CONTAINER:
            self.read(right, Reading.TEXT, "%-formatting", frame.site(node), frame, store)
            return HOST
        if left.kind is Kind.CONTAINER and right.kind is Kind.CONTAINER and isinstance(op, ast.Add):
            return container_of(join_values(self.element(left), self.element(right)))
        if left.kind is Kind.CONTAINER and isinstance(op, ast.Mult):
            return container_of(self.element(left))
        differs = left.differs or right.differs
        if Kind.UNKNOWN in (left.kind, right.kind):
            return UNKNOWN._replace(differs=differs)
        return Value(Kind.HOST, differs=differs)

    def _unary(self, node: ast.UnaryOp, frame: Frame, store: Store) -> Value:
        if isinstance(node.op, ast.Not):
            value = self.evaluate_test(node.operand, frame, store)
            if value.kind is Kind.RANK_TEST:
                test: RankTest = value.payload
                return value._replace(payload=test.negated())
            if value.kind is Kind.ORDINAL:
                return Value(
                    Kind.RANK_TEST, value.sure, differs=True, payload=RankTest(True, value.sure, value.sure)
                )
            self._test(value, "not", node.operand, node, frame, store)
            known = self.truth(value)
            return Value(Kind.HOST, differs=value.differs) if known is None else constant(not known)
        value = self.evaluate(node.operand, frame, store)
        if value.kind is Kind.TENSOR:
            return self.record((value,), Weight.LIGHT, frame.site(node), frame, store)
        if value.kind is Kind.CONSTANT and value.payload and isinstance(node.op, ast.USub):
            try:
                return constant(-value.payload.value)
            except TypeError:
                return HOST
        return value

    def evaluate_test(self, node: ast.expr, frame: Frame, store: Store) -> Value:
        """The value of an expression of which only the truth matters, to whoever asks for that."""
        if isinstance(node, ast.BoolOp):
            return self._bool_operator(node, frame, store, tested=True)
        return self.evaluate(node, frame, store)

    def _bool_operator(self, node: ast.BoolOp, frame: Frame, store: Store, *, tested: bool = False) -> Value:
        """`and` or `or`: all operands but the last are asked for their truth; with `tested` that, too."""
        stops = isinstance(node.op, ast.Or)
        result: Value | None = None
        for operand in node.values:
            known = None if result is None else self.truth(result)
            if result is not None and known is stops:
                return result
            surely = result is None or known is not None
            aside = store if surely else store.copy()
            value = (self.evaluate_test if tested else self.evaluate)(operand, frame, aside)
            if tested or operand is not node.values[-1]:
                self._test(value, "", operand, operand, frame, aside)
            if tested and value.kind is Kind.TENSOR:
                value = Value(Kind.HOST, differs=value.differs, reduced=value.reduced)
            if result is None or surely:
                result = value
                continue
            # `a or True` is true whatever `a` is; but `a or b` is not `True` where `b` is an object.
            decided = self.truth(value) is stops and (tested or _is_flag(value))
            result = constant(stops) if decided else _either(result, value, is_or=stops)
            merge_into(store, aside)
        assert result is not None
        return result

    def _compare(self, node: ast.Compare, frame: Frame, store: Store) -> Value:
        left = self.evaluate(node.left, frame, store)
        result = HOST
        for number, (op, operand) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if number:  # `a < b < c` asks whether `a < b`
                self._test(result, "", node, node, frame, store)
            right = self.evaluate(operand, frame, store)
            result = self.compare(op, left, right, node, frame, store)
            left = right
        return result if len(node.ops) == 1 else Value(Kind.HOST, differs=result.differs)

    def compare(
        self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare, frame: Frame, store: Store
    ) -> Value:
        """One comparison; on tensors it records and gives a tensor."""
        if isinstance(op, ast.Is | ast.IsNot):
            if Kind.NONE in (left.kind, right.kind):
                other = right if left.kind is Kind.NONE else left
                if other.kind is Kind.NONE:
                    return constant(isinstance(op, ast.Is))
                if other.kind in (Kind.NAMESPACE, Kind.CALLABLE, Kind.CLASS) or (
                    other.kind not in (Kind.UNKNOWN, Kind.TENSOR, Kind.HOST) and other.sure
                ):
                    return constant(isinstance(op, ast.IsNot))
            return HOST
        if isinstance(op, ast.In | ast.NotIn):
            if right.kind is Kind.TENSOR and _is_text(left):
                # A batch that is asked for a key is a dictionary; what is asked for, it has.
                return constant(isinstance(op, ast.In))
            if left.kind is Kind.TENSOR:
                self.read(
                    left, Reading.BOOL, spelling(node, frame.outline.text), frame.site(node), frame, store
                )
            return HOST
        if Kind.TENSOR in (left.kind, right.kind):
            if _is_text(left) or _is_text(right):
                return HOST  # no tensor: what is compared with a string is one
            return self.record((left, right), Weight.LIGHT, frame.site(node), frame, store)
        for one, other, flipped in ((left, right, False), (right, left, True)):
            if one.kind is Kind.ORDINAL:
                return _compare_ordinal(op, one, other, flipped)
        if left.kind is right.kind is Kind.CONSTANT and left.payload and right.payload:
            a, b = left.payload.value, right.payload.value
            if isinstance(op, ast.Eq):
                return constant(a == b)
            if isinstance(op, ast.NotEq):
                return constant(a != b)
        if Kind.DEVICE in (left.kind, right.kind):
            device, other = (left, right) if left.kind is Kind.DEVICE else (right, left)
            if (
                other.kind is Kind.DEVICE
                and device.payload
                and other.payload
                and device.payload != other.payload
            ):
                return constant(isinstance(op, ast.NotEq)) if isinstance(op, ast.Eq | ast.NotEq) else HOST
            if (
                device.payload
                and other.kind is Kind.CONSTANT
                and other.payload
                and isinstance(op, ast.Eq | ast.NotEq)
            ):
                same = str(other.payload.value).startswith(device.payload)
                return constant(same is isinstance(op, ast.Eq))
        return Value(Kind.HOST, differs=left.differs or right.differs)

    def _conditional(self, node: ast.IfExp, frame: Frame, store: Store) -> Value:
        test = self.evaluate_test(node.test, frame, store)
        known = self.truth(test)
        if known is not None:
            return self.evaluate(node.body if known else node.orelse, frame, store)
        self._test(test, "if", node.test, node.test, frame, store)
        aside = store.copy()
        yes = self.evaluate(node.body, frame, store)
        no = self.evaluate(node.orelse, frame, aside)
        merge_into(store, aside)
        return join_values(yes, no)

    def _subscript(self, node: ast.Subscript, frame: Frame, store: Store) -> Value:
        base = self.evaluate(node.value, frame, store)
        index = self.evaluate(node.slice, frame, store)
        if base.kind is Kind.TENSOR:
            if (
                not base.sure
                and index.kind is Kind.CONSTANT
                and index.payload
                and isinstance(index.payload.value, str)
            ):
                return base
            return self.record((base,), Weight.LIGHT, frame.site(node), frame, store)
        if base.kind is Kind.CONTAINER:
            payload: Container = base.payload
            if index.kind is Kind.TENSOR and payload.keys is None:
                self.read(
                    index, Reading.INDEX, spelling(node, frame.outline.text), frame.site(node), frame, store
                )
            if index.kind is Kind.CONSTANT and index.payload and payload.items is not None:
                wanted = index.payload.value
                if payload.keys is not None:
                    if wanted in payload.keys:
                        return payload.items[payload.keys.index(wanted)]
                elif isinstance(wanted, int) and -len(payload.items) <= wanted < len(payload.items):
                    return payload.items[wanted]
            if isinstance(node.slice, ast.Slice):
                return container_of(payload.element)
            return payload.element
        if base.kind is Kind.MODULE:
            return base._replace(payload=base.payload._replace(cls=None))
        if base.kind is Kind.PARAMETERS:
            return base
        named = str(index.payload.value) if index.kind is Kind.CONSTANT and index.payload else ""
        if "found_inf" in named and store.state.scopes.of(ScopeKind.OPTIMIZER):
            return container_of(_gradient(store)._replace(payload=FOUND_INF))
        if base.kind is Kind.HOST:
            return Value(Kind.HOST, differs=base.differs or index.differs)
        return unknown_from(base)

    def _slice(self, node: ast.Slice, frame: Frame, store: Store) -> Value:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                value = self.evaluate(part, frame, store)
                self.read(value, Reading.INDEX, "slice bound", frame.site(part), frame, store)
        return HOST

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, frame: Frame, store: Store
    ) -> Value:
        inner = store.copy()
        was_in_loop = inner.state.scopes.in_loop
        for generator in node.generators:
            over = self.evaluate(generator.iter, frame, inner)
            self.bind(generator.target, self.element(over), frame, inner)
            inner.state.scopes = inner.state.scopes._replace(in_loop=True)
            for condition in generator.ifs:
                test = self.evaluate_test(condition, frame, inner)
                self._test(test, "if", condition, condition, frame, inner)
        if isinstance(node, ast.DictComp):
            self.evaluate(node.key, frame, inner)
            element = self.evaluate(node.value, frame, inner)
        else:
            element = self.evaluate(node.elt, frame, inner)
        inner.state.scopes = inner.state.scopes._replace(in_loop=was_in_loop)
        for generator in node.generators:
            for target in ast.walk(generator.target):
                if isinstance(target, ast.Name):
                    inner.names.pop(target.id, None)
                    if target.id in store.names:
                        inner.names[target.id] = store.names[target.id]
        # The body may have run no time at all: what it recorded is "perhaps".
        merge_into(store, inner)
        return container_of(element)

    def _lambda(self, node: ast.Lambda, frame: Frame, store: Store) -> Value:
        function = frame.outline.function(node, frame.function)
        defaults = self.defaults(function, frame, store)
        return callable_value(Bound(function, None, self.capture(function, frame, store) + defaults))

    def _named(self, node: ast.NamedExpr, frame: Frame, store: Store) -> Value:
        value = self.evaluate(node.value, frame, store)
        self.bind(node.target, value, frame, store)
        return value

    def _await(self, node: ast.Await, frame: Frame, store: Store) -> Value:
        return self.evaluate(node.value, frame, store)

    def _yield(self, node: ast.Yield, frame: Frame, store: Store) -> Value:
        value = NONE if node.value is None else self.evaluate(node.value, frame, store)
        frame.yields.append(Yielded(value, frame.site(node), store.state.loop.cuts))
        if frame.resume is not None:
            resume, frame.resume = frame.resume, None
            after = resume(store)
            if after is not None:
                store.state, store.attributes = after.state, after.attributes
        return UNKNOWN

    def _yield_from(self, node: ast.YieldFrom, frame: Frame, store: Store) -> Value:
        over = self.evaluate(node.value, frame, store)
        cuts = over.kind is Kind.LOADER and over.payload.cuts is True
        frame.yields.append(Yielded(self.element(over), frame.site(node), cuts))
        return UNKNOWN

    def _starred(self, node: ast.Starred, frame: Frame, store: Store) -> Value:
        return self.evaluate(node.value, frame, store)

    def _call(self, node: ast.Call, frame: Frame, store: Store) -> Value:
        return self.call(node, frame, store)

    # Elements and binding -----------------------------------------------------------------------

    def element(self, value: Value) -> Value:
        """What iterating a value yields."""
        if value.kind is Kind.CONTAINER:
            return value.payload.element  # type: ignore[no-any-return]
        if value.kind is Kind.LOADER:
            return value.payload.element  # type: ignore[no-any-return]
        if value.kind is Kind.TENSOR:
            return value._replace(recorded=value.recorded)
        if value.kind in (Kind.HOST, Kind.CONSTANT):
            return Value(Kind.HOST, differs=value.differs)
        if value.kind is Kind.PARAMETERS:
            return value
        return unknown_from(value)

    def bind(self, target: ast.expr, value: Value, frame: Frame, store: Store) -> None:
        """Assign a value to a target, taking containers apart."""
        if isinstance(target, ast.Name):
            self.bind_name(target.id, value, frame, store)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, value, frame, store)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, container_of(value), frame, store)
        elif isinstance(target, ast.Attribute):
            base = self.evaluate(target.value, frame, store)
            if base.kind is Kind.INSTANCE and base.payload.of and not isinstance(base.payload.of[0], str):
                self._bind_attribute(base.payload.of[0], target.attr, value, store)
            elif base.kind is Kind.MODULE and base.payload.cls is not None:
                self._bind_attribute(base.payload.cls, target.attr, value, store)
        elif isinstance(target, ast.Subscript):
            self._bind_item(target, value, frame, store)

    def bind_name(self, name: str, value: Value, frame: Frame, store: Store) -> None:
        """Assign a value to a name, which may be that of a function around this one."""
        function = frame.function
        if function is not None and function.locals() and name not in function.locals():
            frame.captured[name] = value
        store.names[name] = value

    def _bind_attribute(self, cls: Class, name: str, value: Value, store: Store) -> None:
        if not self.is_tabulating(cls):
            held = self.attribute_table(cls).get(name)
            if held == value or (_is_idle(value) and (held is None or held.kind in _IDLE)):
                # The table says it already; summaries are shared the more, the less they start from.
                store.attributes.pop((cls, name), None)
                return
        store.attributes[cls, name] = value

    @abstractmethod
    def is_tabulating(self, cls: Class) -> bool:
        """Whether the attribute table of a class is just being made."""

    def _bind_item(self, target: ast.Subscript, value: Value, frame: Frame, store: Store) -> None:
        base = self.evaluate(target.value, frame, store)
        index = self.evaluate(target.slice, frame, store)
        if base.kind is Kind.CONTAINER:
            payload: Container = base.payload
            wanted = index.payload.value if index.kind is Kind.CONSTANT and index.payload else None
            if payload.items is not None and isinstance(wanted, str) and (payload.keys or not payload.items):
                keys = list(payload.keys or ())
                items = list(payload.items)
                if wanted in keys:
                    items[keys.index(wanted)] = value
                else:
                    keys.append(wanted)
                    items.append(value)
                changed = container(items, tuple(keys))
            else:
                empty = payload.items == ()
                changed = container_of(value if empty else join_values(payload.element, value))
            self.rebind(target.value, changed, frame, store)
        elif base.kind is Kind.TENSOR:
            self.record((base, value), Weight.LIGHT, frame.site(target), frame, store)

    def rebind(self, node: ast.expr, value: Value, frame: Frame, store: Store) -> None:
        """Give a changed value back to the name or attribute it was reached by."""
        if isinstance(node, ast.Name | ast.Attribute):
            self.bind(node, value, frame, store)

    def _unpack(self, elements: list[ast.expr], value: Value, frame: Frame, store: Store) -> None:
        items: tuple[Value, ...] | None = None
        if value.kind is Kind.CONTAINER:
            items = value.payload.items
        starred = [i for i, e in enumerate(elements) if isinstance(e, ast.Starred)]
        if items is not None and not starred and len(items) == len(elements):
            for element, item in zip(elements, items, strict=True):
                self.bind(element, item, frame, store)
            return
        if items is not None and len(starred) == 1 and len(items) >= len(elements) - 1:
            first, after = starred[0], len(elements) - starred[0] - 1
            rest = container(list(items[first : len(items) - after]))
            for element, item in zip(elements[:first], items, strict=False):
                self.bind(element, item, frame, store)
            self.bind(elements[first].value, rest, frame, store)  # type: ignore[attr-defined]
            for element, item in zip(elements[first + 1 :], items[len(items) - after :], strict=True):
                self.bind(element, item, frame, store)
            return
        # What an unknown callable returned may be a pair of anything: each is as unsure as the whole.
        each = self.element(value) if value.sure or value.kind is not Kind.TENSOR else value
        for element in elements:
            self.bind(element, each, frame, store)


_IDLE = frozenset({Kind.HOST, Kind.CONSTANT, Kind.UNKNOWN, Kind.NONE})
"""Kinds of values that the engine has nothing to do with."""

MOVED = "moved"
"""Payload of an unsure device tensor that may as well be a module: an unknown, moved to XLA."""

_TENSOR_METHODS = methods.EXPLICIT_READS | methods.HOST_METHODS | {"to", "backward", "detach"}

_WITH_METHODS = frozenset({
    Kind.MODULE, Kind.OPTIMIZER, Kind.SCALER, Kind.LOADER, Kind.STATE_DICT, Kind.CONTAINER,
    Kind.PARAMETERS, Kind.SCOPE,
})  # fmt: skip


def _shown(by: str | Call) -> str:
    return by if isinstance(by, str) else by.spelling


def _is_idle(value: Value) -> bool:
    """Whether a value has nothing to do with the engine, nor decides a branch."""
    if value.kind is Kind.CONSTANT and value.payload:
        return not isinstance(value.payload.value, bool)
    return value.kind in _IDLE


def parameter(value: Value, store: Store) -> Value:
    """One parameter of a module, as the tensor it is."""
    on_device = value.payload[1] is Place.XLA
    recorded = store.state.engine.parameters if on_device else NOTHING
    if value.payload[1] is Place.HOST:
        return HOST
    reduced = on_device and store.state.engine.parameters_reduced
    return Value(Kind.TENSOR, on_device, recorded, reduced=reduced)


_GRADIENT = Value(Kind.TENSOR, recorded=Recorded(Weight.HEAVY, Weight.HEAVY), differs=True)
"""A gradient or `found_inf` inside an optimizer's step: backward is recorded on it."""


def _gradient(store: Store) -> Value:
    """A gradient, which a cut made in the optimizer's step has already run."""
    return _GRADIENT.run() if store.state.loop.cuts else _GRADIENT


def placed(value: Value, owner: Module) -> Value:
    """A module or tensor that belongs to `owner`: it lives where `owner` lives."""
    if value.kind is Kind.MODULE and value.payload.place is Place.HOST:
        return value._replace(payload=value.payload._replace(place=owner.place))
    if value.kind is Kind.CONTAINER:
        payload: Container = value.payload
        items = None if payload.items is None else tuple(placed(item, owner) for item in payload.items)
        return value._replace(payload=payload._replace(items=items, element=placed(payload.element, owner)))
    return value


def _is_flag(value: Value) -> bool:
    return value.kind is Kind.CONSTANT and bool(value.payload) and isinstance(value.payload.value, bool)


def _is_text(value: Value) -> bool:
    return value.kind is Kind.CONSTANT and bool(value.payload) and isinstance(value.payload.value, str)


def merge_into(store: Store, other: Store) -> None:
    """Make `store` stand for "either `store` or `other`"."""
    joined = join_stores(store, other)
    assert joined is not None
    store.names, store.attributes = joined.names, joined.attributes
    store.state, store.moved = joined.state, joined.moved


def _either(left: Value, right: Value, *, is_or: bool) -> Value:
    if Kind.RANK_TEST in (left.kind, right.kind):
        test = left if left.kind is Kind.RANK_TEST else right
        other = right if test is left else left
        if other.kind is Kind.RANK_TEST and other.payload.master != test.payload.master:
            return Value(Kind.HOST, differs=True)
        # `a and is_master`: whoever gets in is the master; who stays out may be anyone.
        side = {"certain": False} if is_or else {"certain_else": False}
        return test._replace(payload=test.payload._replace(**side))
    return join_values(left, right)


def _compare_ordinal(op: ast.cmpop, ordinal: Value, other: Value, flipped: bool) -> Value:
    zero = other.kind is Kind.CONSTANT and bool(other.payload) and other.payload.value == 0
    master: bool | None = None
    if isinstance(op, ast.Eq):
        master = zero
    elif isinstance(op, ast.NotEq):
        master = not zero
    elif zero and isinstance(op, ast.Gt | ast.Lt):
        master = False
    if master is None:
        return Value(Kind.HOST, differs=True)
    return Value(
        Kind.RANK_TEST, ordinal.sure, differs=True, payload=RankTest(master, ordinal.sure, ordinal.sure)
    )


def _without_captures(value: Value) -> Value:
    """The value with captures of nested functions left out, so that captures do not nest."""
    if value.kind is not Kind.CALLABLE:
        return value
    stripped = tuple(
        t._replace(captured=()) if isinstance(t, Bound) and t.captured else t for t in targets(value)
    )
    return value._replace(payload=Targets(stripped)) if stripped else value


def _path(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _path(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def _within(whole: ast.JoinedStr, part: ast.FormattedValue, frame: Frame) -> Site:
    """The place of a replacement field: of the whole string where older hosts know no better."""
    inner = frame.site(part.value)
    outer = frame.site(whole)
    starts_later = (outer.line, outer.column) < (inner.line, inner.column)
    ends_before = (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    return inner if starts_later and ends_before else outer


_EVALUATORS: dict[type, Evaluate] = {
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.Constant: Expressions._constant,
    ast.JoinedStr: Expressions._joined_string,
    ast.List: Expressions._list,
    ast.Tuple: Expressions._list,
    ast.Set: Expressions._list,
    ast.Dict: Expressions._dict,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._bool_operator,
    ast.Compare: Expressions._compare,
    ast.IfExp: Expressions._conditional,
    ast.Subscript: Expressions._subscript,
    ast.Slice: Expressions._slice,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.Lambda: Expressions._lambda,
    ast.NamedExpr: Expressions._named,
    ast.Await: Expressions._await,
    ast.Yield: Expressions._yield,
    ast.YieldFrom: Expressions._yield_from,
    ast.Starred: Expressions._starred,
    ast.Call: Expressions._call,
}  # fmt: skip
