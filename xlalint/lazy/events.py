"""Events of the model: what rules judge, whoever observed it."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, Final, NamedTuple

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions
from xlalint.lazy.cuts import Cause
from xlalint.lazy.obligations import Obligation
from xlalint.lazy.records import Record, record
from xlalint.lazy.scopes import Scope, ScopeKind, Split
from xlalint.lazy.sharding import Misuse, Spec
from xlalint.lazy.site import Path, Site
from xlalint.lazy.state import NOTHING_DONE, Fetch, Loop, View
from xlalint.lazy.values import BY_IDENTITY, NOTHING, Form, Kind, Recorded, Value, Weight, kinds_that


class Reading(Enum):
    """How a value came to be read on the host."""

    EXPLICIT = "explicit"  # .item(), .tolist(), .cpu(), .numpy()
    SCALAR = "scalar"  # float(t), int(t)
    TEXT = "text"  # print, logging, a progress bar
    FORMAT = "format"  # f-string: one number, as of a loss, is read as by .item()
    BOOL = "bool"  # if t, assert t, not t, while t < n
    INDEX = "index"  # range(t), names[t]
    MATH = "math"  # math.sqrt(t), max(t, u)
    MASK = "mask"  # a layer compares the mask that it gets with another one
    INTO_HOST = "into host"  # total += t, table[i] = t, where what changes is a tensor on the CPU

    __hash__ = BY_IDENTITY

    @property
    def as_bool(self) -> bool:
        """Whether the program, not the programmer, asked for the number."""
        return self in (Reading.BOOL, Reading.INDEX, Reading.MATH, Reading.MASK)


class Use(Enum):
    """What was done with gradients."""

    BACKWARD = "backward"
    UNSCALE = "unscale"
    CLIP = "clip"
    CUT_OFF = "clip each number by itself"
    REDUCE = "reduce"
    STEP = "step"

    __hash__ = BY_IDENTITY


class Leaving(Enum):
    """What found work pending after a loop was left early."""

    WORK = "more work was recorded"
    SAVE = "parameters are saved"
    END = "the program ends"

    __hash__ = BY_IDENTITY


@record
class Event(Record):
    """Something that happened at `site`; `assumes` is what the observer takes for granted."""

    site: Site
    assumes: Assumptions = assumptions.NONE

    @property
    def path(self) -> Path:
        """Call sites from the observing function down to the place the event is about."""
        return (self.site,)


@record
class HostRead(Event):
    """A value was read on the host; `spelling` is what the program wrote, such as `.item()`.

    `in_every_round` tells that it is for every batch of a loader, `seldom` that a counter's test led here,
    `apart` that it is one of several by which each round of a loop reads numbers one by one, `after_steps`
    that it comes once for many steps, as at the end of an epoch; `unless` is the parameter of the call that
    spares it.
    """

    value: Value = Value  # type: ignore[assignment]
    reading: Reading = Reading.EXPLICIT
    spelling: str = ""
    closure_argument: bool = False
    in_every_round: bool = False
    seldom: bool = False
    apart: bool = False
    after_steps: bool = False
    unless: str = ""

    @property
    def runs_device(self) -> bool:
        """Whether inside a step it runs work of that before the step has ended. A mask is none."""
        value = self.value
        if self.reading is Reading.MASK:
            return False
        if value.is_device:
            sure_enough = value.known or self.reading is Reading.EXPLICIT
            return sure_enough and value.recorded.must > Weight.NONE
        # Inside a step `.item()` is called on a tensor, even where we cannot see that it is one.
        return value.kind is Kind.UNKNOWN and self.reading is Reading.EXPLICIT


@record
class ReadApart(Event):
    """Several numbers were read on the host one by one, mostly in each round of a loop.

    Args:
        count: How many; 0: as many as a container holds.
        spelling: The first of the reads, as the program wrote it.
        runs: Whether each of them runs a graph, as something is recorded of the value.
        once: Whether that happens in no loop, in a few rounds of it, or below a loop over steps.
        listed: Whether they may stand in one list, tuple or tensor, which then can be read at once.
    """

    count: int = 0
    spelling: str = ""
    runs: bool = False
    once: bool = False
    listed: bool = False


@record
class Cut(Event):
    """Everything recorded was sent to the device. `since` is where it had been recorded."""

    cause: Cause = Cause.MARKER
    spelling: str = ""
    recorded: Recorded = NOTHING
    since: tuple[Site, ...] = ()
    resets_scope: bool = True
    of_forward: bool = False
    """Whether a module's `forward` is running, and may have recorded some of it."""


