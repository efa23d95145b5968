"""The events that the guard emits: a rule that judges no others works on the engine as well."""

from __future__ import annotations

from xlalint.lazy.events import (
    CheckpointedByTorch,
    ClippedEarly,
    ClosureAdded,
    ClosureNeverRun,
    Collective,
    Cut,
    Event,
    FellBack,
    FullySharded,
    GradientUsed,
    GraphChanged,
    HostRead,
    LastBatchSmaller,
    LeftPending,
    LoopLeft,
    MarkerRepeated,
    ObjectsShared,
    OptimizerStepped,
    ReadThenCut,
    ReducedAgain,
    RestoredUnprimed,
    Save,
    ScalerStepped,
    ScopeEntered,
    ScopeLeft,
    SeedMissed,
    ShapeVaries,
    Sharded,
    SpmdTooLate,
    SteppedAgain,
    StepSplit,
    StepsRun,
    TrainedApart,
    UnmatchedCollective,
)

EMITTED: frozenset[type[Event]] = frozenset({
    CheckpointedByTorch, ClippedEarly, ClosureAdded, ClosureNeverRun, Collective, Cut, FellBack,
    FullySharded, GradientUsed, GraphChanged, HostRead, LastBatchSmaller, LeftPending, LoopLeft,
    MarkerRepeated, ObjectsShared, OptimizerStepped, ReadThenCut, ReducedAgain, RestoredUnprimed, Save,
    ScalerStepped, ScopeEntered, ScopeLeft, SeedMissed, ShapeVaries, Sharded, SpmdTooLate, StepSplit,
    SteppedAgain, StepsRun, TrainedApart, UnmatchedCollective,
})  # fmt: skip
