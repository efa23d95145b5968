"""Replicas: who is who, where they meet, how they are launched."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.binding import rebind
from xlalint.analysis.call import Call
from xlalint.analysis.conditions import is_ruled_out
from xlalint.analysis.frame import Frame
from xlalint.analysis.library.cuts import cut
from xlalint.analysis.library.foreign import refused, result_of
from xlalint.analysis.library.loaders import BATCH
from xlalint.analysis.library.options import default_given, option_given
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    DEVICE_XLA,
    Bound,
    Container,
    Fallback,
    Loader,
    Module,
    OfAllHosts,
    OfHost,
    RankTest,
    Targets,
    constant,
    elements,
    literal,
    unknown_from,
)
from xlalint.knowledge import functions, lifecycle, outside
from xlalint.lazy.assumptions import LAUNCHES, assume
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.cuts import Cause
from xlalint.lazy.events import BarrierFault, Reading
from xlalint.lazy.obligations import Fact, Obligation, Owed
from xlalint.lazy.site import Site
from xlalint.lazy.state import Raised
from xlalint.lazy.values import (
    HOST,
    NONE,
    UNKNOWN,
    XLA,
    Kind,
    Place,
    Role,
    Value,
    Weight,
)
from xlalint.program.one_tensor import is_one_tensor, losses_of
from xlalint.program.outline import ADDS_OPTION, dotted, last_name, named
from xlalint.sources.starting import Given
from xlalint.spelling import spelling


def _ordinal(machine: Machine, call: Call) -> Value:
    return Value(Kind.ORDINAL, differs=True)


def _ordinal_of_host(machine: Machine, call: Call) -> Value:
    return Value(Kind.ORDINAL, differs=True, payload=OfHost(call.site))


def _count(machine: Machine, call: Call) -> Value:
    return Value(Kind.HOST, payload=OfAllHosts())


def _world_size(machine: Machine, call: Call) -> Value:
    """How many replicas there are: one under SPMD, however many devices it drives."""
    return constant(1) if call.store.state.replicas.spmd else _count(machine, call)


def _environment(machine: Machine, call: Call) -> Value:
    value = of_variable(machine, literal(call.argument(0, "key")), call.site, call.frame)
    if value is not HOST or not machine.mentions(call.frame.outline, functions.TOLD_HOW_MANY):
        return value
    given = literal(call.argument(1, "default"))
    number = int(given) if isinstance(given, str) and given.isdecimal() else given
    return Value(Kind.HOST, payload=Fallback(number)) if type(number) is int else value


def of_variable(machine: Machine, name: object, site: Site, frame: Frame) -> Value:
    """What an environment variable of this name holds, which is asked for at `site`: the program may set it
    itself, in the body of the module that asks."""
    if name in functions.RANKS_OF_HOST:
        return Value(Kind.ORDINAL, differs=True, payload=OfHost(site))
    if name in functions.RANK_VARIABLES:
        return Value(Kind.ORDINAL, differs=True)
    if name in functions.COUNTS_OF_REPLICAS:
        return Value(Kind.HOST, payload=OfAllHosts())
    given = machine.set_in_body(frame.outline, functions.ENVIRONMENT, name) if isinstance(name, str) else None
    return constant(given) if isinstance(given, str) else HOST


def _rank_test(machine: Machine, call: Call) -> Value:
    return Value(Kind.RANK_TEST, differs=True, payload=RankTest())


def _collective_with_result(machine: Machine, call: Call) -> Value:
    """A collective that leaves a tensor as it is and returns a new one; a list is changed in place."""
    tensor = _left_as_it_is(call) if call.node is call.frame.discarded else None
    if tensor is None:
        return _collective(machine, call)
    _meet(call)
    operation = last_name(call.function)
    call.frame.model.drop_result(call.store.state, call.spelling, operation, tensor, call.site)
    return UNKNOWN


def _left_as_it_is(call: Call) -> Value | None:
    """The one tensor that a collective gets; None where it may be a list, or there is an output."""
    if call.open_ended or "output" in call.keywords or len(call.arguments) > _BEFORE_OUTPUT:
        return None
    given = [value for value in call.values if value.kind is Kind.TENSOR]
    if given:
        return given[0] if len(given) == 1 else None
    for value, node in zip(call.arguments, call.node.args if call.node is not None else [], strict=False):
        if value.kind in _UNSEEN and is_one_tensor(node, call.frame.function):
            return value._replace(assumes=assume(f"`{spelling(node)}` is one tensor"))
    return None


def _meet(call: Call) -> None:
    """The replicas meet in the graph."""
    if not _is_grouped(call, "groups"):
        # Within groups it waits for the others of its group only: whom it parts, we cannot say.
        operation = last_name(call.function)
        call.frame.model.collective(call.store.state, operation, "", call.site, of_loss=_is_of_loss(call))


def _is_of_loss(call: Call) -> bool:
    """Whether what the replicas share is what the function computes gradients of: it is none of these."""
    node, function = call.node, call.frame.function
    if node is None or function is None:
        return False
    given = frozenset[str]().union(*map(named, (*node.args, *(each.value for each in node.keywords))))
    given &= function.locals()
    return bool(given) and given <= losses_of(function.node)


def _collective(machine: Machine, call: Call) -> Value:
    _meet(call)
    if not _is_of_loss(call):
        call.frame.model.meet_in_part(call.store.state)
    tensors = [value for value in call.values if value.kind is Kind.TENSOR]
    _share(call)
    if last_name(call.function) == "all_reduce" and any(map(_is_gradient, call.values)):
        call.frame.model.reduce_gradients(call.store.state, call.site, spelling=call.spelling)
    if not tensors:
        return _reduce_list(machine, call) or unknown_from(*call.values)
    result = call.record(tensors, Weight.LIGHT)
    return result._replace(reduced=True, differs=False)


def _share(call: Call) -> None:
    """Weights may be among what the replicas make the same: neither gradients nor what a step computes."""
    for value in call.values:
        held = value.payload.element if isinstance(value.payload, Container) else value
        computed = held.role is Role.GRADIENT or held.recorded.must is Weight.HEAVY
        if held.kind in _MAY_BE_WEIGHTS and not computed:
            call.frame.model.share_weights(call.store.state)


def _is_gradient(value: Value) -> bool:
    """Whether a value is a parameter's gradient, or a list of such."""
    held = value.payload.element if isinstance(value.payload, Container) else value
    return held.role is Role.GRADIENT


