"""What calling a library function means to the model: one handler for each effect in knowledge."""

from __future__ import annotations

import ast
from collections.abc import Callable

from xlalint.analysis.call import Call, spelling
from xlalint.analysis.expressions import Expressions
from xlalint.analysis.payloads import (
    DEVICE_HOST,
    DEVICE_UNKNOWN,
    DEVICE_XLA,
    Classes,
    Container,
    Known,
    Loader,
    Method,
    Module,
    Opening,
    Optimizer,
    Partial,
    RankTest,
    Scoped,
    callable_value,
    constant,
    container,
    container_of,
    targets,
    unknown_from,
)
from xlalint.knowledge import functions
from xlalint.lazy.events import Reading, Use
from xlalint.lazy.site import Site
from xlalint.lazy.state import Cause, ScopeKind
from xlalint.lazy.values import HOST, NONE, NOTHING, UNKNOWN, Kind, Place, Recorded, Value, Weight
from xlalint.lazy.values import join as join_values

Effect = Callable[[Expressions, Call], Value]

BATCH = Value(Kind.TENSOR, differs=True)
"""What an XLA loader yields, or what it yields is made of."""


def apply(calls: Expressions, name: str, call: Call) -> Value:
    """Call the library function `name`, which knowledge lists."""
    effect = functions.FUNCTIONS[name]
    if effect.startswith("object "):
        return Value(Kind.INSTANCE, payload=Classes((effect[7:],)))
    return EFFECTS[effect](calls, call)


# Cuts and scopes -------------------------------------------------------------------------------


def _flag(call: Call, keyword: str, default: bool, position: int = -1) -> bool | None:
    value = call.argument(position, keyword)
    if value is None:
        return default
    if value.kind is Kind.CONSTANT and value.payload:
        return bool(value.payload.value)
    return None


def cut(call: Call, cause: Cause, *, sure: bool = True, resets_scope: bool = True) -> None:
    """The graph is cut, and the values that are alive are told."""
    call.frame.model.cut(
        call.store.state, cause, call.spelling, call.site, sure=sure, resets_scope=resets_scope
    )
    call.store.run_all() if sure else call.store.maybe_run_all()


def _marker(calls: Expressions, call: Call) -> Value:
    resets = _flag(call, "reset_scope", True, 1 if call.spelling.endswith("mark_step()") else 2)
    cut(call, Cause.MARKER, resets_scope=resets is not False)
    return NONE


def _step_scope(calls: Expressions, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(ScopeKind.STEP, call.spelling))


def _compile(calls: Expressions, call: Call) -> Value:
    full = _flag(call, "full_graph", False, 1)
    kind = ScopeKind.FULL_GRAPH if full else ScopeKind.COMPILE
    target = call.argument(0, "f")
    if target is None or target.kind in (Kind.NONE, Kind.CONSTANT):
        return Value(Kind.SCOPE, payload=Opening(kind, call.spelling))
    return callable_value(Scoped(target, kind))


STACK = "exit stack"
"""The effect of a scope that other scopes are entered through."""


def _dynamo(calls: Expressions, call: Call) -> Value:
    """What `torch.compile` made is called: its graph runs at once, with what waits for it."""
    cut(call, Cause.MARKER, sure=False)
    return Value(Kind.TENSOR, False, differs=True)


def _trace_scope(calls: Expressions, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(ScopeKind.TRACE, call.spelling))


def _step_trace_scope(calls: Expressions, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(ScopeKind.STEP_TRACE, call.spelling))


def _exit_stack(calls: Expressions, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling, STACK))


def _plain_scope(calls: Expressions, call: Call) -> Value:
    target = call.argument(0)
    if target is not None and target.kind is Kind.CALLABLE:
        return target
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling))


def _eager_mode(calls: Expressions, call: Call) -> Value:
    call.store.state.engine = call.store.state.engine._replace(eager=_flag(call, "enable", True, 0))
    return NONE