@record
class MarkerRepeated(Event):
    """Nothing was recorded between a marker and other cuts; `site` is that of the marker.

    Args:
        cuts: The others, one for each way that leads to the marker, or the one that comes next.
        cause: What made the first of them.
        comes_next: Whether the other follows the marker, and nothing between the two needs it.
    """

    cuts: tuple[Site, ...] = ()
    cause: Cause = Cause.MARKER
    comes_next: bool = False


@record
class FellBack(Event):
    """The host ran an operation, as the lazy engine cannot record it; `operation` is its name in ATen."""

    operation: str = ""


class Changed(Enum):
    """How an operation of a graph is another one than in the graphs before."""

    SHAPE = "the shape of an argument"
    DTYPE = "the dtype of an argument"
    COUNT = "how many tensors it gets"
    ARGUMENT = "an argument that is no tensor, and part of the graph"
    RESULT = "what it yields, for the same arguments"
    NUMBER = "a number that is part of the graph"
    NEW = "there was none before"
    GONE = "there is none any more"
    OTHER = "it takes the place of another one"

    __hash__ = BY_IDENTITY


class Change(NamedTuple):
    """By what a graph differs from those before it, at its first operation that does.

    Args:
        how: What of the operation is another one.
        operation: The function of torch.
        before: What it was, in words that fit `how`.
        now: What it is.
        before_line: Where the operation before was asked for, if that was another one.
    """

    how: Changed
    operation: str
    before: str
    now: str
    before_line: int = 0


@record
class CheckpointedByTorch(Event):
    """PyTorch's own activation checkpointing gets a tensor on the device.

    Args:
        spelling: The call, as the program wrote it.
        reentrant: Whether backward is to run by itself inside the other; None: not known.
    """

    spelling: str = ""
    reentrant: bool | None = True


@record
class GraphChanged(Event):
    """After its warm-up a loop has recorded another graph, which was compiled."""

    change: Change = Change  # type: ignore[assignment]


@record
class Collective(Event):
    """Replicas met, or tried to; `hot` tells that they do so in each round of a loop over batches."""

    operation: str = ""
    tag: str = ""
    hot: bool = False


class BarrierFault(Enum):
    """Why a barrier holds nobody."""

    NO_WAIT = "the process group `xla` returns at once"
    NO_TAG = "it has no tag"

    __hash__ = BY_IDENTITY


@record
class BarrierMisused(Event):
    """A barrier, which the program wrote as `spelling`, at which no replica waits for the others."""

    spelling: str = ""
    fault: BarrierFault = BarrierFault.NO_WAIT


@record
class NumberedWithinHost(Event):
    """A sampler over all replicas is told a number that counts those of one host alone.

    Args:
        asked: The call that gives it, where it stands in the place of the argument.
        name: The function that is called there.
        counted: Where the program asks for the number, wherever that is, if in one place.
    """

    asked: Site | None = None
    name: str = ""
    counted: Site | None = None


@record
class ObjectsShared(Event):
    """Replicas send each other `what` in words, which PyTorch refuses to load."""

    what: str = ""


@record
class ResultDropped(Event):
    """Replicas sum or gather a tensor into a new one, by the call `spelling`, and nothing holds that.

    Args:
        spelling: The call, as the program wrote it.
        operation: What the function is called.
    """

    spelling: str = ""
    operation: str = ""