def _reduce_list(machine: Machine, call: Call) -> Value | None:
    """A list of tensors goes in, is reduced in place, and comes out; None where there is no list."""
    given = [
        (position, value, held)
        for position, value in enumerate(call.arguments)
        if isinstance(held := value.payload, Container) and held.element.kind is Kind.TENSOR
    ]
    if not given:
        return None
    position, value, held = given[0]

    def reduced(item: Value) -> Value:
        if item.kind is not Kind.TENSOR:
            return item
        return call.record((item,), Weight.LIGHT)._replace(reduced=True, differs=False)

    changed = held.map(reduced)
    result = value._replace(payload=changed)
    node = call.node.args[position] if call.node is not None and len(call.node.args) > position else None
    if isinstance(node, ast.List | ast.Tuple):
        for part, item in zip(node.elts, changed.items or (), strict=False):
            rebind(machine, part, item, call.frame, call.store)
    elif node is not None:
        rebind(machine, node, result, call.frame, call.store)
    return result


def _make_alike(machine: Machine, call: Call) -> None:
    """What replicas share on their hosts, as by `gloo`, is the same on all of them then."""
    given, node = call.argument(0, "tensor"), call.node
    if given is not None and given.kind is Kind.HOST and given.differs and node is not None and node.args:
        rebind(machine, node.args[0], given._replace(differs=False), call.frame, call.store)


