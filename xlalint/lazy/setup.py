"""Transitions of what a program sets up before it computes: SPMD, meshes, the cache, the profiler."""

from __future__ import annotations

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, both
from xlalint.lazy.events import CacheShared, CacheTooLate, CaptureBlocks, FullySharded, Sharded, SpmdTooLate
from xlalint.lazy.obligations import Owed
from xlalint.lazy.replicas import ReplicaTransitions
from xlalint.lazy.sharding import Marked, Mesh, Misuse, Spec, mismatch
from xlalint.lazy.site import Site
from xlalint.lazy.state import State


class SetupTransitions(ReplicaTransitions):
    """What is set up once for the whole program."""

    __slots__ = ()

    def use_spmd(self, state: State, site: Site) -> None:
        """From here on one program drives all devices, and shards its tensors over them."""
        for obligation in state.owes(Owed.SINGLE):
            self._settle(state, obligation, SpmdTooLate(site, obligation.assumes, obligation))
        state.replicas = state.replicas._replace(spmd=True)

    def set_mesh(self, state: State, mesh: Mesh | None) -> None:
        """The global mesh is set; None: to one of which nothing is known."""
        state.setup = state.setup._replace(mesh=mesh)

    def shard(
        self, state: State, site: Site, spelling: str, spec: Spec, mesh: Mesh, *,
        rank: int | None = None, written: Site | None = None, parameter: tuple[Site, str] | None = None,
        before: Spec = (),
    ) -> None:  # fmt: skip
        """A tensor is sharded.

        Args:
            spec: How; empty: not known.
            rank: How many dimensions the tensor has; None: not known.
            written: Where a list stands in the place of the spec.
            parameter: Of which module the tensor is a parameter, and under which name.
            before: How it is sharded already, where the engine has told.
        """
        marked = {(one.module, one.name): one.spec for one in state.setup.marked}
        known = before or (marked.get(parameter, ()) if parameter is not None else ())
        before = known if known != spec else ()
        fault = mismatch(spec, mesh, rank) if spec else ""
        self._emit(Sharded(site, self.assumed(state), spelling, fault, written, before), state)
        if parameter is not None and not before:
            marked[parameter] = spec
            self._mark(state, marked)

    def describe_sharding(self, state: State, site: Site, spelling: str, spec: Spec, mesh: Mesh) -> None:
        """A loader is told how to shard what it yields. Without SPMD that does nothing.

        Args:
            spec: How; empty: not known.
        """
        if spec and (fault := mismatch(spec, mesh, None)):
            self._emit(Sharded(site, self.assumed(state), spelling, fault), state)

    def clear_sharding(self, state: State, parameter: tuple[Site, str] | None) -> None:
        """A tensor is no longer sharded; None: it is not known which."""
        left = {(one.module, one.name): one.spec for one in state.setup.marked}
        if parameter is None:
            left.clear()
        left.pop(parameter, None)  # type: ignore[arg-type]
        self._mark(state, left)

    def _mark(self, state: State, marked: dict[tuple[Site, str], Spec]) -> None:
        # What is sharded along axes that are not known may be replicated: that is changed without an error.
        known = frozenset(Marked(*one, spec) for one, spec in marked.items() if any(spec))
        state.setup = state.setup._replace(marked=known)

    def shard_fully(
        self, state: State, site: Site, wrapped: Site, misuse: Misuse | None, *,
        assumes: Assumptions = assumptions.NONE,
    ) -> None:  # fmt: skip
        """FSDPv2 wraps a module, at `wrapped`, or runs what it has wrapped there."""
        self._emit(FullySharded(site, both(self.assumed(state), assumes), wrapped, misuse), state)

    def register_device(self, state: State) -> None:
        """PyTorch is given a module for the device: from here on its own functions find one."""
        state.setup = state.setup._replace(registered=True)

    def initialize_cache(self, state: State, site: Site, *, shared: bool = False) -> None:
        """The persistent cache is set up; `shared` says that all processes write to the same path."""
        self._need_markers(state)
        for obligation in state.owes(Owed.RUN):
            self._settle(state, obligation, CacheTooLate(site, obligation.assumes, obligation))
        if shared and state.replicas.launched:
            self._emit(CacheShared(site, self.assumed(state)), state)

    def start_server(self, state: State, site: Site) -> None:
        """This process serves whoever captures a profile of it."""
        self._owe(state, Owed.SERVER, site, self.assumed(state))

    def capture(self, state: State, site: Site) -> None:
        """A profile is captured, and waited for."""
        self._need_markers(state)
        for obligation in state.owes(Owed.SERVER):
            self._settle(state, obligation, CaptureBlocks(site, obligation.assumes, obligation))