@record
class ReducedAgain(Event):
    """Gradients are summed over the replicas that something else sums, too, or has summed before.

    Args:
        spelling: What sums them here.
        sharded: Whether each replica holds the gradients of other parameters, as under FSDP.
        by_backward: Whether backward sums them.
        by_optimizer: Whether a step of the optimizer sums them, as ZeRO's does.
    """

    spelling: str = ""
    sharded: bool = False
    by_backward: bool = True
    by_optimizer: bool = False


@record
class GroupJoined(Event):
    """A process joins a group of `torch.distributed`; `backend` is that of the group, if it is known."""

    backend: str = ""


@record
class ReplicasLaunched(Event):
    """Replicas were started, by the function `spelling`.

    Args:
        spelling: The call, as the program wrote it.
        processes: How many were asked for; None: that is left to torch_xla, or not known.
        accepted: Whether the function takes such a number at all.
        several: Whether a number is asked for that is more than 1, though it is not known.
    """

    spelling: str = ""
    processes: int | None = None
    accepted: bool = True
    several: bool = False


@record
class Save(Event):
    """Values were written to a file. `recorded` is the work pending on what is saved."""

    spelling: str = ""
    value: Value = Value  # type: ignore[assignment]
    recorded: Recorded = NOTHING
    by_xla: bool = False
    """Whether torch_xla's own function saves, which moves values to the host by itself."""
    on_device: bool = False
    """Whether what is saved surely holds device tensors, itself or anywhere within."""
    to_every_replica: bool = False
    """Whether each replica that comes here writes, not only the master."""
    opened: Path = ()
    """Where every replica opened the file that is written on the master only."""
    unless_cut: Assumptions = assumptions.NONE
    """What must be so for the work to pend still; that values of the device are saved rests on none of it."""
    sharded: bool = False
    """Whether each replica has another part of what is saved."""
    raises: bool = False
    """Whether the format is one that does not take tensors of the device: then nothing is written."""
    has_parameters: bool = False
    """Whether parameters are among it as they are, as those of a module: `xm.save` leaves them on the device.
    What a state dict has are other tensors."""


@record
class CheckpointTaken(Event):
    """A checkpoint manager was told to save, by `spelling`, if it is time for it.

    `seldom` tells that it is told so in few rounds of a loop, and asked for a preemption in none; `hidden`
    that it saves in the background, and nobody asks what came of it.
    """

    spelling: str = ""
    seldom: bool = False
    hidden: bool = False


@record
class ScopeEntered(Event):
    """A scope was opened."""

    scope: Scope = Scope  # type: ignore[assignment]


@record
class ScopeLeft(Event):
    """A scope was closed, in whatever way."""

    scope: Scope = Scope  # type: ignore[assignment]


@record
class GradientUsed(Event):
    """Gradients were computed, changed, reduced or applied."""

    use: Use = Use.BACKWARD


@record
class OptimizerStepped(Event):
    """An optimizer updated parameters.

    Args:
        stale: Where its model moved to the device after it had been built, so that it updates parameters
            the model no longer has.
        built: Where it was built.
        off_device: Its model moved from the device to the host there, whatever came of it later.
        unreduced: It is one of torch's own, and its gradients are surely those of one replica.
        closure: It computes gradients itself, by a closure, below the sum over the replicas.
    """

    stale: Path = ()
    built: Path = ()
    off_device: bool = False
    unreduced: bool = False
    closure: bool = False

    @property
    def path(self) -> Path:
        """The move that made the optimizer stale, when there was one."""
        return self.stale or (self.site,)


@record
class OptimizerRefused(Event):
    """An optimizer that shares parameters out among the replicas was given some that are not on the device:
    it raises where it is built.

    Args:
        built: Where that is.
        moved: Where its model moved to the device later, if it is seen to.
    """

    built: Path = ()
    moved: Path = ()

    @property
    def path(self) -> Path:
        """Where it raises."""
        return self.built or (self.site,)


