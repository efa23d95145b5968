"""Sharding under SPMD: meshes of devices, and how tensors are laid over them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from xlalint.lazy import assumptions
from xlalint.lazy.site import Site
from xlalint.lazy.values import BY_IDENTITY

Spec = tuple[object, ...]
"""How a tensor is sharded: for each of its dimensions an axis of the mesh, by name or number, several of
them, or None where it is replicated."""

UNKNOWN_AXIS: Final = "?"
"""Stands in a spec for what is not known."""

NOT_FROM_OUTSIDE: Final = assumptions.assume("`XLA_USE_SPMD` is not set where the program is started")
"""What is taken for granted where nothing in a program turns SPMD on."""

FULLY_SHARDED: Final = "fsdp"
"""The axis that FSDPv2 shards parameters over."""


class Mesh(NamedTuple):
    """The devices, laid out along axes.

    Args:
        names: Those of the axes, none where they have none; None: not known.
        axes: How many there are; None: not known.
    """

    names: tuple[str, ...] | None = None
    axes: int | None = None

    def join(self, other: Mesh) -> Mesh:
        """Either of two meshes."""
        return self if self == other else Mesh()


NO_MESH: Final = Mesh((), 0)
"""Stands for the global mesh where surely none is set."""


class Marked(NamedTuple):
    """A parameter that is sharded: of which module, by where that was made, under which name, and how."""

    module: Site
    name: str
    spec: Spec


class Setup(NamedTuple):
    """What the process has set up, beside SPMD itself.

    Args:
        mesh: The global mesh; None: not known.
        marked: Parameters that are surely sharded.
        caches: Whether the program sets up the persistent cache: it matters then when the first graph runs.
        registered: Whether the program has given PyTorch a module for the device, which torch_xla does not.
    """

    mesh: Mesh | None = None
    marked: frozenset[Marked] = frozenset()
    caches: bool = False
    registered: bool = False


class Misuse(Enum):
    """What FSDPv2 does not accept."""

    BY_POSITION = "the mesh is given by position"
    NO_MESH = "there is no mesh"
    NO_AXIS = "the mesh has no axis `fsdp`"
    OUTPUT = "what the model returns is no tensor, nor a tuple that begins with one"

    __hash__ = BY_IDENTITY


def shown(spec: Spec) -> str:
    """A spec as a program writes it."""
    return repr(tuple(_shown(entry) for entry in spec)).replace("'", '"').replace(f'"{UNKNOWN_AXIS}"', "...")


def _shown(entry: object) -> object:
    return tuple(map(_shown, entry)) if isinstance(entry, tuple) else entry


def mismatch(spec: Spec, mesh: Mesh, rank: int | None) -> str:
    """Why a spec fits neither the mesh nor a tensor of so many dimensions, with the error that it raises
    first; empty where nothing speaks against it.

    Args:
        rank: None: not known.
    """
    if rank is not None and rank != len(spec):
        return (
            f"raises `AssertionError`: `{shown(spec)}` is for {len(spec)} dimensions, the tensor has {rank}"
        )
    axes = [axis for axis in _axes(spec) if axis is not None and axis != UNKNOWN_AXIS]
    for axis in axes:
        if isinstance(axis, str) and mesh.names is not None and axis not in mesh.names:
            names = ", ".join(f"`{name}`" for name in mesh.names)
            held = f"its axes are {names}" if names else "its axes have no names"
            return f"raises `ValueError`: the mesh has no axis `{axis}`, {held}"
        if isinstance(axis, int) and mesh.axes is not None and not 0 <= axis < mesh.axes:
            return f"raises `AssertionError`: the mesh has no axis {axis}, it has {mesh.axes}"
    numbers = [_number(axis, mesh) for axis in axes]
    twice = next(
        (axis for axis, number in zip(axes, numbers, strict=True) if numbers.count(number) > 1), None
    )
    if twice is not None:
        return f"raises `AssertionError`: an axis may shard one dimension only, and `{twice}` stands for two"
    return ""


def _axes(spec: Spec) -> Iterator[object]:
    for entry in spec:
        yield from entry if isinstance(entry, tuple) else (entry,)


def _number(axis: object, mesh: Mesh) -> object:
    return mesh.names.index(axis) if mesh.names and isinstance(axis, str) and axis in mesh.names else axis
