"""Loaders, and how they cut."""

from __future__ import annotations

import ast
from functools import partial
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.library.options import default_given
from xlalint.analysis.library.padding import padded_by, padded_of
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import (
    Batch,
    Constant,
    Container,
    Loader,
    OfAllHosts,
    OfHost,
    Rows,
    classes_of,
    container,
    elements,
    literal,
    unknown_from,
)
from xlalint.analysis.unknown import call_unknown, holds_tensor
from xlalint.knowledge import functions
from xlalint.lazy.assumptions import LEAVES_A_REST, assume
from xlalint.lazy.assumptions import NONE as NONE_ASSUMED
from xlalint.lazy.site import Site
from xlalint.lazy.values import (
    HOST,
    NONE,
    SEVERAL,
    Kind,
    Ragged,
    Role,
    Tensor,
    Value,
    Whole,
)
from xlalint.program.outline import Class, last_name
from xlalint.writing import written

BATCH: Final = Value(Kind.TENSOR, differs=True, payload=Tensor(Role.STRUCTURE))
"""What an XLA loader yields, or what it yields is made of."""


def _device_loader(machine: Machine, call: Call) -> Value:
    per_execution = call.argument(3, "batches_per_execution")
    cuts = True if per_execution is None or literal(per_execution) == 1 else None
    given = call.argument(0, "loader") or call.keywords.get("cpu_loader")
    inner = None if given is None else machine.classes.gone_over(given)
    element = device_batch(inner, dealt_out=call.frame.outline.is_framework)
    # A framework that fills the last batch up before it hands a loader on says so, as accelerate does.
    ragged = ragged_of(inner) if call.flag("even_batches", False) is False else None
    whole = None if call.frame.outline.is_framework else whole_of(inner)
    own = not call.frame.outline.is_framework  # which may derive from it
    loader = Loader(element, cuts, True, ragged, _made_anew(call), whole, own, padded=padded_of(inner))
    return Value(Kind.LOADER, payload=loader)


def _parallel_loader(machine: Machine, call: Call) -> Value:
    """A `ParallelLoader` gives its batches once to each device: it starts its threads where it is made."""
    loader = _device_loader(machine, call)
    if call.node is None or call.frame.outline.is_framework or not isinstance(loader.payload, Loader):
        return loader
    if len(elements(call.argument(1, "devices"))) != 1:
        return loader  # it may be gone over once for each device
    made = written(call.node)
    call.frame.model.make_parallel_loader(call.store.state, made)
    return loader._replace(payload=loader.payload._replace(once=made))


def _made_anew(call: Call) -> tuple[str, Site] | None:
    """The call that makes a loader of XLA, and where, if it stands in a loop."""
    call.frame.model.make_loader(call.store.state, call.spelling, call.site)
    in_loop = call.store.state.scopes.in_loop and not call.frame.outline.is_framework
    return (call.spelling, call.site) if in_loop else None


def ragged_of(loader: Value | None) -> Ragged | None:
    """Whether the last batch of a loader is smaller than the others."""
    return loader.payload.ragged if loader is not None and isinstance(loader.payload, Loader) else None


def whole_of(loader: Value | None) -> Whole | None:
    """Whether a loader gives every replica all the samples."""
    return loader.payload.whole if loader is not None and isinstance(loader.payload, Loader) else None


def device_batch(inner: Value | None, *, dealt_out: bool) -> Value:
    """The batch of an XLA loader over `inner`: its tensors on the device, its form kept.

    `dealt_out` says that who makes it may give each replica its share of the batches.
    """
    if inner is not None and isinstance(inner.payload, Loader):
        return _on_device(inner.payload.element, dealt_out=dealt_out)
    return BATCH


def _on_device(value: Value, *, dealt_out: bool) -> Value:
    if isinstance(held := value.payload, Container):
        return Value(Kind.CONTAINER, payload=held.map(partial(_on_device, dealt_out=dealt_out)))
    return BATCH._replace(differs=value.differs or dealt_out)


def _host_loader(machine: Machine, call: Call) -> Value:
    return Value(Kind.LOADER, payload=Loader(Value(Kind.HOST, differs=True)))


def _batch_loader(machine: Machine, call: Call) -> Value:
    """A `DataLoader` of torch, which leaves the rest of the samples for the end."""
    ragged = _ragged(machine, call) if _leaves_a_rest(machine, call) else None
    whole = _whole(machine, call)
    differs = not _goes_alike(machine, call)
    each = Value(Kind.HOST, differs=differs, payload=Batch(_is_surely_on_host(machine, call)))
    padded = padded_by(machine, call.argument(6, "collate_fn"))
    return Value(Kind.LOADER, payload=Loader(each, ragged=ragged, whole=whole, padded=padded))