def _of_process_group(machine: Machine, call: Call) -> Value:
    """A collective of `torch.distributed` on device tensors: the `xla` backend records it, in place."""
    of_loss = _is_of_loss(call)
    if not of_loss:
        call.frame.model.meet_in_part(call.store.state)
    _share(call)
    tensors = [value for value in call.values if value.kind is Kind.TENSOR]
    if not tensors:
        _make_alike(machine, call)
        return unknown_from(*call.values)
    if all(value.known for value in tensors) and not _is_grouped(call, "group"):
        operation = last_name(call.function)
        call.frame.model.collective(call.store.state, operation, "", call.site, of_loss=of_loss)
    result = call.record(tensors, Weight.LIGHT)._replace(reduced=True, differs=False)
    if call.node is not None and call.node.args:
        rebind(machine, call.node.args[0], result, call.frame, call.store)
    return NONE


def _rendezvous_of_process_group(machine: Machine, call: Call) -> Value:
    """A collective of `torch.distributed` that the `xla` backend records and runs at once."""
    if any(value.kind is Kind.TENSOR and value.known for value in call.values):
        if not _is_grouped(call, "group"):
            call.frame.model.collective(call.store.state, last_name(call.function), "", call.site)
        cut(call, Cause.RENDEZVOUS)
    return NONE


def _is_grouped(call: Call, keyword: str) -> bool:
    """Whether an argument, named by its keyword, says which replicas meet."""
    groups = call.keywords.get(keyword)
    if groups is None or call.node is None:
        return False
    given = next((each.value for each in call.node.keywords if each.arg == keyword), None)
    if last_name(given) == functions.WHOLE_GROUP:
        return False
    if groups.kind is not Kind.NONE or given is None:
        return groups.kind is not Kind.NONE
    # Elsewhere a group may be None for us only because we have not seen it set up.
    function = call.frame.function
    arguments = () if function is None else ast.walk(function.node.args)
    names = {node.arg for node in arguments if isinstance(node, ast.arg)}
    return not (isinstance(given, ast.Constant) or (isinstance(given, ast.Name) and given.id in names))


def _tag(call: Call) -> str:
    tag = literal(call.argument(0, "tag"))
    if tag is not None:
        return str(tag)
    if call.node is not None and call.node.args:
        return spelling(call.node.args[0])
    return ""


def _rendezvous(machine: Machine, call: Call) -> Value:
    if call.argument(0, "tag") is None and last_name(call.function) == _TAGGED and not call.open_ended:
        call.frame.model.misuse_barrier(call.store.state, call.spelling, BarrierFault.NO_TAG, call.site)
    cut(call, Cause.RENDEZVOUS)
    call.frame.model.collective(call.store.state, "rendezvous", _tag(call), call.site)
    return HOST


def _mesh_reduce(machine: Machine, call: Call) -> Value:
    # The data goes to the host before the rendezvous cuts.
    data = call.argument(1, "data")
    if data is not None and data.kind is Kind.TENSOR:
        call.read(data, Reading.EXPLICIT)
    elif data is not None and (what := refused(data)) and not _allows_more(machine, call):
        call.frame.model.share_objects(call.store.state, what, call.site, assumes=data.assumes)
    cut(call, Cause.RENDEZVOUS)
    tag, of_loss = _tag(call), _is_of_loss(call)
    call.frame.model.collective(call.store.state, "mesh_reduce", tag, call.site, of_loss=of_loss)
    return result_of(call.argument(2, "reduce_fn"))


def _allows_more(machine: Machine, call: Call) -> bool:
    """Whether the program names something by which PyTorch loads other objects, too."""
    return machine.mentions(call.frame.outline, functions.LOADS_MORE)