@record
class ScalerStepped(Event):
    """A gradient scaler decided on the host whether to step its optimizer.

    Args:
        built: Where the optimizer was built, where that is known.
        of_xla: It is torch_xla's own, of before 2.9.
        decides_on_device: As such it decides on the device: the optimizer or a setting says so.
    """

    spelling: str = ""
    built: Path = ()
    of_xla: bool = False
    decides_on_device: bool = False


@record
class ClosureAdded(Event):
    """A step closure was queued, to run at the next cut."""

    asynchronous: bool = False


@record
class LoopLeft(Event):
    """A loop in which something happened came to its end. `recorded` is what every iteration leaves behind
    at its end, `since` where it was recorded, `loop` what happened in it; `over` is what it ran over (None: a
    `while`).
    `keeps` tells that a container or a sum gathers such work over the iterations, `goes_on` that each goes on
    with what the one before it has recorded and reads what comes of it, `in_batches` that it stands in a loop
    over something unknown, which may be the one over a loader, `refines` that each makes more of what those
    before have made, as a text, `draws` that each draws random numbers on the device and reads."""

    over: Value | None = None
    recorded: Recorded = NOTHING
    loop: Loop = NOTHING_DONE
    since: tuple[Site, ...] = ()
    keeps: bool = False
    goes_on: bool = False
    in_batches: bool = False
    refines: bool = False
    draws: bool = False

    def lacks_cut(self, state: View) -> bool:
        """Whether it is a training loop, or one of inference, of which each iteration leaves work behind
        that nothing in the loop ends; of a training loop, also some iterations only."""
        done = self.loop.all
        leaves = self.recorded.may if self.loop.own.steps else self.recorded.must
        if leaves is not Weight.HEAVY and not self.draws:
            return False
        if done.may_cut or self.loop.own.opens_step:
            return False
        if (done.cuts or done.opens_step) and not self.seldom_cuts:
            return False
        if state.scopes.step is not None or state.scopes.of(ScopeKind.STEP_TRACE) is not None:
            return False
        if state.opaque or state.eager:
            return False
        return self._runs_steps(state) and (
            self.loop.own.steps or self.keeps or self.goes_on or self.refines or self.draws or not done.reads
        )

    @property
    def seldom_cuts(self) -> list[Site]:
        """Where a loop that trains in its rounds cuts, if only by one inside it, to which a test of a counter
        leads, as one that evaluates. Who writes the cut itself below such a test wants few large graphs."""
        nested, done = self.loop.nested, self.loop.all
        seldom = self.loop.own.steps_often and nested.cuts and not done.cuts_often
        return sorted(site for _, site in nested.cut_by) if seldom else []

    @property
    def trains_now_and_then(self) -> Assumptions:
        """What is assumed of a training loop of which an iteration may also leave nothing behind."""
        sure = self.recorded.must is Weight.HEAVY or self.draws or self.seldom_cuts
        return assumptions.NONE if sure else _TRAINS

    def _runs_steps(self, state: View) -> bool:
        kind = self.over.kind if self.over is not None else None
        if kind in _MAY_BE_LOADER:
            return False
        own = self.loop.own
        if (self.goes_on or self.refines or self.draws) and not own.steps:
            return not (own.backward or state.scopes.in_forward)
        if (state.scopes.in_batches or self.in_batches) and kind is not Kind.LOADER:
            return False  # A few updates of one step: the loop over the loader is judged for them.
        if own.steps:
            return self.loop.all.backward  # A loop over several optimizers is part of a step.
        # The loop around an inference loop may cut the graph, which then holds what all batches have left.
        # A loop that only adds up gradients makes one graph on purpose, or its optimizer steps on the host.
        # One that drops them in each round, and keeps what it has made of them, does not.
        if kind is not Kind.LOADER or (own.backward and not own.clears):
            return False
        return self.keeps or not (own.backward or state.scopes.in_loop)


