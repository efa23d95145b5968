"""Values of the model: what the lazy engine's state makes of each value in the user's program."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from enum import Enum, IntEnum
from functools import reduce
from typing import Final, NamedTuple

from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, either
from xlalint.lazy.site import Path, Site

BY_IDENTITY: Final = object.__hash__
"""How members of an enum are hashed: each is equal to itself alone, and `Enum` would hash its name anew."""


class Kind(Enum):
    """What a value is, as far as the lazy engine is concerned."""

    TENSOR = "device tensor"
    HOST = "host value"
    DEVICE = "device"
    MODULE = "module"
    PARAMETERS = "parameters"
    OPTIMIZER = "optimizer"
    SCALER = "gradient scaler"
    LOADER = "loader"
    STATE_DICT = "state dict"
    CALLABLE = "callable"
    CLASS = "class"
    INSTANCE = "instance"
    SCOPE = "scope"
    RANK_TEST = "rank test"
    ORDINAL = "ordinal"
    CONTAINER = "container"
    CONSTANT = "constant"
    NAMESPACE = "namespace"
    NONE = "none"
    UNKNOWN = "unknown"

    __hash__ = BY_IDENTITY


class Weight(IntEnum):
    """How much recorded work there is: none, tensors just made, views and
    elementwise work, or a model's worth."""

    NONE = 0
    INPUT = 1
    LIGHT = 2
    HEAVY = 3


class Recorded(NamedTuple):
    """How much work is recorded and not yet run: surely at least `must`, perhaps up to `may`."""

    must: Weight = Weight.NONE
    may: Weight = Weight.NONE

    def join(self, other: Recorded) -> Recorded:
        """What holds when either of the two does."""
        return Recorded(min(self.must, other.must), max(self.may, other.may))

    def perhaps(self) -> Recorded:
        """The same after a cut that perhaps happened."""
        return Recorded(Weight.NONE, self.may)

    def at_least(self, weight: Weight) -> Recorded:
        """The same with work of `weight` added."""
        if weight <= self.must and weight <= self.may:
            return self
        return Recorded(max(self.must, weight), max(self.may, weight))


NOTHING: Final = Recorded()
LIGHT: Final = Recorded(Weight.LIGHT, Weight.LIGHT)
HEAVY: Final = Recorded(Weight.HEAVY, Weight.HEAVY)


class Place(Enum):
    """Where a module's or tensor's storage lives."""

    HOST = "host"
    XLA = "xla"
    UNKNOWN = "unknown"

    __hash__ = BY_IDENTITY


class Role(Enum):
    """What a device tensor is in the program, beside a tensor."""

    PLAIN = "plain"
    FOUND_INF = "found_inf"
    """It says whether a gradient overflowed: asked in every step."""
    STRUCTURE = "structure"
    """What an XLA loader yields or a model returns: a tensor, or something made of tensors and numbers."""
    DISTRIBUTION = "distribution"
    """It is made of tensors, and holds tensors under its attributes."""
    SAMPLER = "distribution that draws on the device"
    """The same, whose samples are drawn where its tensors are."""
    MASK = "mask"
    """It is made of truths, such as what a comparison gives: taken as an index, how much it takes varies."""
    PARTS = "parts"
    """It is several tensors: to take one of them is no operation."""
    PERHAPS_MODULE = "perhaps a module"
    """An unknown that was moved to XLA: it may as well be a module."""
    GRADIENT = "gradient"
    """That of a parameter: summed over the replicas, it is what a step may use."""
    WINDOW = "window"
    """It was cut out of what grows: what it becomes in some round is no longer than it may get."""

    __hash__ = BY_IDENTITY


class Form(Enum):
    """By what the shape of a result, and with it the graph, changes from one step to the next."""

    DATA = "by the numbers that are computed on"
    MASK = "by how much a mask takes"
    INDEX = "by a number of Python's that is another one in each step"
    NUMBER = "by such a number that is a size, or another argument that is no data"
    LENGTH = "by such a number that says how long something of the host is"
    GROWTH = "by what is appended in each step"
    TRIPS = "by how often a loop inside of it goes round"
    PADDING = "by the longest text of a batch"
    SAMPLES = "by the longest text of a batch, in samples that may be blocks of one length"
    SEQUENCES = "by the longest sequence of a batch"

    __hash__ = BY_IDENTITY