def _is_surely_on_host(machine: Machine, call: Call) -> bool:
    """Whether what a `DataLoader` goes over, and puts together, can be on no device."""
    dataset = call.argument(0, "dataset") or NONE
    if call.open_ended or call.argument(6, "collate_fn") is not None or dataset.assumes:
        return False
    if isinstance(dataset.payload, Rows):
        return True
    classes = [cls for cls in classes_of(dataset) if not isinstance(cls, str)]
    return bool(classes) and not any(
        machine.mentions(base.outline, functions.MOVING)
        for cls in classes
        for base in machine.classes.bases(cls)
    )


def _goes_alike(machine: Machine, call: Call) -> bool:
    """Whether a `DataLoader` gives all replicas the same batches: nothing deals its samples out."""
    dataset = call.argument(0, "dataset") or NONE
    dealt = [call.argument(3, "sampler"), call.argument(4, "batch_sampler")]
    return (
        not (call.open_ended or call.frame.outline.is_framework or dataset.differs)
        and all(each is None or each.kind is Kind.NONE for each in dealt)
        and call.flag("shuffle", False, 2) is False
        and not any(_has_no_end(machine, cls) for cls in classes_of(dataset))
    )


def _whole(machine: Machine, call: Call) -> Whole | None:
    """Whether a `DataLoader` without a sampler goes over data that is the same on every replica: a dataset
    that is known, or one of a class of the project. Each replica may have loaded other data."""
    dataset = call.argument(0, "dataset") or NONE
    if call.open_ended or call.frame.outline.is_framework or dataset.differs:
        return None
    samplers = (call.argument(3, "sampler"), call.argument(4, "batch_sampler"))
    if any(each is not None and each.kind is not Kind.NONE for each in samplers):
        return None
    if any(_has_no_end(machine, cls) for cls in classes_of(dataset)):
        return None
    known = dataset.payload.given if isinstance(dataset.payload, Rows) else bool(classes_of(dataset))
    return Whole((call.site,), dataset.assumes) if known else None


def rows_taken(machine: Machine, call: Call, position: int, parameter: str) -> int | None:
    """How many rows `dataset.select(range(1000))` takes; None where that is not what is written."""
    written = call.written(parameter, position)
    match written:
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
            written = inner
    match written:
        case ast.Call(func=ast.Name(id="range"), args=[*written_bounds], keywords=[]) if written_bounds:
            bounds = [literal(machine.evaluate(each, call.frame, call.store)) for each in written_bounds]
            whole = [bound for bound in bounds if type(bound) is int]
            return len(range(*whole)) if len(whole) == len(bounds) and 0 not in whole[2:] else None
    return None


def _subset(machine: Machine, call: Call) -> Value:
    """Some samples of a dataset."""
    count = rows_taken(machine, call, 1, "indices")
    differs = any(value.differs for value in call.values)
    if count is None:
        return unknown_from(*call.values)
    return Value(Kind.HOST, differs=differs, payload=Rows(count, given=True))


def _random_parts(machine: Machine, call: Call) -> Value:
    """A dataset taken apart by chance: parts of so many samples each, which are others on each replica."""
    lengths = call.argument(1, "lengths")
    held = lengths.payload if lengths is not None else None
    counts = [literal(item) for item in held.items or ()] if isinstance(held, Container) else []
    if not counts or not all(type(count) is int for count in counts):
        return call_unknown(machine, call)
    rows = [Rows(count, given=True) for count in counts if isinstance(count, int)]
    return container([Value(Kind.HOST, differs=True, payload=each) for each in rows])


def _ragged(machine: Machine, call: Call) -> Ragged | None:
    """Whether the samples make no whole number of batches: data that a program makes up has as many
    as it wants, and of other data it is assumed."""
    dataset, size = call.argument(0, "dataset") or NONE, literal(call.argument(1, "batch_size"))
    assumes = NONE_ASSUMED
    if size is None and isinstance(size := default_given(machine, call, "batch_size", 1), int):
        assumes = assume(f"the batch size is left at its default of {size}")
    if not _is_made_up(dataset):
        return Ragged((call.site,), LEAVES_A_REST)
    sampler = call.argument(3, "sampler") or NONE
    rows = next((held for value in (sampler, dataset) if isinstance(held := value.payload, Rows)), Rows())
    if rows.number is not None and isinstance(size, int):
        if rows.shared:
            parts = [_part(rows.number, replicas) for replicas in _USUAL_REPLICAS]
            left = rows.given and all(part % size for part in parts)
            return Ragged((call.site,), LEAVES_A_REST) if left else None
        if rows.number % size == 0:
            return None
        if sampler.kind is Kind.NONE or isinstance(sampler.payload, Rows):
            return Ragged((call.site,), assumes)
    return Ragged((call.site,), LEAVES_A_REST) if rows.given else None


