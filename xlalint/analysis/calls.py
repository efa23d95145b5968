"""Calls: who is called, and what the call does, for every kind of callee."""

from __future__ import annotations

import ast
from abc import abstractmethod

from xlalint.analysis import effects
from xlalint.analysis.call import Call
from xlalint.analysis.expressions import MOVED, Expressions, merge_into, parameter
from xlalint.analysis.frame import Frame
from xlalint.analysis.outline import Class
from xlalint.analysis.payloads import (
    Bound,
    Classes,
    Container,
    Known,
    Loader,
    Method,
    Module,
    Namespace,
    Opening,
    Optimizer,
    Partial,
    Scoped,
    callable_value,
    container,
    container_of,
    run,
    targets,
    unknown_from,
)
from xlalint.analysis.store import Store
from xlalint.knowledge import functions, methods
from xlalint.lazy.events import Reading, Use
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import Cause, Scope, ScopeKind
from xlalint.lazy.values import HOST, NONE, UNKNOWN, Kind, Place, Value, Weight
from xlalint.lazy.values import join as join_values

Target = Bound | Known | Method | Partial | Scoped

_CARRIERS = frozenset({Kind.MODULE, Kind.OPTIMIZER, Kind.SCALER, Kind.LOADER})


class Calls(Expressions):
    """Dispatches calls. Entering a function of the project is left to the class above."""

    # Evaluation of a call -----------------------------------------------------------------------

    def call(self, node: ast.Call, frame: Frame, store: Store) -> Value:
        """Evaluate the callee, then the arguments, then the call itself."""
        parent = self._super_method(node, frame, store)
        callee = parent if parent is not None else self.evaluate(node.func, frame, store)
        call = Call(frame, store, frame.site(node), node)
        collects = _is_known(callee, "add closure")
        outer, frame.closure_argument = frame.closure_argument, frame.closure_argument or collects
        for argument in node.args:
            value = self.evaluate(argument, frame, store)
            if isinstance(argument, ast.Starred):
                items = value.payload.items if value.kind is Kind.CONTAINER else None
                if items is None:
                    call.open_ended = True
                else:
                    call.arguments.extend(items)
            else:
                call.arguments.append(value)
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, frame, store)
            if keyword.arg is not None:
                call.keywords[keyword.arg] = value
            elif value.kind is Kind.CONTAINER and value.payload.keys and value.payload.items:
                for name, item in zip(value.payload.keys, value.payload.items, strict=True):
                    call.keywords.setdefault(str(name), item)
            else:
                call.open_ended = True
        frame.closure_argument = outer
        if not _is_parameter(node.func, frame):
            return self.invoke(callee, call)
        before = store.state.loop.own.cut_by
        result = self.invoke(callee, call)
        # Where a marker stands is for those to say who pass it as a callback.
        loop = call.store.state.loop
        made = frozenset(cut for cut in loop.own.cut_by if cut in before or cut[0] is not Cause.MARKER)
        call.store.state.loop = loop._replace(own=loop.own._replace(cut_by=made))
        return result

    def invoke(self, callee: Value, call: Call) -> Value:
        """Call a value."""
        kind = callee.kind
        if kind is Kind.CALLABLE:
            return self._each_target(targets(callee), call)
        if kind is Kind.CLASS:
            return self._construct(callee.payload, call)
        if kind is Kind.MODULE:
            return self.call_module(callee, call)
        if kind is Kind.NAMESPACE:
            return self._call_library(callee.payload, call)
        if kind is Kind.INSTANCE:
            method = self.attribute(callee, "__call__", None, call.frame, call.store)
            if any(isinstance(t, Bound | Known) for t in targets(method)):
                return self.invoke(method, call)
        if kind is Kind.TENSOR and callee.payload == MOVED:
            return self.call_module(Value(Kind.MODULE, False, payload=Module(None, Place.XLA)), call)
        if kind is Kind.CONSTANT and callee.payload and isinstance(callee.payload.value, bool):
            return callee  # a test for a backend, whether a function or a flag
        if kind is Kind.SCOPE:
            # A scope used as a decorator: `@torch_xla.compile(full_graph=True)`, `@xp.trace_me("step")`.
            target = call.argument(0)
            if target is not None:
                scope = callee.payload.scope if isinstance(callee.payload, Opening) else None
                return callable_value(Scoped(target, scope)) if scope else target
        return self.call_unknown(call)

    def _each_target(self, of: tuple[Target, ...], call: Call) -> Value:
        if len(of) == 1:
            return self._target(of[0], call)
        before = call.store.copy()
        bounded = before.state.trust.bounded
        before.state.trust = before.state.trust._replace(bounded=True)
        result: Value | None = None
        after: Store | None = None
        for target in of:
            aside = before.copy()
            one = Call(
                call.frame, aside, call.site, call.node, call.arguments, call.keywords, call.open_ended
            )
            value = self._target(target, one)
            result = value if result is None else join_values(result, value)
            if after is None:
                after = aside
            else:
                merge_into(after, aside)
        if after is not None:
            after.state.trust = after.state.trust._replace(bounded=bounded)
            store = call.store
            store.names, store.attributes, store.state, store.moved = (
                after.names, after.attributes, after.state, after.moved,
            )  # fmt: skip
        return result if result is not None else self.call_unknown(call)

    def _target(self, target: Target, call: Call) -> Value:
        if isinstance(target, Known):
            return effects.apply(self, target.name, call)
        if isinstance(target, Method):
            return self._call_method(target, call)
        if isinstance(target, Bound):
            return self.enter_function(target, call)
        if isinstance(target, Partial):
            call.arguments = [*target.arguments, *call.arguments]
            call.keywords = {**dict(target.keywords), **call.keywords}
            return self.invoke(target.target, call)
        scope = Scope(target.scope, _definition(target.target) or call.site)
        self.enter_scope(scope, call.spelling, call.frame, call.store)
        result = self.invoke(target.target, call)
        self.leave_scope(scope, call.spelling, call.frame, call.store)
        return run(result)

    def enter_scope(self, scope: Scope, shown: str, frame: Frame, store: Store) -> None:
        """A scope opens; values are told when it cuts."""
        frame.model.enter(store.state, scope, shown)
        if scope.kind.is_step:
            store.run_all()

    def leave_scope(self, scope: Scope, shown: str, frame: Frame, store: Store) -> None:
        """A scope closes; values are told when it cuts."""
        before = store.state.engine.recorded
        frame.model.leave(store.state, scope, shown)
        if store.state.engine.recorded != before:
            store.run_all()

    # Unknown callees ----------------------------------------------------------------------------

    def call_unknown(self, call: Call) -> Value:
        """An unknown callee keeps the state; with device values it records heavy work."""
        given = call.values
        self._let_escape(call)
        if any(
            v.kind in _CARRIERS or (v.kind is Kind.CONTAINER and v.payload.element.kind in _CARRIERS)
            for v in given
        ):
            call.store.state.trust = call.store.state.trust._replace(opaque=True)
        if any(_holds_tensor(v) for v in given):
            result = self.record((), Weight.HEAVY, call.site, call.frame, call.store)
            return result._replace(sure=False, differs=True)
        return unknown_from(*given)

    def _let_escape(self, call: Call) -> None:
        for value in call.values:
            for target in targets(value):
                if isinstance(target, Bound):
                    self.enter_escaped(target, call)

    @abstractmethod
    def enter_escaped(self, bound: Bound, call: Call) -> None:
        """A function is handed to someone who may call it."""

    # Library functions --------------------------------------------------------------------------

    def _call_library(self, namespace: Namespace, call: Call) -> Value:
        name = namespace.name
        if namespace.outline is not None:
            return self.call_unknown(call)
        if name.startswith("torch."):
            return self._call_torch(name, call)
        module, _, last = name.rpartition(".")
        if module in functions.PLAIN_MODULES:
            for value in call.arguments:
                self.read(value, Reading.MATH, call, call.site, call.frame, call.store)
            return Value(Kind.HOST, differs=any(v.differs for v in call.values))
        if module in functions.HOST_MODULES or module.partition(".")[0] in functions.HOST_MODULES:
            return Value(Kind.HOST, differs=any(v.differs for v in call.values))
        if name.startswith("torch_xla.amp.syncfree."):
            return effects.make_optimizer(call)
        if module == "torch_xla.distributed.zero_redundancy_optimizer" and last == "ZeroRedundancyOptimizer":
            return Value(Kind.OPTIMIZER, payload=Optimizer(None, Place.UNKNOWN, None))
        return self.call_unknown(call)

    def _call_torch(self, name: str, call: Call) -> Value:
        module, _, last = name.rpartition(".")
        if (
            module in ("torch.optim", "torch.optim.adam", "torch.optim.sgd", "torch.optim.adamw")
            and last[:1].isupper()
        ):
            return effects.make_optimizer(call)
        if module.startswith("torch.optim.lr_scheduler"):
            return HOST
        if module.startswith("torch.nn") and last[:1].isupper() and "functional" not in module:
            if last == "Parameter":
                return Value(Kind.PARAMETERS, payload=(None, Place.HOST))
            return Value(Kind.MODULE, payload=Module(call.site, Place.HOST))
        if last in methods.CREATIONS and module == "torch":
            return self._create(last, call)
        if last.endswith("_like") and call.arguments and call.arguments[0].kind is not Kind.TENSOR:
            return self._create(last, call)
        tensors = [v for v in call.values if _holds_tensor(v)]
        if module.startswith(
            ("torch.distributed", "torch.utils", "torch.cuda", "torch.backends", "torch.random")
        ):
            return self.call_unknown(call) if tensors else unknown_from(*call.values)
        if not tensors:
            if any(v.kind is Kind.UNKNOWN for v in call.values):
                return unknown_from(*call.values)
            return Value(Kind.HOST, differs=any(v.differs for v in call.values))
        weight = Weight.HEAVY if last in methods.HEAVY_FUNCTIONS else Weight.LIGHT
        inputs = [self.element(v) if v.kind is Kind.CONTAINER else v for v in tensors]
        return self.record(inputs, weight, call.site, call.frame, call.store)

    def _create(self, last: str, call: Call) -> Value:
        given = call.keywords.get("device")
        device = effects.device_of(given) if given is not None and given.kind is not Kind.NONE else None
        if device is not None and device.payload == "xla":
            result = self.record((), Weight.LIGHT, call.site, call.frame, call.store)
            return result._replace(differs=any(v.differs for v in call.values))
        if device is not None and not device.payload:
            return UNKNOWN
        if last in ("tensor", "as_tensor") and call.arguments:
            value = call.arguments[0]
            if value.kind is Kind.CONTAINER:
                # A list of tensors is read element by element to build the new one.
                self.read(self.element(value), Reading.SCALAR, call, call.site, call.frame, call.store)
            elif value.kind is Kind.TENSOR:
                return value
            elif value.kind is Kind.UNKNOWN:
                return UNKNOWN
        return Value(Kind.HOST, differs=any(v.differs for v in call.values))

    # Classes and modules ------------------------------------------------------------------------

    def _construct(self, classes: Classes, call: Call) -> Value:
        joined: Value | None = None
        for cls in classes.of:
            made = self.call_unknown(call) if isinstance(cls, str) else self._construct_one(cls, call)
            joined = made if joined is None else join_values(joined, made)
        return joined or UNKNOWN

    def _construct_one(self, cls: Class, call: Call) -> Value:
        if self.is_module_class(cls):
            value = Value(Kind.MODULE, payload=Module(call.site, Place.HOST, cls))
        elif self.is_scaler_class(cls):
            return Value(Kind.SCALER, payload=cls)
        elif self.is_optimizer_class(cls):
            made = effects.make_optimizer(call)
            return made._replace(payload=made.payload._replace(cls=cls))
        else:
            value = Value(Kind.INSTANCE, payload=Classes((cls,)))
        init = self.find_method(cls, "__init__")
        if init is not None:
            before = {key: held for key, held in call.store.attributes.items() if key[0] is cls}
            self.enter_function(Bound(init, value), call)
            for key, held in before.items():
                # Instances of a class share the table: what they hold of another kind is either.
                now = call.store.attributes.get(key, held)
                if now.kind is not held.kind:
                    call.store.attributes[key] = join_values(held, now)
        else:
            # Dataclasses and the like keep what they are given.
            fields = [field for base in reversed(self.bases(cls)) for field in base.fields()]
            for name, given in (
                *zip(dict.fromkeys(fields), call.arguments, strict=False),
                *call.keywords.items(),
            ):
                call.store.attributes[cls, name] = given
        return value

    @abstractmethod
    def is_scaler_class(self, cls: Class) -> bool:
        """Whether instances of the class are gradient scalers."""

    @abstractmethod
    def is_optimizer_class(self, cls: Class) -> bool:
        """Whether instances of the class are optimizers."""

    def call_module(self, module: Value, call: Call) -> Value:
        """Run a module's forward."""
        info: Module = module.payload
        state = call.store.state
        outer_forward = state.scopes.in_forward
        state.scopes = state.scopes._replace(in_forward=True)
        try:
            if info.cls is not None:
                forward = self.find_method(info.cls, "forward") or self.find_method(info.cls, "__call__")
                if forward is not None:
                    return self.enter_function(Bound(forward, module), call)
        finally:
            call.store.state.scopes = call.store.state.scopes._replace(in_forward=outer_forward)
        on_device = info.place is Place.XLA or any(_holds_tensor(v) for v in call.values)
        if not on_device:
            return unknown_from(*call.values)
        inputs = [v for v in call.values if v.kind is Kind.TENSOR]
        result = self.record(inputs, Weight.HEAVY, call.site, call.frame, call.store)
        return result._replace(differs=result.differs or not inputs, sure=result.sure and module.sure)

    # Methods of library objects -----------------------------------------------------------------

    def _call_method(self, method: Method, call: Call) -> Value:
        receiver, name = method.receiver, method.name
        handler = _METHODS.get(receiver.kind)
        if handler is not None:
            return handler(self, receiver, name, call)
        if receiver.kind in (Kind.HOST, Kind.CONSTANT, Kind.ORDINAL):
            return self._host_method(receiver, name, call)
        return self._unknown_method(receiver, name, call)

    def _tensor_method(self, receiver: Value, name: str, call: Call) -> Value:
        frame, store, site = call.frame, call.store, call.site
        if name in methods.EXPLICIT_READS:
            if receiver.payload == MOVED and name == "cpu":
                return UNKNOWN
            return self.read(receiver, Reading.EXPLICIT, call, site, frame, store)
        if name == "to":
            return self._move_tensor(receiver, call)
        if name == "backward":
            frame.model.backward(store.state, site)
            self._is_a_tensor(receiver, call)
            return NONE
        if name in methods.BOOL_READS:
            return self.read(receiver, Reading.BOOL, call, site, frame, store)
        if name == "type" and call.values:  # a cast; without arguments a name
            return self.record((receiver,), Weight.LIGHT, site, frame, store)
        if name in methods.FOREIGN_METHODS:
            return HOST
        if name in methods.HOST_METHODS or name.startswith("is_"):
            return receiver if name.endswith("_") else HOST
        if name in ("cuda", "xla", "detach", "detach_"):
            return receiver
        if not receiver.sure and name not in _COMMON_TENSOR_METHODS:
            if name in methods.MODULE_METHODS:
                return receiver
            if name == "parameters":
                return Value(Kind.PARAMETERS, payload=(None, Place.UNKNOWN))
            if name == "state_dict":
                return Value(Kind.STATE_DICT, False, payload=Place.UNKNOWN)
            if name == "items" and not call.values:
                return container_of(container([HOST, receiver]))  # a mapping, whatever it is
            if name == "keys" and not call.values:
                return container_of(HOST)
            if name == "values" and not call.values:
                return container_of(receiver)
            return self.record((receiver,), Weight.HEAVY, site, frame, store)._replace(sure=False)
        weight = Weight.HEAVY if name in methods.HEAVY_METHODS else Weight.LIGHT
        inputs = [receiver, *(v for v in call.values if v.kind is Kind.TENSOR)]
        result = self.record(inputs, weight, site, frame, store)
        if name.endswith("_") and not name.endswith("__") and call.node is not None:
            function = call.node.func
            if isinstance(function, ast.Attribute):
                self.rebind(function.value, result, frame, store)
        return result

    def _is_a_tensor(self, receiver: Value, call: Call) -> None:
        """What an unknown callee made of device values, and backward starts from, is a tensor there."""
        function = call.node.func if call.node is not None else None
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and not receiver.sure
            and receiver.recorded.must is Weight.HEAVY
            and receiver.payload != MOVED
        ):
            self.rebind(function.value, receiver._replace(sure=True), call.frame, call.store)

    def _move_tensor(self, receiver: Value, call: Call) -> Value:
        target = call.argument(0, "device")
        if target is not None:
            device = effects.device_of(target)
            if device.payload == "cpu":
                return self.read(receiver, Reading.EXPLICIT, call, call.site, call.frame, call.store)
            if device.payload == "xla" or target.kind is Kind.TENSOR:
                return receiver
        if target is not None and target.kind is Kind.NAMESPACE:  # a dtype
            return self.record((receiver,), Weight.LIGHT, call.site, call.frame, call.store)
        return receiver

    def _module_method(self, receiver: Value, name: str, call: Call) -> Value:
        info: Module = receiver.payload
        if name in ("to", "xla", "cuda", "cpu"):
            return self._move_module(receiver, name, call)
        if name in ("parameters", "named_parameters", "buffers", "named_buffers"):
            parameters = Value(Kind.PARAMETERS, payload=(info.identity, info.place))
            return container_of(container([HOST, parameters])) if name.startswith("named") else parameters
        if name == "state_dict":
            return Value(Kind.STATE_DICT, receiver.sure, payload=info.place)
        if name in methods.MODULE_METHODS:
            return receiver
        if name in ("forward", "__call__"):
            return self.call_module(receiver, call)
        if name == "zero_grad":
            call.frame.model.zero_gradients(call.store.state)
            return NONE
        if name in methods.LABEL_METHODS and info.cls is None and any(_holds_tensor(v) for v in call.values):
            return effects.BATCH._replace(sure=False)
        if name == "clip_grad_norm_":
            return self.record((Value(Kind.TENSOR),), Weight.HEAVY, call.site, call.frame, call.store)
        if name in (
            "modules",
            "children",
            "named_modules",
            "load_state_dict",
            "register_buffer",
            "add_module",
        ):
            return UNKNOWN
        return self.call_unknown(call)

    def _move_module(self, receiver: Value, name: str, call: Call) -> Value:
        info: Module = receiver.payload
        if name == "to":
            target = call.argument(0, "device")
            device = effects.device_of(target).payload
            if target is not None and target.kind is Kind.NAMESPACE:
                return receiver
        else:
            device = {"cpu": "cpu", "xla": "xla"}.get(name, "")
        if device == "xla":
            if info.identity is not None and not self.swaps_parameters:
                call.store.move_module(info.identity, (call.site,))
            place = Place.XLA
        elif device == "cpu":
            place = Place.HOST
        else:
            place = Place.UNKNOWN
        moved = receiver._replace(payload=info._replace(place=place))
        if call.node is not None and isinstance(call.node.func, ast.Attribute) and info.identity is None:
            self.rebind(call.node.func.value, moved, call.frame, call.store)
        return moved

    def step_optimizer(self, optimizer: Value | None, call: Call, *, barrier: bool = False) -> None:
        """An optimizer steps, whichever way it was asked to."""
        stale: Path = ()
        built = None
        if optimizer is not None and optimizer.kind is Kind.OPTIMIZER:
            info: Optimizer = optimizer.payload
            stale, built = info.stale, info.built
            if info.place is Place.HOST and not stale:
                return  # parameters on the host
        call.frame.model.step_optimizer(
            call.store.state, call.site,
            stale=stale, built=(built,) if built is not None else (), barrier=barrier,
        )  # fmt: skip

    def _optimizer_method(self, receiver: Value, name: str, call: Call) -> Value:
        if name == "step":
            closure = call.argument(0, "closure")
            if closure is not None and closure.kind is Kind.CALLABLE:
                self.invoke(closure, Call(call.frame, call.store, call.site, None))
            cls = receiver.payload.cls
            step = self.find_method(cls, "step") if cls is not None else None
            if step is not None:
                instance = Value(Kind.INSTANCE, payload=Classes((cls,)))
                self.invoke(
                    callable_value(Scoped(callable_value(Bound(step, instance)), ScopeKind.OPTIMIZER)), call
                )
            self.step_optimizer(receiver, call)
            return HOST
        if name == "zero_grad":
            call.frame.model.zero_gradients(call.store.state)
            return NONE
        if name == "state_dict":
            return Value(Kind.STATE_DICT, payload=Place.UNKNOWN)
        return UNKNOWN

    def _scaler_method(self, receiver: Value, name: str, call: Call) -> Value:
        if name == "scale":
            value = call.argument(0, "outputs") or UNKNOWN
            if value.kind is Kind.TENSOR:
                return self.record((value,), Weight.LIGHT, call.site, call.frame, call.store)
            return value
        if name == "unscale_":
            call.frame.model.change_gradients(call.store.state, Use.UNSCALE, call.spelling, call.site)
            return NONE
        if name == "step":
            if receiver.payload != "disabled":
                call.frame.model.step_scaler(call.store.state, call.spelling, call.site, sure=receiver.sure)
            self.step_optimizer(call.argument(0, "optimizer"), call)
            return NONE
        return HOST

    def _loader_method(self, receiver: Value, name: str, call: Call) -> Value:
        if name in ("set_postfix", "set_description", "set_postfix_str", "write"):
            for value in call.values:
                self.read(value, Reading.TEXT, call, call.site, call.frame, call.store)
            return NONE
        if name in ("__iter__", "per_device_loader"):
            return receiver
        return HOST

    def _container_method(self, receiver: Value, name: str, call: Call) -> Value:
        payload: Container = receiver.payload
        node = (
            call.node.func.value
            if call.node is not None and isinstance(call.node.func, ast.Attribute)
            else None
        )
        if name in ("append", "add", "insert", "appendleft", "extend", "update", "setdefault"):
            given = call.arguments[-1] if call.arguments else UNKNOWN
            if name in ("extend", "update"):
                given = self.element(given)
            empty = payload.items == ()
            changed = container_of(given if empty else join_values(payload.element, given))
            if (
                payload.items is not None
                and payload.keys is None
                and name == "append"
                and len(payload.items) < 8
                and not call.store.state.scopes.in_loop
            ):
                changed = container([*payload.items, given])
            if node is not None:
                self.rebind(node, changed, call.frame, call.store)
            return NONE
        if name in ("get", "pop", "popleft", "__getitem__"):
            key = call.argument(0)
            wanted = (
                key.payload.value if key is not None and key.kind is Kind.CONSTANT and key.payload else None
            )
            if payload.keys is not None and payload.items is not None and wanted in payload.keys:
                return payload.items[payload.keys.index(wanted)]
            return payload.element
        if name in ("items", "values"):
            element = container([HOST, payload.element]) if name == "items" else payload.element
            return container_of(element)
        if name in ("keys", "index", "count", "join"):
            return HOST
        if name == "copy":
            return receiver
        if name in ("clear", "reverse", "sort", "remove"):
            return NONE
        return self.call_unknown(call)

    def _scope_method(self, receiver: Value, name: str, call: Call) -> Value:
        given = call.argument(0, "cm")
        is_stack = isinstance(receiver.payload, Opening) and receiver.payload.effect == effects.STACK
        if is_stack and name in ("enter_context", "enter_async_context") and given is not None:
            opening = given.payload
            if given.kind is Kind.SCOPE and isinstance(opening, Opening) and opening.scope is not None:
                self.enter_scope(Scope(opening.scope, call.site), opening.spelling, call.frame, call.store)
        return UNKNOWN

    def _parameters_method(self, receiver: Value, name: str, call: Call) -> Value:
        one = parameter(receiver, call.store)
        if one.kind is not Kind.TENSOR:
            return self._host_method(one, name, call)
        return self._tensor_method(one, name, call)

    def _state_dict_method(self, receiver: Value, name: str, call: Call) -> Value:
        return UNKNOWN

    def _host_method(self, receiver: Value, name: str, call: Call) -> Value:
        if name == "to":
            device = effects.device_of(call.argument(0, "device")).payload
            if device == "xla":
                return Value(Kind.TENSOR, differs=receiver.differs)
            return receiver if device == "cpu" else UNKNOWN
        if name in ("format", "join"):
            for value in call.values:
                self.read(value, Reading.TEXT, call, call.site, call.frame, call.store)
        tensors = [v for v in call.values if v.kind is Kind.TENSOR]
        if tensors and receiver.kind is Kind.HOST and name not in ("format", "join"):
            return self.call_unknown(call)
        return Value(Kind.HOST, differs=receiver.differs or any(v.differs for v in call.values))

    def _unknown_method(self, receiver: Value, name: str, call: Call) -> Value:
        if name == "to" and effects.device_of(call.argument(0, "device")).payload == "xla":
            return Value(Kind.TENSOR, False, differs=True, payload=MOVED)
        if name in methods.EXPLICIT_READS and not call.values:
            self.read(receiver, Reading.EXPLICIT, call, call.site, call.frame, call.store)
            return unknown_from(receiver)
        if name == "backward":
            call.frame.model.backward(call.store.state, call.site, sure=False)
            return NONE
        if name == "per_device_loader":
            return Value(Kind.LOADER, payload=Loader(effects.BATCH, True, True))
        return self.call_unknown(call)

    # Methods of base classes ----------------------------------------------------------------------

    def _super_method(self, node: ast.Call, frame: Frame, store: Store) -> Value | None:
        function = node.func
        if not (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Call)
            and isinstance(function.value.func, ast.Name)
            and function.value.func.id == "super"
        ):
            return None
        owner = frame.function.owner if frame.function is not None else None
        if owner is None or frame.function is None or isinstance(frame.function.node, ast.Lambda):
            return UNKNOWN
        arguments = frame.function.node.args
        named = [*arguments.posonlyargs, *arguments.args]
        receiver = store.names.get(named[0].arg, UNKNOWN) if named else UNKNOWN
        for base in self.bases(owner)[1:]:
            if function.attr in base.methods:
                return callable_value(Bound(base.methods[function.attr], receiver))
        if receiver.kind is Kind.MODULE:
            plain = receiver._replace(payload=receiver.payload._replace(cls=None))
            return callable_value(Method(plain, function.attr))
        return callable_value(Known("torch.manual_seed")) if function.attr == "__init__" else UNKNOWN