def _eager_scope(calls: Expressions, call: Call) -> Value:
    return Value(Kind.SCOPE, payload=Opening(None, call.spelling, "eager"))


def _add_closure(calls: Expressions, call: Call) -> Value:
    state = call.store.state
    call.frame.model.add_closure(state, call.site, asynchronous=bool(_flag(call, "run_async", False, 2)))
    body = call.argument(0, "closure")
    arguments = call.argument(1, "args")
    if body is not None and body.kind is Kind.CALLABLE:
        calls.run_closure(body, _elements(arguments), call)
    return NONE


def _elements(value: Value | None) -> list[Value]:
    if value is not None and value.kind is Kind.CONTAINER and value.payload.items is not None:
        return list(value.payload.items)
    return []


# Devices ---------------------------------------------------------------------------------------


def _xla_device(calls: Expressions, call: Call) -> Value:
    return DEVICE_XLA


def _xla_devices(calls: Expressions, call: Call) -> Value:
    return container_of(DEVICE_XLA)


def _hardware(calls: Expressions, call: Call) -> Value:
    return HOST


def _device(calls: Expressions, call: Call) -> Value:
    return device_of(call.argument(0, "device"))


def device_of(value: Value | None) -> Value:
    """The device that a value names; of unknown sort when it is not known to be one."""
    if value is None:
        return DEVICE_UNKNOWN
    if value.kind is Kind.DEVICE:
        return value
    if value.kind is Kind.CONSTANT and value.payload and isinstance(value.payload.value, str):
        name = value.payload.value
        if name.startswith("xla"):
            return DEVICE_XLA
        if name.startswith("cpu"):
            return DEVICE_HOST
        return Value(Kind.DEVICE, payload=name.partition(":")[0])
    return DEVICE_UNKNOWN


def _to_device(calls: Expressions, call: Call) -> Value:
    return container_of(Value(Kind.TENSOR))


# Replicas --------------------------------------------------------------------------------------


def _ordinal(calls: Expressions, call: Call) -> Value:
    return Value(Kind.ORDINAL, differs=True)


def _rank_test(calls: Expressions, call: Call) -> Value:
    return Value(Kind.RANK_TEST, differs=True, payload=RankTest())


def _use_spmd(calls: Expressions, call: Call) -> Value:
    call.store.state.replicas = call.store.state.replicas._replace(spmd=True)
    return NONE


def _spmd_test(calls: Expressions, call: Call) -> Value:
    spmd = call.store.state.replicas.spmd
    return HOST if spmd is None else constant(spmd)


def _collective(calls: Expressions, call: Call) -> Value:
    if not _is_grouped(call):
        # Within groups it waits for the others of its group only: whom it parts, we cannot say.
        call.frame.model.collective(call.store.state, _name_of(call), "", call.site)
    tensors = [value for value in call.values if value.kind is Kind.TENSOR]
    if not tensors:
        return unknown_from(*call.values)
    result = calls.record(tensors, Weight.LIGHT, call.site, call.frame, call.store)
    return result._replace(reduced=True, differs=False)


def _is_grouped(call: Call) -> bool:
    groups = call.keywords.get("groups")
    if groups is None or call.node is None:
        return False
    given = next((keyword.value for keyword in call.node.keywords if keyword.arg == "groups"), None)
    if groups.kind is not Kind.NONE or given is None:
        return groups.kind is not Kind.NONE
    # Elsewhere a group may be None for us only because we have not seen it set up.
    function = call.frame.function
    arguments = () if function is None else ast.walk(function.node.args)
    names = {node.arg for node in arguments if isinstance(node, ast.arg)}
    return not (isinstance(given, ast.Constant) or (isinstance(given, ast.Name) and given.id in names))


def _name_of(call: Call) -> str:
    if call.node is None:
        return ""
    function = call.node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _tag(call: Call) -> str:
    value = call.argument(0, "tag")
    if value is not None and value.kind is Kind.CONSTANT and value.payload:
        return str(value.payload.value)
    if call.node is not None and call.node.args:
        return spelling(call.node.args[0], call.frame.outline.text)
    return ""