def _host_barrier(machine: Machine, call: Call) -> Value:
    state = call.store.state
    # A group of its own may have another backend.
    if call.argument(0, "group") is None and state.replicas.backend == XLA and not call.open_ended:
        if state.replicas.launched is not False:
            call.frame.model.misuse_barrier(state, call.spelling, BarrierFault.NO_WAIT, call.site)
        return NONE
    call.frame.model.collective(call.store.state, "barrier", "", call.site)
    return NONE


def _master_print(machine: Machine, call: Call) -> Value:
    for value in call.arguments:
        call.read(value, Reading.TEXT)
    return NONE


def _launch(machine: Machine, call: Call) -> Value:
    alone = call.flag("debug_single_process", False, 3) is True
    return _start(
        machine, call, call.argument(2, "start_method"),
        processes=1 if alone else None, accepted="nprocs" not in call.keywords,
    )  # fmt: skip


def _spawn(machine: Machine, call: Call) -> Value:
    given, method = call.argument(2, "nprocs"), call.argument(5, "start_method")
    processes = literal(given)
    if isinstance(processes, int):
        return _start(machine, call, method, processes=processes)
    known = given is None or given.kind is Kind.NONE
    if given is not None and isinstance(given.payload, Fallback):
        return _start(machine, call, method, processes=None, known=False, default=given.payload.number)
    default = None if known else default_given(machine, call, "nprocs", 2)
    if isinstance(default, int) and _is_ruled_out(call, default):
        default = None
    commanded = _commanded(machine, call) if not known and default in (None, 1) else None
    many = default is None and not known and _asks_for_many(call)
    return _start(
        machine, call, method,
        processes=None, known=known, default=default if isinstance(default, int) else None, many=many,
        commanded=commanded,
    )  # fmt: skip


def _commanded(machine: Machine, call: Call) -> Given | None:
    """How many processes a command of the program asks for, by an option of the module that starts them."""
    outline, option = call.frame.outline, option_given(call, "nprocs", 2)
    if not option or not machine.mentions(outline, frozenset({ADDS_OPTION})):
        return None
    return machine.several_given(outline, option)


def _asks_for_many(call: Call) -> bool:
    """Whether a test above says of the number of processes that it is more than one."""
    written = _number_asked_for(call)
    return bool(written) and Fact(f"{written} > 1", "True", True) in call.store.state.facts


def _is_ruled_out(call: Call, default: int) -> bool:
    """Whether the number of processes is surely another than if nobody asks for one: a test above says so, or
    an option that chooses XLA would be off, which it is not in a program that is checked for it."""
    if not default and outside.chooses_xla(option_given(call, "nprocs", 2)):
        return True
    written = _number_asked_for(call)
    return bool(written) and is_ruled_out(written, default, call.store.state.facts)


def _number_asked_for(call: Call) -> str:
    """The number of processes as it is written, if that is a name or an attribute; else nothing."""
    return dotted(given) if (given := call.written("nprocs", 2)) is not None else ""


def _start(
    machine: Machine, call: Call, method: Value | None, *,
    processes: int | None, known: bool = True, accepted: bool = True, default: int | None = None,
    many: bool = False, commanded: Given | None = None,
) -> Value:  # fmt: skip
    """Replicas are started; one alone is none of several, and runs in this process.

    `method` is how processes are started, `default`: so many if nobody asks for others; `many`: that
    their number is not known, and more than one; `commanded`: so many where a command asks for them.
    """
    left = assume(f"`nprocs` is left at its default of {default}") if default is not None else NONE_ASSUMED
    left = assume("several processes are asked for") if many else left
    if commanded is not None:
        default, many = commanded.number, False
        left = assume(f"it is started as in `{commanded.file}`")
    state = call.store.state
    raises = processes is None and known and any(map(_starts_the_runtime, state.owes(Owed.DEVICE)))
    call.frame.model.launch(
        state, call.spelling, call.site,
        processes=processes if default is None else default, known=known, accepted=accepted, assumes=left,
        several=many,
    )  # fmt: skip
    target, given = call.argument(0, "fn"), call.argument(1, "args")
    arguments = elements(given)
    if target is not None and target.kind is Kind.CALLABLE:
        misfit = _misfit(target, given, call)
        if misfit:
            state.raises(Raised(call.site, misfit))
        # Another number than one raises, so that there is one replica where one is the default.
        asked = processes is not None or known or many or default is not None
        several = (default if processes is None else processes) != 1 if asked else None
        machine.run_replica(
            target, arguments, call, indexed=not misfit, several=several,
            anew=several is not False and literal(method) != functions.INHERITING,
            assumes=LAUNCHES if raises else NONE_ASSUMED,
        )  # fmt: skip
    return NONE