@record
class BatchesPadded(Event):
    """A loop computed on the device over batches that are as long as their longest sequence; `built` leads to
    what fills them up, `by` says whether that are texts."""

    built: Path = ()
    by: Form = Form.SEQUENCES

    @property
    def path(self) -> Path:
        """The place where they are filled up."""
        return self.built


@record
class LastBatchSmaller(Event):
    """A loop trained on the device over a loader whose last batch is smaller; `built` leads to where that
    was made."""

    built: Path = ()

    @property
    def path(self) -> Path:
        """The place where the loader was made."""
        return self.built


@record
class SamplesRepeated(Event):
    """Each of several replicas trained on all the samples of a loader; `built` leads to where it was made."""

    built: Path = ()

    @property
    def path(self) -> Path:
        """The place where the loader was made."""
        return self.built


@record
class DynamoRan(Event):
    """What `torch.compile` made runs, on a device of XLA.

    Args:
        backend: The name of the one that compiles it; None: it is not known.
        built: Where it was made.
        plain: Whether nothing was asked for that only the default backend takes.
        trains: Whether it is a training step, which computes gradients and steps an optimizer, or is known to
            be a part of one.
    """

    backend: str | None = None
    built: Site = Site  # type: ignore[assignment]
    plain: bool = True
    trains: bool = False


@record
class MethodMissed(Event):
    """A module's method is asked for, of the function that `torch_xla.compile` made of the module."""

    name: str = ""


@record
class WorkTimed(Event):
    """The time is taken of work that nothing has waited for.

    Args:
        begun: Where the clock was read before.
        read: Where it is read after the work.
        launched: Whether all the work runs already, so that the host can wait for it.
    """

    begun: Site = Site  # type: ignore[assignment]
    read: Site = Site  # type: ignore[assignment]
    launched: bool = False


class Fault(Enum):
    """What is wrong with a function that is compiled."""

    BARE = "the scope is used as a decorator without being called"
    GENERATOR = "it is a generator, of which the body runs later"
    NO_RESULT = "it returns nothing, and what it returns is used"

    __hash__ = BY_IDENTITY


@record
class CompiledInVain(Event):
    """A step function that is compiled does not do what its author means; `fault` says why."""

    fault: Fault = Fault.BARE


@record
class Validated(Event):
    """A distribution checks its parameters on the host; `spelling` is what the program wrote."""

    spelling: str = ""


@record
class AnomaliesSought(Event):
    """From here on autograd asks of each gradient whether it is a number; `spelling` is what the program
    wrote."""

    spelling: str = ""


@record
class ShapeVaries(Event):
    """A result has another shape each time, or the work for it another form.

    Args:
        by: What decides on the shape.
        spelling: What the program wrote.
        fills: Whether a Python number is written to all that a mask takes.
        runs: Whether the engine runs what is recorded at once, to know the shape.
        comes_again: Whether each round of a loop around has the same shapes again, in turn.
        number: The name of the number that is another one each time, where it has one.
    """

    by: Form = Form.DATA
    spelling: str = ""
    fills: bool = False
    runs: bool = True
    comes_again: bool = False
    number: str = ""


@record
class Settled(Event):
    """Base of the derived events: an obligation met the event it waited for."""

    obligation: Obligation = Obligation  # type: ignore[assignment]

    @property
    def path(self) -> Path:
        """The place of the event that opened the obligation."""
        return self.obligation.path


@record
class ReadThenCut(Settled):
    """What a host read launched is launched again, by the cut at `site`.

    `fetches` are where the innermost loop around the cut has read.
    """

    cause: Cause = Cause.MARKER
    fetches: tuple[Fetch, ...] = ()


@record
class LeftPending(Settled):
    """A loop was left with work recorded that nothing cut before it mattered."""

    leaving: Leaving = Leaving.END


@record
class StepCut(Settled):
    """A step scope was cut; `cause` says by what, `last` that nothing was recorded from then to its end."""

    cause: Cause = Cause.MARKER
    last: bool = False


