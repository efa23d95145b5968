"""Where in the program we are: the open scopes, and which of the replicas are here."""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions
from xlalint.lazy.site import Site
from xlalint.lazy.values import BY_IDENTITY


class ScopeKind(Enum):
    """A region of the program that the engine, or one of our rules, treats as a whole."""

    STEP = "torch_xla.step()"
    COMPILE = "torch_xla.compile"
    FULL_GRAPH = "torch_xla.compile(full_graph=True)"
    TRACE = "xp.Trace"
    STEP_TRACE = "xp.StepTrace"
    OPTIMIZER = "optimizer step"
    EAGER = "eager_mode_context"

    __hash__ = BY_IDENTITY

    @property
    def is_step(self) -> bool:
        """Whether a cut is made at its entry and exit, and none is wanted between."""
        return self in _STEP_SCOPES


_STEP_SCOPES: Final = frozenset({ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH})


class Scope(NamedTuple):
    """An open scope. `depth` counts, inside a summary, the caller's scope it stands for."""

    kind: ScopeKind
    site: Site
    depth: int = -1

    @property
    def inherited(self) -> bool:
        """Whether a caller of the present function opened it."""
        return self.depth >= 0


class Split(NamedTuple):
    """The replicas are not all here: those for which the test at `site` came out as `polarity` are.

    `master` says whether the master is among them, `assumes` what must be so for all of one sort to be.
    """

    site: Site
    polarity: bool
    assumes: Assumptions = assumptions.NONE
    master: bool = True
    depth: int = -1

    @property
    def certain(self) -> bool:
        """Whether all replicas of one sort are among them."""
        return not self.assumes

    @property
    def inherited(self) -> bool:
        """Whether a caller of the present function made the test."""
        return self.depth >= 0

    @property
    def is_rank_test(self) -> bool:
        """Whether the test is known to tell the master from the others.

        A test of a value that differs between replicas, such as a loss, splits them too, but into
        arms of which nobody knows who is in which.
        """
        return self.master or self.certain


class Between(Enum):
    """What is done between two elements of a generator, where that surely cuts nothing."""

    READS = "they are read on the host"
    KEEPS = "they are kept, or let go"

    __hash__ = BY_IDENTITY


class Scopes(NamedTuple):
    """Where in the program we are: the open scopes, the outermost first, and what else surrounds us."""

    open: tuple[Scope, ...] = ()
    in_closure: bool = False
    """A step closure is running."""
    in_forward: bool = False
    """A module's `forward` is running."""
    in_loop: bool = False
    in_batches: bool = False
    """A loop over a loader, in this function or around a call of it, is going on."""
    seldom: bool = False
    """A test of a counter, in a function that called this one, has led here."""
    no_grad: bool | None = False
    """Autograd is off, as under `torch.no_grad()`; None: it is not known."""
    between: Between | None = None
    """What whoever goes over the generator that is running does with each of its elements; None: anything."""

    def of(self, *kinds: ScopeKind) -> Scope | None:
        """The outermost open scope of one of `kinds`, or None."""
        for scope in self.open:
            if scope.kind in kinds:
                return scope
        return None

    @property
    def step(self) -> Scope | None:
        """The outermost open step scope (step, compile), or None."""
        return self.of(ScopeKind.STEP, ScopeKind.COMPILE, ScopeKind.FULL_GRAPH) if self.open else None

    @property
    def profiler(self) -> Scope | None:
        """The outermost open profiler scope, or None."""
        return self.of(ScopeKind.TRACE, ScopeKind.STEP_TRACE) if self.open else None


class Replicas(NamedTuple):
    """Which replicas are here, and how they work together; True, False or None for "not known".

    Args:
        splits: The tests that have sent other replicas elsewhere, the outermost first.
        launched: Whether several replicas were started.
        wrapped: Whether a model is wrapped by DDP or FSDP, so that backward reduces; None: on some way alone.
        spmd: Whether SPMD mode is on.
        sharded: Whether the wrapper leaves each replica a part of each parameter, as FSDP does.
        backend: That of the default process group of `torch.distributed`, such as `xla`.
    """

    splits: tuple[Split, ...] = ()
    launched: bool | None = None
    wrapped: bool | None = False
    spmd: bool | None = None
    sharded: bool | None = None
    backend: str | None = None

    @property
    def rank_test(self) -> Split | None:
        """The outermost test that is known to tell the master from the others, or None."""
        return next((split for split in self.splits if split.is_rank_test), None)