def _rendezvous(calls: Expressions, call: Call) -> Value:
    call.frame.model.collective(call.store.state, "rendezvous", _tag(call), call.site)
    return HOST


def _mesh_reduce(calls: Expressions, call: Call) -> Value:
    call.frame.model.collective(call.store.state, "mesh_reduce", _tag(call), call.site)
    data = call.argument(1, "data")
    if data is not None and data.kind is Kind.TENSOR and data.sure:
        calls.read(data, Reading.EXPLICIT, call, call.site, call.frame, call.store)
    return Value(Kind.HOST, reduced=True)


def _host_barrier(calls: Expressions, call: Call) -> Value:
    call.frame.model.collective(call.store.state, "barrier", "", call.site)
    return NONE


def _master_print(calls: Expressions, call: Call) -> Value:
    for value in call.arguments:
        calls.read(value, Reading.TEXT, call, call.site, call.frame, call.store)
    return NONE


def _launch(calls: Expressions, call: Call) -> Value:
    target = call.argument(0, "fn")
    arguments = _elements(call.argument(1, "args"))
    if target is not None and target.kind is Kind.CALLABLE:
        calls.run_replica(target, arguments, call)
    return NONE


def _threads(calls: Expressions, call: Call) -> Value:
    """A function is run on every device: with the model there, its loader, the device, a context."""
    target = call.argument(0, "loop_fn")
    if target is None:
        return UNKNOWN
    model = Value(Kind.MODULE, payload=Module(None, Place.XLA))
    loader = Value(Kind.LOADER, payload=Loader(BATCH, True, True))
    return calls.run_replica(target, [model, loader, DEVICE_XLA, UNKNOWN], call, indexed=False)


# Loaders ---------------------------------------------------------------------------------------


def _device_loader(calls: Expressions, call: Call) -> Value:
    per_execution = call.keywords.get("batches_per_execution")
    cuts: bool | None = True
    if per_execution is not None and not (
        per_execution.kind is Kind.CONSTANT and per_execution.payload and per_execution.payload.value == 1
    ):
        cuts = None
    inner = call.argument(0, "loader")
    element = device_batch(inner)
    return Value(Kind.LOADER, payload=Loader(element, cuts, True))


def device_batch(inner: Value | None) -> Value:
    """The batch of an XLA loader over `inner`: its tensors on the device, its form kept."""
    if inner is not None and inner.kind is Kind.LOADER:
        return _on_device(inner.payload.element)
    return BATCH


def _on_device(value: Value) -> Value:
    if value.kind is Kind.CONTAINER:
        payload: Container = value.payload
        items = None if payload.items is None else tuple(_on_device(item) for item in payload.items)
        return Value(
            Kind.CONTAINER, payload=payload._replace(items=items, element=_on_device(payload.element))
        )
    return BATCH


def _parallel_loader(calls: Expressions, call: Call) -> Value:
    return Value(Kind.INSTANCE, payload=Classes(("torch_xla.distributed.parallel_loader.ParallelLoader",)))


def _host_loader(calls: Expressions, call: Call) -> Value:
    return Value(Kind.LOADER, payload=Loader(Value(Kind.HOST, differs=True)))


# Gradients, optimizers, modules ----------------------------------------------------------------


def _xla_optimizer_step(calls: Expressions, call: Call) -> Value:
    state = call.store.state
    barrier = _flag(call, "barrier", False, 1)
    optimizer = call.argument(0, "optimizer")
    call.frame.model.reduce_gradients(state, call.site, built_at(optimizer))
    if state.replicas.launched is not False:
        call.frame.model.collective(state, "optimizer_step", "", call.site)
    calls.step_optimizer(optimizer, call, barrier=barrier is True)
    if barrier is not False:
        cut(call, Cause.BARRIER, sure=barrier is True)
    return HOST