@record
class StepSplit(Settled):
    """A cut stood between the forward pass, backward and the optimizer step.

    Args:
        before_barrier: Nothing was recorded between it and an optimizer step that cuts by itself.
        before_backward: It stood before backward.
    """

    before_barrier: bool = False
    before_backward: bool = False


@record
class ClippedEarly(Settled):
    """Gradients were clipped or unscaled before the replicas' gradients were summed."""


@record
class StepsRun(Settled):
    """What the steps of a loop left recorded runs only below it; `by` says by what, such as `the read`."""

    by: str = ""


@record
class WorkInAutocast(Settled):
    """Heavy work is recorded in an autocast that is for another device, or would be: it `raises`."""

    raises: bool = False


@record
class BackwardLowered(Settled):
    """Gradients are computed, at `site`, within an autocast, of what was kept out of it."""


@record
class InferenceRefused(Event):
    """A model on the device is called in PyTorch's inference mode, by the call `spelling`."""

    spelling: str = ""


@record
class GeneratorRefused(Event):
    """A generator of random numbers is asked for on a device of XLA, which has none."""

    spelling: str = ""


@record
class SeedMissed(Settled):
    """What is drawn on the device does not follow a seed that was set for the host."""

    LAUNCHED: ClassVar[str] = "before replicas were launched"

    @property
    def before_launch(self) -> bool:
        """Whether the seed was set in the process that launches the replicas, which must use no device."""
        return self.obligation.detail == self.LAUNCHED


@record
class WeightsDiffer(Settled):
    """Gradients are summed over replicas of which each has drawn its weights by a seed of its own.

    `by_hand` says that the program itself asks for the sum, and no framework, which may give a seed where the
    program gives none.
    """

    by_hand: bool = True

    NO_SEED: ClassVar[str] = "no seed since the replicas were launched"

    @property
    def is_unseeded(self) -> bool:
        """Whether nobody has given a seed, so that PyTorch draws one in each process."""
        return self.obligation.detail == self.NO_SEED


@record
class TrainedUntraced(Settled):
    """Gradients are computed or applied below the `StepTrace` of their step."""


@record
class TrainedApart(Settled):
    """An optimizer steps: weights that are one no more, since their module moved, are trained apart."""


@record
class ReadTooEarly(Settled):
    """Replicas read, at `site` and by `spelling`, a file that another one has yet to write, perhaps."""

    spelling: str = ""


@record
class LoadedByAnother(Settled):
    """A file is loaded, at `site` and by `spelling`, that another function has to load."""

    spelling: str = ""


@record
class LoadRefused(Event):
    """`torch.load` is told to put what it loads on a device of XLA, `by_name` or by the argument's place."""

    spelling: str = ""
    by_name: bool = True


@record
class RestoredUnprimed(Settled):
    """A sharded checkpoint is restored, at `site` and by `spelling`, into the state of an optimizer, which
    has none before its first step."""

    spelling: str = ""


@record
class HistoryKept(Event):
    """What a module has computed in evaluation is added to what holds the like of it already, in a loop.

    Autograd keeps all that was computed for both. `spelling` is what the program wrote.
    """

    spelling: str = ""


@record
class WorkLeaked(Settled):
    """Gradients are computed at `site` in one graph with work that chance decides on."""


@record
class SteppedAgain(Settled):
    """An optimizer applies, at `site`, the gradients that it has applied already."""


@record
class LaunchedTooLate(Settled):
    """Replicas are launched at `site`, by a process that had used a device before."""


@record
class SpmdTooLate(Settled):
    """SPMD is turned on at `site`, by a process that had used a device before."""


@record
class CacheTooLate(Settled):
    """The persistent cache is set up at `site`, by a process that had run a graph before."""


@record
class CacheShared(Event):
    """Several processes write their persistent cache to the same path."""


@record
class CaptureBlocks(Settled):
    """A profile of this very process is captured at `site`, which waits until it is there."""