class Tensor(NamedTuple):
    """What is known of a device tensor beside what it has recorded."""

    role: Role = Role.PLAIN
    grown: Site | None = None
    """Where something was appended to it, if that is how it was made."""
    kept: bool = False
    """Whether the graph was cut since then, or a value read that a model had computed."""
    tensors: frozenset[str] = frozenset()
    """The attributes of a structure that were seen to be tensors."""
    fetched: bool = False
    """Whether it was copied to the host: a further read of it runs nothing."""
    varies: Form | None = None
    """By what it has another shape in each step, if that is known."""
    picked: bool = False
    """Whether it is rows of what something was appended to, as many as were asked for."""


class Ragged(NamedTuple):
    """The last batch of a loader is smaller than the others, if what is assumed holds; `built` leads to
    where the loader was made."""

    built: Path
    assumes: Assumptions = assumptions.NONE


class Whole(NamedTuple):
    """A loader gives every replica all the samples, if what is assumed holds; `built` leads to where the
    loader was made."""

    built: Path
    assumes: Assumptions = assumptions.NONE


class Padded(NamedTuple):
    """The batches of a loader are as long as their longest sequence, if what is assumed holds.

    Args:
        built: Leads to what fills them up.
        by: By what their length changes.
    """

    built: Path
    by: Form
    assumes: Assumptions = assumptions.NONE


class Value(NamedTuple):
    """One value: immutable, hashable, part of the key of a summary.

    `assumes` is what must be taken for granted for it to be of its kind, such as what an unknown callee
    returns. `differs` says that the value is not the same on every replica, `reduced` that what is recorded
    of it depends on a collective (None: on some ways here). The class of `payload` belongs to `kind`, and to
    no other. `present` is the test of the replicas that says where it is set, when it is None or false
    elsewhere; PERHAPS of a tensor or container which some way there leaves None. `history` says that autograd
    keeps what a module has computed for it in evaluation, as long as anybody holds it (None: nothing, as it
    was off).
    """

    kind: Kind
    assumes: Assumptions = assumptions.NONE
    recorded: Recorded = NOTHING
    differs: bool = False
    reduced: bool | None = False
    payload: Hashable = None
    present: Hashable = None
    history: bool | None = False

    @property
    def sure(self) -> bool:
        """Whether it is known to be what it is."""
        return not self.assumes and self.kind is not Kind.UNKNOWN

    @property
    def surely_differs(self) -> bool:
        """Whether it is known to be another one on each replica: nothing has reduced it, on no way."""
        return self.differs and not self.assumes and self.reduced is not None

    @property
    def known(self) -> bool:
        """Whether it is known to be what it is, on those ways by which it is anything of that kind."""
        if not self.assumes:
            return self.kind is not Kind.UNKNOWN
        few = len(self.assumes) <= MOST_TESTS
        return few and self.kind is not Kind.UNKNOWN and assumptions.is_of_ways(self.assumes)

    @property
    def role(self) -> Role:
        """What a device tensor is in the program; PLAIN for every other value."""
        return self.payload.role if isinstance(self.payload, Tensor) else Role.PLAIN

    @property
    def varies(self) -> Form | None:
        """By what a tensor of the device has another shape in each step, if that is known."""
        return self.payload.varies if isinstance(self.payload, Tensor) else None

    @property
    def is_device(self) -> bool:
        """Whether reading this value on the host may touch the device."""
        return self.kind is Kind.TENSOR

    def run(self) -> Value:
        """The same value after a cut: nothing of it is recorded any more."""
        if self.recorded == NOTHING and self.reduced is False:
            return self
        held = self.payload
        if isinstance(held, Tensor) and held.grown is not None:
            return self._replace(recorded=NOTHING, reduced=False, payload=held._replace(kept=True))
        return self._replace(recorded=NOTHING, reduced=False)