def built_at(optimizer: Value | None) -> Site | None:
    """Where an optimizer was built, by which the model knows it; None when that is not known."""
    if optimizer is None or optimizer.kind is not Kind.OPTIMIZER:
        return None
    built: Site | None = optimizer.payload.built
    return built


def _reduce_gradients(calls: Expressions, call: Call) -> Value:
    optimizer = call.argument(0, "optimizer")
    call.frame.model.reduce_gradients(call.store.state, call.site, built_at(optimizer))
    call.frame.model.collective(call.store.state, "reduce_gradients", "", call.site)
    return NONE


def _clip(calls: Expressions, call: Call) -> Value:
    call.frame.model.change_gradients(call.store.state, Use.CLIP, call.spelling, call.site)
    weight = Weight.HEAVY if call.store.state.pending else Weight.LIGHT
    return calls.record((Value(Kind.TENSOR, sure=True),), weight, call.site, call.frame, call.store)


def _backward(calls: Expressions, call: Call) -> Value:
    call.frame.model.backward(call.store.state, call.site)
    return NONE


def _scaler(calls: Expressions, call: Call) -> Value:
    if _flag(call, "enabled", True) is False:
        return Value(Kind.SCALER, sure=False, payload="disabled")
    sure = _flag(call, "enabled", True) is True
    return Value(Kind.SCALER, sure=sure, payload="")


def _wrap_module(calls: Expressions, call: Call) -> Value:
    return _wrapped(call, moves=False)


def _wrap_and_move(calls: Expressions, call: Call) -> Value:
    return _wrapped(call, moves=True)


def _wrapped(call: Call, *, moves: bool) -> Value:
    call.store.state.replicas = call.store.state.replicas._replace(wrapped=True)
    inner = call.argument(0, "module")
    module = inner.payload if inner is not None and inner.kind is Kind.MODULE else Module(None, Place.UNKNOWN)
    place = Place.XLA if moves else module.place
    return Value(Kind.MODULE, payload=Module(module.identity, place, module.cls, True))


def make_optimizer(call: Call) -> Value:
    """An optimizer is built over whatever parameters it is given."""
    over: Site | None = None
    place = Place.UNKNOWN
    given = call.argument(0, "params")
    stack = [given] if given is not None else []
    while stack:
        value = stack.pop()
        if value.kind is Kind.PARAMETERS:
            over, place = value.payload
            break
        if value.kind is Kind.CONTAINER:
            stack += [value.payload.element, *(value.payload.items or ())]
    return Value(Kind.OPTIMIZER, payload=Optimizer(over, place, call.site))


# Files -----------------------------------------------------------------------------------------


def _xla_save(calls: Expressions, call: Call) -> Value:
    return _save(call, by_xla=True)


def _plain_save(calls: Expressions, call: Call) -> Value:
    return _save(call, by_xla=False)


def _save(call: Call, *, by_xla: bool) -> Value:
    data = call.argument(0, "data") or call.argument(0, "obj") or UNKNOWN
    recorded, on_device = _saved(data, call.store.state.engine.parameters)
    call.frame.model.save(
        call.store.state, call.spelling, data, recorded, call.site, by_xla=by_xla, on_device=on_device
    )
    return NONE


def _saved(value: Value, parameters: Recorded) -> tuple[Recorded, bool]:
    """What is recorded on a value that is saved, and whether it surely holds device tensors."""
    if value.kind is Kind.TENSOR:
        return value.recorded, value.sure
    if value.kind is Kind.STATE_DICT:
        on_device = value.payload is Place.XLA
        return (parameters if on_device else Recorded(Weight.NONE, parameters.may)), on_device
    if value.kind is Kind.MODULE:
        on_device = value.payload.place is Place.XLA
        return (parameters if on_device else Recorded(Weight.NONE, parameters.may)), on_device
    if value.kind is Kind.CONTAINER:
        payload: Container = value.payload
        recorded, on_device = NOTHING, False
        for item in payload.items if payload.items is not None else ():
            its, is_on_device = _saved(item, parameters)
            recorded = Recorded(max(recorded.must, its.must), max(recorded.may, its.may))
            on_device = on_device or is_on_device
        return recorded, on_device
    return NOTHING, False