def _misfit(target: Value, given: Value | None, call: Call) -> str:
    """Why a launched function cannot take the number of its replica and what is given; empty where it may."""
    match target.payload:
        case Targets((Bound(function=function) as bound,)) if not function.decorators:
            held = given.payload if given is not None else None
            items = held.items if isinstance(held, Container) else () if given is None else None
            if items is None:
                return ""
            positional, _, by_default = function.parameters
            own = bound.receiver is not None and not function.is_static
            count = 1 + len(items) + own
            least = sum(name not in by_default for name in positional)
            most = count if function.node.args.vararg is not None else len(positional)
            if not least <= count <= most:
                gets = f"gets {count - own} of `{call.spelling}`, with the number of the replica"
                return f"`{function.name}` takes {len(positional) - own} arguments, and {gets}"
    return ""


def _starts_the_runtime(device: Obligation) -> bool:
    """Whether what asked for a device surely did: not where it is gone from the newest torch_xla."""
    name = device.detail.removesuffix("()").rpartition(".")[2]
    life = lifecycle.of(f"{functions.XM}.{name}")
    return not device.assumes and (life is None or life.removed is None)


def _threads(machine: Machine, call: Call) -> Value:
    """A function is run on every device: with the model there, its loader, the device, a context."""
    target = call.argument(0, "loop_fn")
    if target is None:
        return UNKNOWN
    model = Value(Kind.MODULE, payload=Module((), Place.XLA))
    loader = Value(Kind.LOADER, payload=Loader(BATCH, True, True))
    return machine.run_replica(target, [model, loader, DEVICE_XLA, UNKNOWN], call, indexed=False)


def _process_group(machine: Machine, call: Call) -> Value:
    backend = literal(call.argument(0, "backend"))
    # In a framework it stands for how programs are launched, and says nothing of a group.
    known = isinstance(backend, str) and not call.frame.outline.is_framework
    call.frame.model.join_group(call.store.state, str(backend) if known else "", call.site)
    return NONE


_MAY_BE_WEIGHTS: Final = frozenset({Kind.TENSOR, Kind.PARAMETERS, Kind.MODULE, Kind.STATE_DICT, Kind.UNKNOWN})

_UNSEEN: Final = frozenset({Kind.UNKNOWN, Kind.HOST})
"""What a tensor may be of which nobody sees where it is."""

_BEFORE_OUTPUT: Final = 3
"""So many arguments stand in all collectives before the one that may be what the result is written to."""

_TAGGED: Final = "rendezvous"
"""The one that asks for a tag; `xla_rendezvous` does not."""


EFFECTS: Final[dict[str, Effect]] = {
    "process group": _process_group,
    "global ordinal": _ordinal,
    "local ordinal": _ordinal_of_host,
    "number of replicas": _count,
    "world size": _world_size,
    "environment": _environment,
    "rank test": _rank_test,
    "collective": _collective,
    "collective with a result": _collective_with_result,
    "process group collective": _of_process_group,
    "process group rendezvous": _rendezvous_of_process_group,
    "rendezvous": _rendezvous,
    "mesh reduce": _mesh_reduce,
    "host barrier": _host_barrier,
    "master print": _master_print,
    "launch": _launch,
    "spawn": _spawn,
    "replicas by threads": _threads,
}
