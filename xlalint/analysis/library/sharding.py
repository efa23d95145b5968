"""SPMD: one program that shards its tensors over a mesh of devices, and FSDPv2, which is made of that."""

from __future__ import annotations

import ast
from typing import Final

from xlalint.analysis.call import Call
from xlalint.analysis.library.gradients import leave_optimizers_behind, wrapped
from xlalint.analysis.machine import Effect, Machine
from xlalint.analysis.payloads import Constant, Container, Module, constant, elements, literal
from xlalint.lazy.sharding import FULLY_SHARDED, NO_MESH, UNKNOWN_AXIS, Mesh, Misuse, Spec
from xlalint.lazy.site import Site
from xlalint.lazy.values import HOST, NONE, UNKNOWN, Kind, Value
from xlalint.program.outline import dotted


def _use_spmd(machine: Machine, call: Call) -> Value:
    call.frame.model.use_spmd(call.store.state, call.site)
    return NONE


def _spmd_test(machine: Machine, call: Call) -> Value:
    spmd = call.store.state.replicas.spmd
    return HOST if spmd is None else constant(spmd)


# Meshes ------------------------------------------------------------------------------------------


def _mesh(machine: Machine, call: Call) -> Value:
    """`Mesh(device_ids, mesh_shape, axis_names)`, or one of several slices."""
    if call.open_ended:
        return HOST
    shape = call.argument(1, "mesh_shape") or call.keywords.get("ici_mesh_shape")
    axes = len(elements(shape)) or None
    names = call.argument(2, "axis_names")
    return _made(names, axes)


def _line(machine: Machine, call: Call) -> Value:
    """`get_1d_mesh(axis_name)`."""
    name = call.argument(0, "axis_name")
    if name is None or name.kind is Kind.NONE:
        return Value(Kind.HOST, payload=Mesh((), 1))
    known = literal(name)
    return Value(Kind.HOST, payload=Mesh((known,) if isinstance(known, str) else None, 1))


def _made(names: Value | None, axes: int | None) -> Value:
    if names is None or names.kind is Kind.NONE:
        return Value(Kind.HOST, payload=Mesh((), axes))
    known = [literal(name) for name in elements(names)]
    if not known or not all(isinstance(name, str) for name in known):
        return Value(Kind.HOST, payload=Mesh(None, axes))
    return Value(Kind.HOST, payload=Mesh(tuple(map(str, known)), len(known)))


def _set_mesh(machine: Machine, call: Call) -> Value:
    call.frame.model.set_mesh(call.store.state, _mesh_of(call.argument(0, "mesh"), call))
    return NONE


def _get_mesh(machine: Machine, call: Call) -> Value:
    mesh = call.store.state.setup.mesh
    if mesh is None:
        return UNKNOWN
    return NONE if mesh == NO_MESH else Value(Kind.HOST, payload=mesh)


def _mesh_of(given: Value | None, call: Call) -> Mesh | None:
    """The mesh that is given, or the global one; None: not known."""
    if given is None or given.kind is Kind.NONE:
        return call.store.state.setup.mesh
    return given.payload if isinstance(given.payload, Mesh) else None


# Specs -------------------------------------------------------------------------------------------


def _mark(machine: Machine, call: Call) -> Value:
    """`mark_sharding(t, mesh, partition_spec)` and what takes the same."""
    tensor = call.argument(0, "t")
    _shard(call, tensor, call.argument(1, "mesh"), 2)
    return tensor or UNKNOWN


def _mark_by_hand(machine: Machine, call: Call) -> Value:
    """`enable_manual_sharding(t, partition_spec, mesh=mesh)`: what is computed of it may use collectives."""
    tensor = call.argument(0, "t")
    _shard(call, tensor, call.keywords.get("mesh"), 1)
    call.store.state.replicas = call.store.state.replicas._replace(spmd=None)
    return tensor or UNKNOWN