# Reads -----------------------------------------------------------------------------------------


def _read_arguments(calls: Expressions, call: Call) -> Value:
    for value in call.arguments:
        calls.read(value, Reading.BOOL, call, call.site, call.frame, call.store)
    return HOST


def _print(calls: Expressions, call: Call) -> Value:
    differs = False
    for value in call.values:
        differs = differs or value.differs
        calls.read(value, Reading.TEXT, call, call.site, call.frame, call.store)
    return Value(Kind.HOST, differs=differs)


def _to_number(calls: Expressions, call: Call) -> Value:
    value = call.argument(0)
    if value is None:
        return HOST
    return calls.read(value, Reading.SCALAR, call, call.site, call.frame, call.store)


def _to_bool(calls: Expressions, call: Call) -> Value:
    value = call.argument(0)
    if value is None:
        return constant(False)
    return calls.read(value, Reading.BOOL, call, call.site, call.frame, call.store)


def _range(calls: Expressions, call: Call) -> Value:
    for value in call.arguments:
        calls.read(value, Reading.INDEX, call, call.site, call.frame, call.store)
    return container_of(HOST)


def _compare(calls: Expressions, call: Call) -> Value:
    values = call.arguments
    if len(values) == 1:
        values = [calls.element(values[0])] * 2
    tensors = [v for v in values if v.kind is Kind.TENSOR]
    if not tensors:
        return (
            Value(Kind.HOST, differs=any(v.differs for v in values))
            if Kind.UNKNOWN not in {v.kind for v in values}
            else unknown_from(*values)
        )
    if len(values) < 2:
        return tensors[0]
    read = max(tensors, key=lambda v: (v.sure, v.recorded.must))
    calls.read(read, Reading.MATH, call, call.site, call.frame, call.store)
    return tensors[0]


def _test_elements(calls: Expressions, call: Call) -> Value:
    value = call.argument(0)
    if value is not None and value.kind in (Kind.CONTAINER, Kind.TENSOR):
        calls.read(calls.element(value), Reading.BOOL, call, call.site, call.frame, call.store)
    return HOST


def _sum(calls: Expressions, call: Call) -> Value:
    value = call.argument(0)
    if value is None:
        return HOST
    element = calls.element(value)
    if element.kind is Kind.TENSOR:
        return calls.record((element,), Weight.LIGHT, call.site, call.frame, call.store)
    return element if element.kind is Kind.UNKNOWN else Value(Kind.HOST, differs=element.differs)


# Iteration -------------------------------------------------------------------------------------


def iterated(calls: Expressions, value: Value | None) -> Loader:
    """How a value is iterated."""
    if value is None:
        return Loader(UNKNOWN)
    if value.kind is Kind.LOADER:
        payload: Loader = value.payload
        return payload
    return Loader(calls.element(value))


def _loader(payload: Loader, source: Value | None) -> Value:
    """Something iterated like `source`: a loader if that was one, else only a container."""
    if source is not None and source.kind is Kind.LOADER:
        return Value(Kind.LOADER, source.sure, payload=payload)
    if payload.element.kind is Kind.UNKNOWN:
        return UNKNOWN
    return container_of(payload.element)


def _enumerate(calls: Expressions, call: Call) -> Value:
    source = call.argument(0, "iterable")
    inner = iterated(calls, source)
    pair = container([HOST, inner.element])
    if source is not None and source.kind is Kind.LOADER:
        return Value(Kind.LOADER, source.sure, payload=inner._replace(element=pair))
    return container_of(pair)