@record
class LoaderAbandoned(Settled):
    """A loader is made anew at `site`, where the one before it was left early."""


@record
class LoaderSpent(Event):
    """A loop goes over a loader, which the call `loader` has made, that has run out before."""

    loader: str = ""


@record
class Sharded(Event):
    """A tensor is sharded, or a loader told how to shard what it yields.

    Args:
        spelling: The call, as the program wrote it.
        fault: Why the spec fits neither mesh nor tensor; empty: nothing is known against it.
        written: Where a list stands in the place of the spec, which must be a tuple; None: it does not.
        before: How the tensor is sharded already, if otherwise.
    """

    spelling: str = ""
    fault: str = ""
    written: Site | None = None
    before: Spec = ()


@record
class FullySharded(Event):
    """FSDPv2 wraps a module at `wrapped`, or runs what it has wrapped there, at `site`.

    Args:
        wrapped: Where it wraps the module.
        misuse: What it does not accept; None: nothing is known against it.
    """

    wrapped: Site = Site  # type: ignore[assignment]
    misuse: Misuse | None = None

    @property
    def path(self) -> Path:
        """The place where the module was wrapped."""
        return (self.wrapped,)


@record
class ClosureNeverRun(Settled):
    """No cut followed a step closure."""


@record
class ClosureSeesLater(Settled):
    """A name that a step closure will look up is bound anew before the closure runs."""

    name: str = ""


@record
class UnmatchedCollective(Settled):
    """Only some replicas reach a collective."""

    @property
    def split(self) -> Split:
        """The test that parted the replicas."""
        assert self.obligation.split is not None
        return self.obligation.split


@record
class ChangedAlone(Event):
    """Some replicas change a tensor that was there before, while a sum over all of them is pending: what they
    run next is another graph than that of the others.

    Args:
        spelling: What changes it, as the program wrote it.
        split: The test that parted the replicas.
    """

    spelling: str = ""
    split: Split = Split  # type: ignore[assignment]


@record
class LeftAlone(Event):
    """Some replicas leave a loop, in which the others go on to wait for them.

    Args:
        split: The test that parted the replicas.
        meets: The collectives in which they wait.
        by_count: Whether there is no test: each goes through the loop as often as a number says.
    """

    split: Split = Split  # type: ignore[assignment]
    meets: tuple[str, ...] = ()
    by_count: bool = False


@record
class ApiUsed(Event):
    """A name of torch_xla was used. `protected` when a version gate or an `except` guards it."""

    name: str = ""
    keyword: str = ""
    protected: bool = False


@record
class VariableUsed(Event):
    """An environment variable of torch_xla was set, or asked for."""

    name: str = ""
    sets: bool = False


@record
class DeviceUnregistered(Event):
    """A device of XLA is asked for where nothing imports torch_xla, which registers it with PyTorch.

    `spelling` is what the program wrote.
    """

    spelling: str = ""


@record
class DeviceSpelled(Event):
    """A text names a device of XLA: "xla" or "xla:0".

    Args:
        spelling: The text.
        places: At how many places of its file one stands.
    """

    spelling: str = ""
    places: int = 1


@record
class BoundReached(Event):
    """The analyzer stopped here, at one of its bounds."""

    bound: str = ""


@record
class FileUnreadable(Event):
    """A file, or a cell of a notebook, could not be read or parsed."""

    reason: str = ""
    part: str = "file"


@record
class SuppressionUnused(Event):
    """A suppression that suppressed nothing; `codes` are those it names in vain.

    Args:
        fault: What is wrong with the comment, where it is more than unused.
        meant: How it should be written then.
    """

    codes: tuple[str, ...] = ()
    fault: str = ""
    meant: str = ""


@record
class SuppressionUnexplained(Event):
    """A suppression that does not say why; `codes` are those it names."""

    codes: tuple[str, ...] = ()


_TRAINS: Final = assumptions.assume("an iteration of this loop trains")
_MAY_BE_LOADER: Final = kinds_that("may_be_loader")