def _describe(machine: Machine, call: Call) -> Value:
    """`ShardingSpec(mesh, partition_spec)`, for what a loader yields. It takes a list as well."""
    spec = _spec_of(call.argument(1, "partition_spec"))
    mesh = _mesh_of(call.argument(0, "mesh"), call)
    if mesh is not None and not call.open_ended:
        call.frame.model.describe_sharding(call.store.state, call.site, call.spelling, spec, mesh)
    return HOST


def _clear(machine: Machine, call: Call) -> Value:
    call.frame.model.clear_sharding(call.store.state, _parameter_of(call))
    return call.argument(0, "t") or UNKNOWN


def _shard(call: Call, tensor: Value | None, given: Value | None, position: int) -> None:
    if call.open_ended:
        return
    spec = _spec_of(call.argument(position, "partition_spec"))
    written = call.written("partition_spec", position)
    a_list = call.frame.site(written) if isinstance(written, ast.List) else None
    parameter = None if _is_partly_unknown(spec) else _parameter_of(call)
    call.frame.model.shard(
        call.store.state, call.site, call.spelling, spec, _mesh_of(given, call) or Mesh(),
        written=a_list, parameter=parameter,
    )  # fmt: skip


def _spec_of(given: Value | None) -> Spec:
    """A spec as far as it is known; empty where nothing is."""
    return tuple(map(_entry, elements(given)))


def _entry(value: Value) -> object:
    if value.kind is Kind.NONE:
        return None
    if isinstance(value.payload, Container):
        return tuple(map(_entry, elements(value))) or UNKNOWN_AXIS
    known = literal(value) if isinstance(value.payload, Constant) else None
    return known if type(known) in (int, str) else UNKNOWN_AXIS


def _is_partly_unknown(spec: Spec) -> bool:
    flat = (axis for entry in spec for axis in (entry if isinstance(entry, tuple) else (entry,)))
    return not spec or UNKNOWN_AXIS in flat


def _parameter_of(call: Call) -> tuple[Site, str] | None:
    """The module that the first argument, such as `model.head.weight`, is a parameter of, and its name."""
    written = call.written("t", 0)
    shown = dotted(written) if written is not None else ""
    owner, _, name = shown.partition(".")
    held = call.store.names.get(owner)
    module = held.payload if held is not None else None
    if not name or not isinstance(module, Module) or len(module.identity) != 1 or module.is_part:
        return None
    return module.identity[0], name


# FSDPv2 ------------------------------------------------------------------------------------------


def _shard_module(machine: Machine, call: Call) -> Value:
    """`SpmdFullyShardedDataParallel(module, mesh=mesh, shard_output=shard_output)`."""
    module = wrapped(call, moves=True)
    if call.open_ended:
        return module
    leave_optimizers_behind(machine, call)
    mesh, misuse = _mesh_of(call.keywords.get("mesh"), call), None
    if len(call.arguments) > 1:
        misuse = Misuse.BY_POSITION
    elif mesh == NO_MESH:
        misuse = Misuse.NO_MESH
    elif mesh is not None and mesh.names is not None and FULLY_SHARDED not in mesh.names:
        misuse = Misuse.NO_AXIS
    call.frame.model.shard_fully(call.store.state, call.site, call.site, misuse, assumes=module.assumes)
    given = call.keywords.get("shard_output")
    held = module.payload
    if isinstance(held, Module) and misuse is None and (given is None or given.kind is Kind.NONE):
        return module._replace(payload=held._replace(shards_output_at=call.site))
    return module


EFFECTS: Final[dict[str, Effect]] = {
    "use spmd": _use_spmd,
    "spmd test": _spmd_test,
    "mesh": _mesh,
    "mesh of one axis": _line,
    "set mesh": _set_mesh,
    "get mesh": _get_mesh,
    "mark sharding": _mark,
    "mark sharding by hand": _mark_by_hand,
    "describe sharding": _describe,
    "clear sharding": _clear,
    "shard module": _shard_module,
}