def _zip(calls: Expressions, call: Call) -> Value:
    parts = [iterated(calls, value) for value in call.arguments]
    pair = container([part.element for part in parts])
    cutting = [part for part in parts if part.cuts is not False]
    if any(value.kind is Kind.LOADER for value in call.arguments):
        cuts = cutting[0].cuts if cutting else False
        # Another iterator may end first, and then the loader never comes to its own end.
        return Value(Kind.LOADER, payload=Loader(pair, cuts, len(parts) == 1 and parts[0].cuts_at_end))
    return container_of(pair)


def _iterate(calls: Expressions, call: Call) -> Value:
    source = call.argument(0, "iterable")
    return _loader(iterated(calls, source), source)


def _next(calls: Expressions, call: Call) -> Value:
    source = call.argument(0)
    if source is None:
        return UNKNOWN
    inner = iterated(calls, source)
    if inner.cuts is not False:
        cut(call, Cause.LOADER, sure=inner.cuts is True)
    return inner.element


def _slice_iterator(calls: Expressions, call: Call) -> Value:
    source = call.argument(0)
    return _loader(iterated(calls, source)._replace(cuts_at_end=False), source)


def _cycle(calls: Expressions, call: Call) -> Value:
    source = call.argument(0)
    return _loader(iterated(calls, source)._replace(endless=True), source)


def _chain(calls: Expressions, call: Call) -> Value:
    loaders = [value for value in call.arguments if value.kind is Kind.LOADER]
    if loaders:
        joined = loaders[0]
        for other in loaders[1:]:
            joined = join_values(joined, other)
        return joined
    return UNKNOWN


def _progress(calls: Expressions, call: Call) -> Value:
    source = call.argument(0, "iterable")
    if source is None:
        return Value(Kind.INSTANCE, payload=Classes(("tqdm.tqdm",)))
    inner = iterated(calls, source)
    return Value(Kind.LOADER, source.sure, payload=inner)


def _list(calls: Expressions, call: Call) -> Value:
    source = call.argument(0)
    if source is None:
        return container([])
    if source.kind is Kind.CONTAINER:
        return source
    element = calls.element(source)
    return container_of(element) if element.kind is not Kind.UNKNOWN else UNKNOWN


def _dict(calls: Expressions, call: Call) -> Value:
    if call.arguments or call.open_ended:
        return unknown_from(*call.values)
    return container(list(call.keywords.values()), tuple(call.keywords))


def _map(calls: Expressions, call: Call) -> Value:
    function, source = call.argument(0), call.argument(1)
    if function is None or source is None:
        return UNKNOWN
    inner = Call(call.frame, call.store, call.site, None, [calls.element(source)])
    result = calls.invoke(function, inner) if function.kind is Kind.CALLABLE else UNKNOWN
    return container_of(result)


# Language --------------------------------------------------------------------------------------


def _nothing(calls: Expressions, call: Call) -> Value:
    return NONE


def _host(calls: Expressions, call: Call) -> Value:
    return Value(Kind.HOST, differs=any(v.differs for v in call.values))


def _same(calls: Expressions, call: Call) -> Value:
    return call.arguments[0] if call.arguments else next(iter(call.keywords.values()), UNKNOWN)


def _same_or_light(calls: Expressions, call: Call) -> Value:
    value = _same(calls, call)
    if value.kind is Kind.TENSOR:
        return calls.record((value,), Weight.LIGHT, call.site, call.frame, call.store)
    return value


def _second(calls: Expressions, call: Call) -> Value:
    return call.argument(1) or UNKNOWN


def _unknown_object(calls: Expressions, call: Call) -> Value:
    return UNKNOWN


def _isinstance(calls: Expressions, call: Call) -> Value:
    value, wanted = call.argument(0), call.argument(1)
    if value is None or wanted is None or wanted.kind is not Kind.NAMESPACE:
        return HOST
    if wanted.payload.name == "torch.Tensor":
        if value.kind is Kind.TENSOR and value.sure:
            return constant(True)
        if value.kind in (Kind.CONSTANT, Kind.NONE, Kind.CONTAINER, Kind.MODULE):
            return constant(False)
    return HOST