SEVERAL: Final = assumptions.assume("there are several replicas")


class Recursion(NamedTuple):
    """What a function returns that has called itself: what it returns where it does not."""


UNKNOWN: Final = Value(Kind.UNKNOWN)
RECURSION: Final = Value(Kind.UNKNOWN, payload=Recursion())
NONE: Final = Value(Kind.NONE)
HOST: Final = Value(Kind.HOST)


COUNTING: Final = "counter"
"""What the payload of a number says of itself that is counted up: it begins with some constant."""

XLA: Final = "xla"
"""The type of the devices that all this is about."""

MOST_TESTS: Final = 2
"""What is a tensor only where more tests came out some way is not known to be one."""

PERHAPS: Final = "on some ways only"
_PERHAPS_NONE: Final = frozenset({Kind.TENSOR, Kind.CONTAINER})


def join(a: Value, b: Value) -> Value:
    """The value that stands for "either `a` or `b`"."""
    if a is b or a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if isinstance(one.payload, Recursion):
            return other
        if one.kind is Kind.NONE:
            return other._replace(present=PERHAPS) if other.kind in _PERHAPS_NONE else other
    if a.present != b.present:
        present = PERHAPS if PERHAPS in (a.present, b.present) else None
        a, b = a._replace(present=present), b._replace(present=present)
        if a == b:
            return a
    recorded = a.recorded.join(b.recorded)
    reduced = a.reduced if a.reduced is b.reduced else None
    # What is reduced on one way only is so where there are several replicas.
    differs = (a.differs or b.differs) and reduced is not None
    assumes = either(a.assumes, b.assumes)
    history = a.history if a.history is b.history else False
    for one, other in ((a, b), (b, a)):
        if prevails_as_device(one, other):
            return one._replace(assumes=either(assumes, assumptions.IS_SET), differs=differs)
    for one, other in ((a, b), (b, a)):
        if other.role is Role.PERHAPS_MODULE and one.kind is Kind.TENSOR and one.role is not other.role:
            return join(one, worked_on(other))  # one branch has shown that it is a tensor
    if a.kind is b.kind:
        if a.payload == b.payload:
            return Value(a.kind, assumes, recorded, differs, reduced, a.payload, a.present, history)
        merged = _join_payload(a, b)
        if merged is None and a.kind not in _KEEPING_KIND:
            return Value(Kind.UNKNOWN, assumptions.NONE, recorded, differs, reduced)
        return Value(a.kind, assumes, recorded, differs, reduced, merged, a.present, history)
    kinds = {a.kind, b.kind}
    for one, other in ((a, b), (b, a)):
        if one.role is Role.PERHAPS_MODULE and other.kind is Kind.UNKNOWN and other.payload is None:
            # One branch moves it to the device of XLA, and the other, as to one of CUDA, where nobody looks.
            return one._replace(assumes=assumptions.both(one.assumes, assumptions.IS_SET), differs=differs)
    if Kind.TENSOR in kinds and kinds <= _NUMERIC:
        # A number that one branch leaves on the host is still a tensor in the other, with what is recorded.
        if Kind.UNKNOWN not in kinds:
            recorded = (a if a.kind is Kind.TENSOR else b).recorded
            history = a.history or b.history
        assumes = either(assumes, assumptions.IS_A_TENSOR)
        return Value(Kind.TENSOR, assumes, recorded, differs, reduced, history=history)
    for one, other in ((a, b), (b, a)):
        if one.kind in _OF_REPLICAS and other.kind in (Kind.CONSTANT, Kind.HOST):
            # What is said where there is one replica only says nothing of those where there are more.
            return one._replace(assumes=either(assumes, SEVERAL), differs=True)
        if one.kind is Kind.MODULE and other.role is Role.PERHAPS_MODULE:
            # One branch has shown that it is a module.
            return one._replace(assumes=assumptions.shown_by_use(assumes))
    if kinds <= _HOST_LIKE:
        for one, other in ((a, b), (b, a)):
            if other.kind is Kind.CONSTANT and getattr(one.payload, "what", "") == COUNTING:
                return Value(Kind.HOST, assumes, NOTHING, differs, reduced, one.payload)
        return Value(Kind.HOST, assumes, NOTHING, differs, reduced)
    if kinds == _STRUCTURES and all(map(_may_be_structure, (a, b))):
        # Such as what a model returns, as a tuple or as an object.
        structure = Tensor(Role.STRUCTURE)
        return Value(
            Kind.TENSOR, either(assumes, assumptions.IS_A_TENSOR), recorded, differs, reduced, structure
        )
    for one, unknown in ((a, b), (b, a)):
        if one.kind in _OUTLASTING and unknown.kind is Kind.UNKNOWN and unknown.payload is None:
            return Value(
                one.kind, either(assumes, assumptions.IS_SET), recorded, differs, reduced, one.payload
            )
    return Value(Kind.UNKNOWN, assumptions.NONE, recorded, differs, reduced)


