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
    GradientUsed,
    GraphChanged,
    HostRead,
    LastBatchSmaller,
    LeftPending,
    LoopLeft,
    MarkerRepeated,
    OptimizerStepped,
    ReadThenCut,
    Save,
    ScalerStepped,
    ScopeEntered,
    ScopeLeft,
    SeedMissed,
    SteppedAgain,
    StepSplit,
    StepsRun,
    TrainedApart,
    UnmatchedCollective,
)

EMITTED: frozenset[type[Event]] = frozenset({
    CheckpointedByTorch, ClippedEarly, ClosureAdded, ClosureNeverRun, Collective, Cut, FellBack,
    GradientUsed, GraphChanged, HostRead, LastBatchSmaller, LeftPending, LoopLeft, MarkerRepeated,
    OptimizerStepped, ReadThenCut, Save, ScalerStepped, ScopeEntered, ScopeLeft, SeedMissed, StepSplit,
    SteppedAgain, StepsRun, TrainedApart, UnmatchedCollective,
})  # fmt: skip