def _is_parameter(node: ast.expr, frame: Frame) -> bool:
    """Whether a callee is a parameter of the function being interpreted."""
    if not isinstance(node, ast.Name) or frame.function is None:
        return False
    arguments = frame.function.node.args
    return any(a.arg == node.id for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))


def _definition(value: Value) -> Site | None:
    """Where the one function that a value stands for is defined: it owns the scope it runs in."""
    for target in targets(value):
        if isinstance(target, Bound) and len(targets(value)) == 1:
            return target.function.site
    return None


def _holds_tensor(value: Value) -> bool:
    if value.kind is Kind.TENSOR:
        return True
    return value.kind is Kind.CONTAINER and value.payload.element.kind is Kind.TENSOR


def _is_known(value: Value, effect: str) -> bool:
    return any(isinstance(t, Known) and functions.FUNCTIONS[t.name] == effect for t in targets(value))


_COMMON_TENSOR_METHODS = frozenset({
    "mean", "sum", "float", "half", "long", "int", "bool", "argmax", "argmin", "max", "min", "eq", "ne",
    "lt", "gt", "view", "reshape", "squeeze", "unsqueeze", "transpose", "permute", "contiguous",
    "clone", "mul_", "add_", "div_", "mul", "add", "sub", "div", "pow", "sqrt", "exp", "log", "any",
    "all", "isnan", "isfinite", "expand", "repeat", "flatten", "norm", "type_as", "masked_fill",
    "masked_fill_", "softmax", "log_softmax", "sigmoid", "tanh", "relu", "scatter", "scatter_",
    "gather", "index_select", "clamp", "clamp_", "fill_", "zero_", "copy_", "data", "topk", "bfloat16",
    "double", "t", "abs", "neg", "cumsum", "chunk", "split", "new_zeros", "new_ones", "new_full",
})  # fmt: skip

_METHODS = {
    Kind.TENSOR: Calls._tensor_method,
    Kind.MODULE: Calls._module_method,
    Kind.OPTIMIZER: Calls._optimizer_method,
    Kind.SCALER: Calls._scaler_method,
    Kind.LOADER: Calls._loader_method,
    Kind.CONTAINER: Calls._container_method,
    Kind.SCOPE: Calls._scope_method,
    Kind.PARAMETERS: Calls._parameters_method,
    Kind.STATE_DICT: Calls._state_dict_method,
}