def worked_on(value: Value) -> Value:
    """What takes part in an operation that modules do not have: if it was moved, it is a tensor."""
    if value.role is not Role.PERHAPS_MODULE:
        return value
    return value._replace(assumes=assumptions.shown_by_use(value.assumes), payload=None)


def of_role(value: Value, role: Role) -> Value:
    """The same tensor, which is something beside a tensor."""
    return value._replace(payload=Tensor(role, varies=value.varies))


def varying(value: Value, by: Form | None) -> Value:
    """The same tensor, of another shape in each step, if `by` says why."""
    if by is None:
        return value
    held = value.payload if isinstance(value.payload, Tensor) else Tensor()
    return value._replace(payload=held._replace(varies=by))


def as_long(result: Value, *tensors: Value) -> Value:
    """A result that is as long as some tensors: where something was appended to one, it grows, too."""
    for tensor in tensors:
        if isinstance(held := tensor.payload, Tensor) and held.grown is not None:
            grown = Tensor(
                result.role, grown=held.grown, kept=held.kept, varies=result.varies, picked=held.picked
            )
            return result._replace(payload=grown)
    return result


def rows_of(result: Value, tensor: Value) -> Value:
    """A result that is some rows of a tensor: where these grow, it is as long as they are."""
    taken = as_long(result, tensor)
    if isinstance(held := taken.payload, Tensor) and held.grown is not None:
        return taken._replace(payload=held._replace(picked=True))
    return taken


def is_xla_device(value: Value) -> bool:
    """Whether a value is a device of XLA, as far as is assumed."""
    return value.kind is Kind.DEVICE and getattr(value.payload, "type", "") == XLA


def _may_be_structure(value: Value) -> bool:
    """Whether a value is made of device tensors, or may be."""
    held = getattr(value.payload, "element", None)
    return value.kind is Kind.TENSOR or (
        isinstance(held, Value) and (held.kind is Kind.TENSOR or isinstance(held.payload, Recursion))
    )


def prevails_as_device(one: Value, other: Value) -> bool:
    """Whether `one` is a device of XLA and `other` what a program has in its place where there is none."""
    if one.kind is Kind.CONSTANT and other.kind is Kind.CONSTANT:
        written = getattr(other.payload, "value", None)
        return getattr(one.payload, "value", None) == XLA and written in _ELSEWHERE
    if not is_xla_device(one) or is_xla_device(other):
        return False
    if other.kind is Kind.CONSTANT:
        return isinstance(getattr(other.payload, "value", ""), str)
    return other.kind is Kind.DEVICE or (other.kind is Kind.UNKNOWN and other.payload is None)


_ELSEWHERE: Final = frozenset({"cpu", "cuda", "cuda:0", "mps"})
"""Devices as text, one of which a program takes where it does not take `"xla"`."""


def join_all(values: Iterable[Value], otherwise: Value) -> Value:
    """The value that stands for any of `values`; `otherwise` when there are none."""
    each = iter(values)
    first = next(each, None)
    return otherwise if first is None else reduce(join, each, first)


