"""What is known of a value beside its kind, in words: for those who look at the state of a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from xlalint.analysis.payloads import (
    Batch,
    Bound,
    Buffer,
    Chance,
    Classes,
    Clock,
    Collator,
    Compiled,
    Constant,
    Container,
    Copied,
    Counter,
    Device,
    Dynamo,
    Fallback,
    Fields,
    Instance,
    Iterated,
    Known,
    Loader,
    Managed,
    Method,
    Module,
    Moment,
    Namespace,
    OfAllHosts,
    OfHost,
    OfNumpy,
    OnHost,
    OpenFile,
    Opening,
    Opens,
    Optimizer,
    Options,
    Parameters,
    Partial,
    Plateau,
    RankTest,
    Rows,
    Scaler,
    Scoped,
    StateDict,
    Switch,
    Target,
    Targets,
    Uneven,
)
from xlalint.lazy.scopes import ScopeKind
from xlalint.lazy.sharding import Mesh
from xlalint.lazy.values import Kind, Role, Tensor, Value

_LONGEST: Final = 24
"""A constant is shown up to so many characters."""


def in_words(value: Value) -> Iterator[str]:
    """What a value is, and holds, beside its kind, its place and what is recorded of it."""
    yield from _of_payload(value.payload)
    if value.history:
        yield "holds its autograd graph"
    if value.history is None:
        yield "holds no autograd graph"
    if value.present is not None:
        yield "None on some replicas" if isinstance(value.present, RankTest) else "perhaps None"


def _of_payload(payload: object) -> Iterator[str]:
    match payload:
        case Tensor():
            yield from _of_tensor(payload)
        case Module():
            yield from _of_module(payload)
        case Optimizer():
            yield from _of_optimizer(payload)
        case Loader():
            yield from _of_loader(payload)
        case Scaler(enabled=enabled, of_xla=of_xla, zeroes=zeroes, elsewhere=elsewhere):
            yield from ["disabled"] * (not enabled) + ["torch_xla's own"] * of_xla
            yield from ["steps by nothing instead of asking"] * zeroes
            yield from ["made for another device"] * elsewhere
        case RankTest(master, assumes, assumes_else):
            yield "true on the master" if master else "false on the master"
            if assumes or assumes_else:
                yield "other replicas may be with it"
        case Parameters(is_one=is_one):
            yield "a single one" if is_one else "of a model"
        case StateDict(optimizer=optimizer, sharded=sharded):
            yield "of an optimizer" if optimizer is not None else "of a module"
            yield from ["a part on each replica"] * sharded
        case Container(items, element, keys, length=length):
            what = "keys" if keys is not None else "items"
            count = f"{len(items)} {what}" if items is not None else f"of unknown {what}"
            held = {item.kind for item in items or (element,)} - {Kind.HOST, Kind.CONSTANT, Kind.UNKNOWN}
            yield count
            if length is not None:
                yield "longer in each step" if length.begun is None else "longer than before"
            yield from sorted(f"holds: {kind.value}" for kind in held)
        case Targets(of):
            yield from (_target(target) for target in of)
        case Classes(of) | Instance(of):
            yield " or ".join(f"`{one if isinstance(one, str) else one.qualname}`" for one in of)
        case _:
            yield from _of_host(payload)


def _of_host(payload: object) -> Iterator[str]:
    """Of what the engine does not hold."""
    match payload:
        case Constant(value):
            shown = repr(value)
            yield f"`{shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + '...'}`"
        case Device(kind):
            yield f"`{kind}`" if kind else "of an unknown type"
        case Namespace(name):
            yield f"`{name}`"
        case Counter(begun=None, is_length=is_length, comes_again=comes_again):
            yield "another length in each step" if is_length else "another number in each step"
            yield from ["the same ones in each epoch"] * comes_again
        case Counter(cut=cut):
            yield "counted up before the last cut" if cut else "counted up"
        case Fallback(number):
            yield f"{number} unless another is given"
        case Collator():
            yield "fills batches up to their longest text"
        case Uneven(by):
            yield f"of another shape in each step, {by.value}"
        case Chance(whole, below_one):
            yield f"{'an integer' if whole else 'a number'} that chance decides on" + ", below 1" * below_one
        case Batch(surely):
            yield "taken from a loader's batch" + ", surely on the host" * surely
        case Buffer():
            yield "a buffer of a module"
        case OfHost():
            yield "counts the replicas of one host"
        case OfAllHosts():
            yield "counts the replicas of all hosts"
        case OfNumpy() | OnHost() | Moment():
            yield {OfNumpy: "of NumPy", OnHost: "moved to the host", Moment: "of a module"}[type(payload)]
        case Rows(number, given, shared, is_tensor, drawn):
            yield f"{'samples' if given else 'made up'}" + (
                f", {number} of them" if number is not None else ""
            )
            if shared:
                yield "shared out among the replicas"
            if is_tensor:
                yield "a tensor on the CPU"
            if drawn is not None:
                yield "a number that chance decides on"
        case Copied():
            yield "a tensor on the CPU"
        case Plateau():
            yield "a scheduler that reads what its steps get"
        case Mesh(names):
            yield f"mesh over {', '.join(names)}" if names else "mesh"
        case OpenFile():
            yield "a file that every replica has opened to write"
        case Clock(after=after):
            yield "a time" if after is None else "a time, taken while the device may still work"
        case Options(fields=fields):
            yield "options of the command line" + ", as fields" * fields
        case Switch(clause):
            yield clause
        case Iterated(element, over):
            yield f"goes over a {over.kind.value}, gives a {element.kind.value}"
        case Fields(given, options):
            yield from ["options of the command line"] * (options is not None)
            yield f"was given {', '.join(f'`{name}`' for name, _ in given)}"
        case Opening(scope, spelling):
            yield f"`{spelling}`, not entered" if scope is None else f"{scope.value}, not entered"
        case Managed(bound):
            yield f"`{bound.function.qualname}`, not entered"


def _of_tensor(tensor: Tensor) -> Iterator[str]:
    if tensor.role is not Role.PLAIN:
        yield tensor.role.value
    if tensor.grown is not None:
        yield "longer in each round" if tensor.kept else "longer than before"
    if tensor.picked:
        yield "some rows of it"
    if tensor.tensors:
        yield f"with {', '.join(f'`{name}`' for name in sorted(tensor.tensors))}"
    if tensor.varies is not None:
        yield f"of another shape in each step, {tensor.varies.value}"
    if tensor.fetched:
        yield "copied to the host"


def _of_module(module: Module) -> Iterator[str]:
    if module.of:
        yield " or ".join(f"`{one.qualname}`" for one in module.of) + " or another" * module.or_other
    if module.is_part:
        yield "a part of another"
    if module.parts is not None:
        yield "called one after the other" if module.in_turn else "with known parts"
    if module.training is not None:
        yield "in training" if module.training else "in evaluation"
    if module.draws:
        yield "draws random numbers while it trains"
    if module.adapted:
        yield "trains only its adapters"
    if module.by is not None:
        yield _compiled_by(module.by)
    if module.shards_output_at is not None:
        yield "wrapped by FSDPv2"
    if module.sharded:
        yield "a part on each replica"
    if module.on_host:
        yield "computed by the host"
    if module.weighs:
        yield "with weights"
    if module.pairs:
        yield "compares what it is given"
    if module.asks_as:
        yield "compares its masks on the host"
    if module.tied is not None:
        yield f"`{module.tied.one}` and `{module.tied.other}` are one"


def _of_optimizer(optimizer: Optimizer) -> Iterator[str]:
    if optimizer.cls is not None:
        yield f"`{optimizer.cls.qualname}`"
    if optimizer.built is not None:
        yield f"built on line {optimizer.built.line}"
    if optimizer.over:
        yield f"over the model of line {' or '.join(str(made.line) for made in optimizer.over)}"
    if optimizer.stale:
        yield "its model has moved away from it"
    if optimizer.reduces:
        yield "sums the gradients where it steps"
    if optimizer.syncfree:
        yield "skips a step without a read"


def _of_loader(loader: Loader) -> Iterator[str]:
    yield f"gives a {loader.element.kind.value}"
    if loader.cuts is not False:
        yield "each batch cuts the graph" if loader.cuts else "each batch perhaps cuts the graph"
    if loader.cuts_at_end:
        yield "so does its end"
    if loader.ragged is not None:
        yield "its last batch is smaller"
    if loader.anew is not None:
        yield "made anew in each round"
    if loader.whole is not None:
        yield "all samples on every replica"
    if loader.of_xla:
        yield "of torch_xla"
    if loader.once:
        yield "gone over once"
    if loader.padded is not None:
        yield "its batches are as long as their longest sequence"


def _target(target: Target) -> str:
    """What a callable calls."""
    match target:
        case Bound(function):
            return f"`{function.qualname}`"
        case Known(name):
            return f"`{name}`"
        case Method(receiver, name):
            return f"`{name}` of a {receiver.kind.value}"
        case Partial(inner):
            return f"arguments for {_callable(inner)}"
        case Scoped(inner, scope):
            return f"{_callable(inner)}, {_inside(scope)}"
        case Compiled(inner, by):
            return f"{_callable(inner)}, {_compiled_by(by)}"


def _callable(value: Value) -> str:
    held = value.payload
    return " or ".join(map(_target, held.of)) if isinstance(held, Targets) else f"a {value.kind.value}"


def _inside(scope: ScopeKind | Opens) -> str:
    return f"inside {scope.value}" if isinstance(scope, ScopeKind) else scope.value


def _compiled_by(by: Dynamo) -> str:
    backend = f" with `{by.backend}`" if by.backend else ""
    return f"{'perhaps ' if by.assumes else ''}compiled by `torch.compile`{backend}"