def _type(calls: Expressions, call: Call) -> Value:
    value = call.argument(0)
    if value is not None and value.kind is Kind.INSTANCE:
        return Value(Kind.CLASS, payload=value.payload)
    return UNKNOWN


def _getattr(calls: Expressions, call: Call) -> Value:
    base, name = call.argument(0), call.argument(1)
    if base is None or name is None or name.kind is not Kind.CONSTANT or not name.payload:
        return UNKNOWN
    found = calls.attribute(base, str(name.payload.value), None, call.frame, call.store)
    if found.kind is Kind.CALLABLE and any(isinstance(t, Method) for t in targets(found)):
        return found if base.kind in (Kind.TENSOR, Kind.MODULE, Kind.OPTIMIZER) else UNKNOWN
    return found


def _setattr(calls: Expressions, call: Call) -> Value:
    return NONE


def _super(calls: Expressions, call: Call) -> Value:
    return Value(Kind.UNKNOWN, False, payload="super")


def _partial(calls: Expressions, call: Call) -> Value:
    target = call.argument(0)
    if target is None or call.open_ended:
        return UNKNOWN
    return callable_value(Partial(target, tuple(call.arguments[1:]), tuple(call.keywords.items())))


def _decorator_maker(calls: Expressions, call: Call) -> Value:
    return callable_value(Known("copy.copy"))


def _exit(calls: Expressions, call: Call) -> Value:
    call.frame.model.end(call.store.state, call.site)
    return NONE


EFFECTS: dict[str, Effect] = {
    "marker": _marker,
    "step scope": _step_scope,
    "compile": _compile,
    "dynamo graph": _dynamo,
    "trace scope": _trace_scope,
    "step trace scope": _step_trace_scope,
    "plain scope": _plain_scope,
    "exit stack": _exit_stack,
    "eager mode": _eager_mode,
    "eager scope": _eager_scope,
    "add closure": _add_closure,
    "xla device": _xla_device,
    "xla devices": _xla_devices,
    "hardware": _hardware,
    "device": _device,
    "to device": _to_device,
    "global ordinal": _ordinal,
    "local ordinal": _ordinal,
    "rank test": _rank_test,
    "use spmd": _use_spmd,
    "spmd test": _spmd_test,
    "collective": _collective,
    "rendezvous": _rendezvous,
    "mesh reduce": _mesh_reduce,
    "host barrier": _host_barrier,
    "master print": _master_print,
    "launch": _launch,
    "replicas by threads": _threads,
    "device loader": _device_loader,
    "parallel loader": _parallel_loader,
    "host loader": _host_loader,
    "xla optimizer step": _xla_optimizer_step,
    "reduce gradients": _reduce_gradients,
    "clip gradients": _clip,
    "backward": _backward,
    "scaler": _scaler,
    "wrap module": _wrap_module,
    "wrap and move module": _wrap_and_move,
    "xla save": _xla_save,
    "save": _plain_save,
    "read arguments": _read_arguments,
    "print": _print,
    "log": _print,
    "to number": _to_number,
    "to bool": _to_bool,
    "range": _range,
    "compare": _compare,
    "test elements": _test_elements,
    "sum": _sum,
    "enumerate": _enumerate,
    "zip": _zip,
    "iterate": _iterate,
    "next": _next,
    "slice iterator": _slice_iterator,
    "cycle": _cycle,
    "chain": _chain,
    "progress": _progress,
    "list": _list,
    "dict": _dict,
    "map": _map,
    "nothing": _nothing,
    "host": _host,
    "same": _same,
    "same or light": _same_or_light,
    "second": _second,
    "unknown object": _unknown_object,
    "unknown truth": _host,
    "isinstance": _isinstance,
    "type": _type,
    "getattr": _getattr,
    "setattr": _setattr,
    "super": _super,
    "partial": _partial,
    "decorator maker": _decorator_maker,
    "exit": _exit,
}