def _join_payload(a: Value, b: Value) -> Hashable:
    if isinstance(a.payload, tuple) and type(a.payload) is type(b.payload):
        join_payload = getattr(a.payload, "join", None)
        if join_payload is not None:
            joined: Hashable = join_payload(b.payload)
            return joined
    if Role.WINDOW in (a.role, b.role):
        return Tensor(Role.WINDOW)
    grown = [held for held in (a.payload, b.payload) if isinstance(held, Tensor) and held.grown is not None]
    # In one of the ways it grows, and that is enough.
    either = [Tensor(grown=held.grown, kept=held.kept, picked=held.picked) for held in grown]
    return max(either, key=_is_kept, default=None)


def _is_kept(tensor: Tensor) -> bool:
    return tensor.kept


class Traits(NamedTuple):
    """What holds for all values of one kind.

    Args:
        concerns_engine: What a function does with it may matter to the engine.
        idle: The engine has nothing to do with it.
        carries_state: Whoever gets it may step or cut behind our back.
        true: It always counts as true.
        numeric: It may stand where a device tensor stands in another branch.
        on_host: It lives on the host; two of these kinds join to a host value.
        outlasts_unknown: Where another branch leaves something unknown, it is still taken for what it is.
        keeps_kind: It stays of its kind when it is no longer known which of its kind it is.
        has_methods: What its attributes do is known by the kind.
        may_be_loader: It may turn out to be a loader of torch_xla, or pass one on.
    """

    concerns_engine: bool = False
    idle: bool = False
    carries_state: bool = False
    true: bool = False
    numeric: bool = False
    on_host: bool = False
    outlasts_unknown: bool = False
    keeps_kind: bool = False
    has_methods: bool = False
    may_be_loader: bool = False


TRAITS: Final[dict[Kind, Traits]] = {
    Kind.TENSOR: Traits(concerns_engine=True, numeric=True, keeps_kind=True, may_be_loader=True),
    Kind.HOST: Traits(idle=True, numeric=True, on_host=True, keeps_kind=True),
    Kind.DEVICE: Traits(concerns_engine=True, true=True, keeps_kind=True),
    Kind.MODULE: Traits(
        outlasts_unknown=True, concerns_engine=True, carries_state=True, true=True, has_methods=True
    ),
    Kind.PARAMETERS: Traits(concerns_engine=True, has_methods=True),
    Kind.OPTIMIZER: Traits(
        outlasts_unknown=True, concerns_engine=True, carries_state=True, true=True, has_methods=True
    ),
    Kind.SCALER: Traits(concerns_engine=True, carries_state=True, has_methods=True),
    Kind.LOADER: Traits(concerns_engine=True, carries_state=True, has_methods=True, outlasts_unknown=True),
    Kind.STATE_DICT: Traits(concerns_engine=True, has_methods=True),
    Kind.CALLABLE: Traits(concerns_engine=True, true=True, may_be_loader=True),
    Kind.CLASS: Traits(true=True),
    Kind.INSTANCE: Traits(may_be_loader=True),
    Kind.SCOPE: Traits(concerns_engine=True, has_methods=True),
    Kind.RANK_TEST: Traits(),
    Kind.ORDINAL: Traits(on_host=True, keeps_kind=True),
    Kind.CONTAINER: Traits(has_methods=True),
    Kind.CONSTANT: Traits(idle=True, numeric=True, on_host=True, keeps_kind=True),
    Kind.NAMESPACE: Traits(true=True),
    Kind.NONE: Traits(idle=True),
    Kind.UNKNOWN: Traits(idle=True, numeric=True, may_be_loader=True),
}


def kinds_that(trait: str) -> frozenset[Kind]:
    """The kinds for which a trait holds."""
    return frozenset(kind for kind, traits in TRAITS.items() if getattr(traits, trait))


_STRUCTURES: Final = frozenset({Kind.TENSOR, Kind.CONTAINER})
_NUMERIC: Final = kinds_that("numeric")
_HOST_LIKE: Final = kinds_that("on_host")
_OF_REPLICAS: Final = frozenset({Kind.ORDINAL, Kind.RANK_TEST})
_OUTLASTING: Final = kinds_that("outlasts_unknown")
_KEEPING_KIND: Final = kinds_that("keeps_kind")