def _is_made_up(value: Value) -> bool:
    """Whether it is made of data that the program makes up."""
    if isinstance(held := value.payload, Container):
        return any(map(_is_made_up, (held.element, *(held.items or ()))))
    return isinstance(value.payload, Rows)


def _dataset(machine: Machine, call: Call) -> Value:
    """A dataset of tensors."""
    if any(map(holds_tensor, call.values)):
        return call_unknown(machine, call)
    first = call.argument(0)
    if first is not None and isinstance(first.payload, Rows):
        return Value(Kind.HOST, differs=first.differs, payload=first.payload)
    return unknown_from(*call.values)


def _distributed_sampler(machine: Machine, call: Call) -> Value:
    """Each replica gets as many samples as the others, some twice."""
    _watch_ordinal(call)
    dataset, replicas = call.argument(0, "dataset") or NONE, literal(call.argument(1, "num_replicas"))
    rows = dataset.payload
    if not isinstance(rows, Rows) or rows.number is None:
        return HOST
    if not isinstance(replicas, int) or replicas < 1:
        return Value(Kind.HOST, payload=rows._replace(shared=True))
    return Value(Kind.HOST, payload=rows._replace(number=_part(rows.number, replicas)))


def _part(rows: int, replicas: int) -> int:
    """How many rows each replica gets."""
    return -(-rows // replicas)


_USUAL_REPLICAS: Final = (4, 8)
"""So many devices a host with TPUs has."""


def _watch_ordinal(call: Call) -> None:
    """The rank must be counted as the number of replicas is: over all hosts, unless it is given."""
    count, rank = call.argument(1, "num_replicas") or NONE, call.argument(2, "rank")
    of_all = count.kind is Kind.NONE or isinstance(count.payload, OfAllHosts)
    if rank is None or not isinstance(rank.payload, OfHost) or not of_all or call.open_ended:
        return
    written = call.written("rank", 2)
    name = (
        functions.ORDINALS_OF_HOST.get(last_name(written.func), "") if isinstance(written, ast.Call) else ""
    )
    asked = call.frame.site(written) if written is not None and name else None
    call.frame.model.number_samples(
        call.store.state,
        call.site,
        asked=asked,
        name=name,
        counted=rank.payload.asked,
        assumes=rank.assumes - SEVERAL,
    )


def _leaves_a_rest(machine: Machine, call: Call) -> bool:
    """Whether a `DataLoader` may give a last batch of another size."""
    if call.open_ended or call.frame.outline.is_framework:
        return False
    if len(call.arguments) > _BEFORE_DROP_LAST or call.flag("drop_last", False) is not False:
        return False
    size, sampler = call.argument(1, "batch_size"), call.argument(3, "sampler")
    if size is None or size.kind is Kind.NONE or _is_of_one(machine, call, size):
        return False
    if call.argument(4, "batch_sampler") is not None:
        return False
    # An unknown sampler may go on for ever.
    if sampler is not None and sampler.kind not in (Kind.NONE, Kind.HOST):
        return False
    return not any(_has_no_end(machine, cls) for cls in classes_of(call.argument(0, "dataset") or NONE))


def _is_of_one(machine: Machine, call: Call, size: Value) -> bool:
    """Whether a batch is one sample: it is said so, or it is what the option of this name is by default."""
    if isinstance(size.payload, Constant):
        return literal(size) == 1
    return default_given(machine, call, "batch_size", 1) == 1


def _has_no_end(machine: Machine, cls: Class | str) -> bool:
    return not isinstance(cls, str) and machine.classes.is_stream(cls)


_BEFORE_DROP_LAST: Final = 8
"""So many parameters of a `DataLoader` come before `drop_last`."""


EFFECTS: Final[dict[str, Effect]] = {
    "device loader": _device_loader,
    "parallel loader": _parallel_loader,
    "host loader": _host_loader,
    "batch loader": _batch_loader,
    "dataset": _dataset,
    "subset": _subset,
    "random parts": _random_parts,
    "distributed sampler": _distributed_sampler,
}
