"""What the analyzer knows of a value beside its kind: the payloads of `Value`.

Tuples are equal where they hold the same: a payload that says nothing but its class holds what it is called,
or it would equal another one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from functools import lru_cache, partial
from types import NoneType
from typing import Any, Final, NamedTuple

from xlalint.knowledge import functions
from xlalint.lazy import assumptions
from xlalint.lazy.assumptions import Assumptions, either
from xlalint.lazy.scopes import ScopeKind, Split
from xlalint.lazy.sharding import Mesh
from xlalint.lazy.site import Path, Site
from xlalint.lazy.values import (
    BY_IDENTITY,
    COUNTING,
    HOST,
    NONE,
    NOTHING,
    UNKNOWN,
    Form,
    Kind,
    Padded,
    Place,
    Ragged,
    Recorded,
    Recursion,
    Tensor,
    Value,
    Whole,
    join_all,
)
from xlalint.lazy.values import join as join_values
from xlalint.program.outline import Class, Function, Outline

DEEPEST: Final = 4
"""Containers nest so deep; deeper ones are unknown, or a loop that wraps a list in a list never ends."""
MOST_ITEMS: Final = 16
"""Of containers of more items only what they hold in all is known."""
MOST_KEYS: Final = 64
"""The same of mappings, in which programs write their settings."""
MOST_TARGETS: Final = 8
"""A callable, class or instance may be one of at most so many; more are unknown."""
MOST_MADE: Final = 16
"""A module may have been made at one of at most so many places; more are unknown."""


class Constant(NamedTuple):
    """A Python constant; the type keeps 1, 1.0 and True apart."""

    value: Any
    type_name: str


def constant(value: Any) -> Value:
    """The value of a literal."""
    if value is None:
        return NONE
    if value.__class__ in _SHARED:
        return _shared_constant(value)
    return Value(Kind.CONSTANT, payload=Constant(value, type(value).__name__))


_SHARED: Final = frozenset({bool, int, str})
"""Constants of these types that are equal are the same, whoever met one first; 0.0 and -0.0 are not."""


@lru_cache(maxsize=None, typed=True)
def _shared_constant(value: bool | int | str) -> Value:
    return Value(Kind.CONSTANT, payload=Constant(value, type(value).__name__))


def literal(value: Value | None) -> object:
    """The constant that a value is, for which None never stands; None when it is not known."""
    return value.payload.value if value is not None and isinstance(value.payload, Constant) else None


def identifier(parts: Collection[object]) -> Value | None:
    """The text that strings and numbers are put together to, where it may name something, such as a method;
    None for other texts, which decide nothing and would only tell calls apart."""
    known = [part for part in parts if isinstance(part, str | int)]
    text = "".join(map(str, known))
    return constant(text) if len(known) == len(parts) and text.isidentifier() else None


class Container(NamedTuple):
    """A list, tuple, set or dict. `items` when its length is known, else `element` stands for every element.

    `keys` are those of a dict; where `items` are not known, neither are they, and there are none here.
    `length` is known of a list to which each round of a loop appends something.
    """

    items: tuple[Value, ...] | None
    element: Value
    keys: tuple[object, ...] | None = None
    depth: int = 1
    length: Counter | None = None

    @property
    def grows(self) -> bool:
        """Whether each round of a loop that cuts the graph makes it longer."""
        return self.length is not None and self.length.begun is None

    def map(self, change: Callable[[Value], Value]) -> Container:
        """A container of the same form, with `change` made to all that it holds."""
        element = change(self.element)
        same = element is self.element
        items = None
        if self.items is not None:
            items = tuple(map(change, self.items))
            same = same and all(one is other for one, other in zip(items, self.items, strict=True))
        return self if same else self._replace(items=items, element=element)

    def under(self, key: object) -> Value:
        """What a dict has under a key: any of what it holds, where that is not known, but of several devices
        that of XLA, which a program is checked for."""
        if self.keys is not None and self.items is not None:
            known = self._for_xla() if key is None else key if key in self.keys else None
            if (key is not None or known is not None) and self.keys.count(known) == 1:
                return self.items[self.keys.index(known)]
        return self.element

    def _for_xla(self) -> object:
        """The word for a device of XLA among keys that are all words for devices."""
        words = {key.lower(): key for key in self.keys or () if isinstance(key, str)}
        ours = functions.XLA_DEVICES.intersection(words)
        others = words.keys() - ours
        if len(ours) != 1 or len(words) != len(self.keys or ()) or not others:
            return None
        return words[min(ours)] if others <= functions.OTHER_DEVICES | functions.HOSTS else None

    def join(self, other: Container) -> Container:
        """Either of two containers."""
        # Nothing can be taken out of an empty one.
        if self.items == () or other.items == ():
            element = other.element if self.items == () else self.element
        else:
            element = join_values(self.element, other.element)
        if (
            self.items is not None
            and other.items is not None
            and len(self.items) == len(other.items)
            and self.keys == other.keys
        ):
            both = join_values if self.keys is not None else _either
            items = tuple(map(both, self.items, other.items))
            return Container(items, element, self.keys, max(self.depth, other.depth))
        keyed = self.keys is not None and other.keys is not None
        if self.keys and other.keys:
            return self._with_keys_of(other, element)
        # One that is made anew on some ways does not grow: at the head of a loop that is seen to.
        mine, others = self.length, other.length
        length = mine.join(others) if mine is not None and others is not None else None
        return Container(None, element, () if keyed else None, max(self.depth, other.depth), length)

    def _with_keys_of(self, other: Container, element: Value) -> Container:
        """Either of two mappings that hold something: what one of them lacks is not known."""
        keys = tuple(dict.fromkeys((*(self.keys or ()), *(other.keys or ()))))
        one = dict(zip(self.keys or (), self.items or (), strict=True))
        two = dict(zip(other.keys or (), other.items or (), strict=True))
        items = tuple(join_values(one.get(key, UNKNOWN), two.get(key, UNKNOWN)) for key in keys)
        depth = max(self.depth, other.depth)
        known = len(keys) <= MOST_KEYS and None not in keys
        return Container(items if known else None, element, keys if known else (), depth)


def _either(one: Value, other: Value) -> Value:
    """What stands at one place in either of two containers: neither, where one has a constant there and the
    other None, as in `("data", None)` and `(None, "data")`."""
    kinds = {one.kind, other.kind}
    return HOST if kinds == {Kind.NONE, Kind.CONSTANT} else join_values(one, other)


ANY_KEY: Final = (None,)
"""The keys of a mapping that makes what nobody has put in: what it has under all others."""


def each_of(values: Sequence[Value]) -> Value:
    """What stands for each of several values that are held together: if one draws when called, they do."""
    element = join_all(values, HOST)
    made = element.payload
    if isinstance(made, Module) and not made.draws and any(map(_draws, values)):
        return element._replace(payload=made._replace(draws=True))
    return element


def _draws(value: Value) -> bool:
    return isinstance(value.payload, Module) and value.payload.draws


def container(items: list[Value], keys: tuple[object, ...] | None = None) -> Value:
    """A container of known length."""
    element = each_of(items)
    recorded = element.recorded
    depth = 1 + max((_depth(item) for item in (*items, element)), default=0)
    if depth > DEEPEST:
        return UNKNOWN
    if len(items) > (MOST_ITEMS if keys is None else MOST_KEYS):
        unknown = Container(None, element, None if keys is None else (), depth)
        return Value(Kind.CONTAINER, recorded=recorded, payload=unknown)
    return Value(Kind.CONTAINER, recorded=recorded, payload=Container(tuple(items), element, keys, depth))


def container_of(element: Value, *, keyed: bool = False) -> Value:
    """A container of unknown length, a dict if it is `keyed`."""
    depth = 1 + _depth(element)
    if depth > DEEPEST:
        return UNKNOWN
    held = Container(None, element, () if keyed else None, depth)
    return Value(Kind.CONTAINER, recorded=element.recorded, payload=held)


def listed(taken: Value) -> Value:
    """What was taken of something iterated: a parameter of a module, or one with its name, is that of now."""
    held = taken.payload
    if isinstance(held, Parameters) and held.is_one and not held.listed:
        return taken._replace(payload=held._replace(listed=True))
    if isinstance(held, Container) and any(item.kind is Kind.PARAMETERS for item in held.items or ()):
        return taken._replace(payload=held.map(listed))
    return taken


def _depth(value: Value) -> int:
    if isinstance(value.payload, Iterated):
        return 1 + _depth(value.payload.element)
    return value.payload.depth if isinstance(value.payload, Container) else 0


class Bound(NamedTuple):
    """A function of the project, perhaps bound to a receiver, with what it captured."""

    function: Function
    receiver: Value | None = None
    captured: tuple[tuple[str, Value], ...] = ()


class Known(NamedTuple):
    """A library function, by qualified name."""

    name: str


class Method(NamedTuple):
    """A method of a value of some kind, such as `loss.item`."""

    receiver: Value
    name: str
    path: str = ""


class Partial(NamedTuple):
    """`functools.partial` of a callable."""

    target: Value
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


class Opens(Enum):
    """What entering a scope does that is no scope of the engine's."""

    NOTHING = "nothing"
    STACK = "other scopes are entered through it, and left with it"
    PERHAPS_STEP = "it is one of several, of which not all are step scopes"
    EAGER = "eager mode is on inside"
    LAZY = "eager mode is off inside"
    PERHAPS_EAGER = "eager mode may be on inside"
    NO_GRAD = "autograd is off inside"
    GRAD = "autograd is on inside"
    PERHAPS_GRAD = "autograd may be on inside"
    AUTOCAST = "products are computed in lower precision inside"
    NO_AUTOCAST = "whatever autocast is around is off inside"
    OTHER_AUTOCAST = "operations on other devices than those of XLA are computed in lower precision inside"
    BFLOAT16_OF_CUDA = "the same in bfloat16, which raises where there is no device of CUDA"

    __hash__ = BY_IDENTITY


class Scoped(NamedTuple):
    """A callable that runs inside a scope of its own, such as a compiled function, or with autograd off."""

    target: Value
    scope: ScopeKind | Opens


class Dynamo(NamedTuple):
    """How `torch.compile` compiles what it was given at `site`.

    Args:
        backend: The name of the one that compiles it; None: it is not known.
        plain: Whether nothing is asked for that only the default backend takes.
        assumes: By which way the program came here, where it does so on some only.
    """

    site: Site
    backend: str | None = None
    plain: bool = True
    assumes: Assumptions = assumptions.NONE


class Compiled(NamedTuple):
    """A function that `torch.compile` made of another; of NONE: what it will make of what comes."""

    target: Value
    by: Dynamo


Target = Bound | Known | Method | Partial | Scoped | Compiled


class Targets(NamedTuple):
    """What a callable may be."""

    of: tuple[Target, ...]

    def join(self, other: Targets) -> Targets | None:
        """Either of two sets, unless there are too many."""
        both = tuple(dict.fromkeys((*self.of, *other.of)))
        return Targets(both) if len(both) <= MOST_TARGETS else None


def callable_value(target: Target) -> Value:
    """A callable of which we know the one target."""
    return Value(Kind.CALLABLE, payload=Targets((target,)))


class Classes(NamedTuple):
    """What a class may be: of the project, or a library's name."""

    of: tuple[Class | str, ...]

    def join(self, other: Classes) -> Classes | None:
        """Either of two sets, unless there are too many."""
        both = tuple(dict.fromkeys((*self.of, *other.of)))
        return Classes(both) if len(both) <= MOST_TARGETS else None


class Instance(NamedTuple):
    """An object: what its class may be, of the project or a library's name.

    `holds` says by name of an attribute what it holds there, where others of its class hold something else,
    and under `AS_MAPPING` what it holds as a mapping.
    """

    of: tuple[Class | str, ...]
    holds: tuple[tuple[str, Value], ...] = ()

    def join(self, other: Instance) -> Instance | None:
        """Either of two objects, unless there are too many classes."""
        both = tuple(dict.fromkeys((*self.of, *other.of)))
        holds = self.holds if self.holds == other.holds else ()
        return Instance(both, holds) if len(both) <= MOST_TARGETS else None


AS_MAPPING: Final = "[]"
"""Stands for the name of an attribute, for what an object holds that is a mapping itself."""


class Namespace(NamedTuple):
    """A module: of the project when `outline` is set, else only a qualified name."""

    name: str
    outline: Outline | None = None

    def join(self, other: Namespace) -> Namespace | None:
        """Either of two: names of one module of a library stay that, such as losses in a table."""
        module, _, _ = self.name.rpartition(".")
        if not module or module != other.name.rpartition(".")[0] or self.outline or other.outline:
            return None
        return Namespace(f"{module}.{SOME}")


SOME: Final = "SomeOfThem"
"""Stands for a name of a library's module of which it is not known which one it is."""


class Tie(NamedTuple):
    """Two names of one parameter, as an instance has them.

    Args:
        one, other: Such as `head.weight` and `embedding.weight`.
        again: The method that ties them, if anybody may call it.
        file: Where that was done to an instance, if its class does not do it.
    """

    one: str
    other: str
    again: str = ""
    file: str = ""


class Module(NamedTuple):
    """An `nn.Module`. `identity` is where it may have been made, `of` what its class may be, of the project.

    `or_other` says that it may as well be of a class that is none of the project. `parts` is the container
    of the modules that an `nn.ModuleList` or the like holds, where one of them may be of the project;
    `in_turn` says that a call goes through all of them, as in `nn.Sequential`. `training` is the mode that
    `train()` or `eval()` put it in, `by` says how `torch.compile` compiles it, and `draws` that a call of
    it draws random numbers while it trains. `shards_output_at` is where FSDPv2 wrapped it that shards what
    it returns by itself, which not all it may return stands. `is_part` says that it belongs to another,
    whose identity it has, `sharded` that each replica holds a part of its parameters, `on_host` that the
    host computes what it returns, wherever it is, `weighs` that it wants tensors of its own device, and
    `pairs` that what it is given must be on one device. `asks_as` is the class of torch that asks for the
    numbers of its masks, if it is of one, and `tied` is which two of its parameters somebody has made one
    since it was made. `adapted` says that only adapters are trained, which it has been given.
    """

    identity: Path
    place: Place
    of: tuple[Class, ...] = ()
    or_other: bool = False
    parts: Value | None = None
    in_turn: bool = False
    training: bool | None = None
    by: Dynamo | None = None
    draws: bool = False
    shards_output_at: Site | None = None
    is_part: bool = False
    sharded: bool = False
    on_host: bool = False
    weighs: bool = False
    pairs: bool = False
    asks_as: str = ""
    tied: Tie | None = None
    adapted: bool = False

    def join(self, other: Module) -> Module:
        """Either of two modules."""
        of = self.of if self.of == other.of else tuple(dict.fromkeys((*self.of, *other.of)))
        or_other = self.or_other or other.or_other or bool(self.of) is not bool(other.of)
        if len(of) > MOST_TARGETS or any(one.or_other and not one.of for one in (self, other)):
            of, or_other = (), True
        by = self.by or other.by
        if by is not None and self.by != other.by:
            by = by._replace(assumes=by.assumes or assumptions.IS_SET)
        both = self.parts is not None and other.parts is not None and self.in_turn == other.in_turn
        return Module(
            _either_of(self.identity, other.identity),
            self.place if self.place is other.place else Place.UNKNOWN,
            of,
            or_other,
            join_values(self.parts, other.parts) if both and self.parts and other.parts else None,
            both and self.in_turn,
            self.training if self.training is other.training else None,
            by,
            self.draws and other.draws,
            self.shards_output_at if self.shards_output_at == other.shards_output_at else None,
            self.is_part or other.is_part,
            self.sharded and other.sharded,
            self.on_host and other.on_host,
            self.weighs and other.weighs,
            self.pairs and other.pairs,
            self.asks_as if self.asks_as == other.asks_as else "",
            self.tied if self.tied == other.tied else None,
            self.adapted or other.adapted,
        )

    def plain(self) -> Module:
        """The same as a module of which only what all modules do is known."""
        return self._replace(of=(), or_other=False) if self.of or self.or_other else self

    @property
    def held(self) -> Container | None:
        """The modules that it holds, where they lie."""
        payload = self.parts.payload if self.parts is not None else None
        return payload.map(partial(placed, owner=self)) if isinstance(payload, Container) else None


def _either_of(one: Path, other: Path) -> Path:
    """Where either of two modules may have been made, in the order of the source; empty: unknown."""
    if one == other:
        return one
    both = tuple(sorted({*one, *other})) if one and other else ()
    return both if len(both) <= MOST_MADE else ()


def met_at(site: Site, place: Place) -> Module:
    """A module of a class that nobody sees, known from now on by where it was seen to be one. Who made it, or
    who else holds it, nobody knows."""
    return Module((site,), place, or_other=True)


class Optimizer(NamedTuple):
    """An optimizer: over which module, where that was when it was built, and where it moved.

    `reduces` says that its step sums the gradients over the replicas, `syncfree` that it skips a step by
    itself when it is told `found_inf`.
    """

    over: Path
    place: Place
    built: Site | None
    stale: Path = ()
    cls: Class | None = None
    reduces: bool = False
    syncfree: bool = False

    def join(self, other: Optimizer) -> Optimizer:
        """Either of two optimizers; stale only if both are."""
        return Optimizer(
            _either_of(self.over, other.over),
            self.place if self.place is other.place else Place.UNKNOWN,
            self.built if self.built == other.built else None,
            self.stale if self.stale and other.stale else (),
            self.cls if self.cls is other.cls else None,
            self.reduces and other.reduces,
            self.syncfree and other.syncfree,
        )


class OfNumpy(NamedTuple):
    """An array or a number of NumPy's, which is no number of Python's."""

    what: str = "of NumPy"


class Fallback(NamedTuple):
    """What a program falls back on where nobody gives another number, such as 8 in `args.cores or 8`."""

    number: int
    what: str = "unless another is given"


class Options(NamedTuple):
    """What the command line says, by a parser that this module makes, with the help of what it imports.

    `followed` says that nothing is unknown of how it came here, so that all of it is of the host; `fields`
    says that they are fields of classes.
    """

    outline: Outline
    followed: bool
    fields: bool = False


class Switch(NamedTuple):
    """An option of the command line that is off unless somebody asks for it: what that assumes, in words."""

    clause: str
    what: str = "off by default"


def computed_of(*values: Value) -> Uneven | Chance | Rows | OfNumpy | Copied | None:
    """What an operator makes of values of the host: uneven, drawn, NumPy's, made up or a tensor, if one of
    them is."""
    if (uneven := uneven_of(*values)) is not None:
        return uneven
    made = made_up(*values)
    if is_drawn(*values):
        return Chance() if made is None else Rows(is_tensor=any(map(is_host_tensor, values)), drawn=Chance())
    if any(isinstance(value.payload, OfNumpy) for value in values):
        return OfNumpy()
    if any(map(is_host_tensor, values)):
        return Copied() if made is None else Rows(is_tensor=True)
    return made


def is_host_tensor(value: Value) -> bool:
    """Whether a value is surely a tensor, and on the CPU if no other device is the default."""
    if value.kind is not Kind.HOST or value.assumes:
        return False
    held = value.payload
    return isinstance(held, Copied) or (isinstance(held, Rows) and held.is_tensor)


def is_off_device(value: Value) -> bool:
    """Whether a value, where only a tensor can be, is surely on the CPU if no other device is the default."""
    if value.kind is not Kind.HOST or value.assumes:
        return False
    held = value.payload
    if isinstance(held, Batch):
        return held.surely
    return isinstance(held, Copied) or (isinstance(held, Rows) and not held.given)


def uneven_of(*values: Value) -> Uneven | None:
    """The first of some values that has another shape in each step, as far as that is known."""
    return next((held for value in values if isinstance(held := value.payload, Uneven)), None)


def is_drawn(*values: Value) -> bool:
    """Whether one of some values was drawn at random on the host, or is a tensor of such a number."""
    return any(_chance_of(value) is not None for value in values)


def _chance_of(value: Value) -> Chance | None:
    held = value.payload
    return held if isinstance(held, Chance) else held.drawn if isinstance(held, Rows) else None


def settled_chance(value: Value) -> Value:
    """A number that was drawn at random, known to be drawn no more."""
    if isinstance(held := value.payload, Rows) and held.drawn is not None:
        return value._replace(payload=held._replace(drawn=None))
    return value._replace(payload=None) if isinstance(held, Chance) else value


def drawn_of(*values: Value, rounded: bool = False) -> Chance | None:
    """What is computed of numbers of which one was drawn, and still is: their sum, or the larger one.

    Args:
        rounded: Whether it is rounded to a whole number.
    """
    drawn = [held for value in values if (held := _chance_of(value)) is not None]
    return Chance(rounded or any(held.whole for held in drawn)) if drawn else None


def taken_from(value: Value) -> Batch | None:
    """What is taken out of a value, or computed of it: part of a batch, if that is what it is."""
    return value.payload if isinstance(value.payload, Batch) else None


def made_up(*values: Value) -> Rows | None:
    """What is computed of values: made up, if one of them is."""
    return Rows() if any(isinstance(value.payload, Rows) for value in values) else None


class Device(NamedTuple):
    """A device; `type` is what `torch.device.type` would say, empty when that is not known."""

    type: str = ""

    def join(self, other: Device) -> Device:
        """Either of two devices."""
        return self if self == other else Device()


class Parameters(NamedTuple):
    """Parameters of a module: where that may have been made, and where they live. `is_one` says that it is a
    single one, of which an index takes a part, and not several, of which it takes one. `listed` says that it
    was taken of them: it stays what it is, also when the module has moved and has others."""

    of: Path
    place: Place
    is_one: bool = False
    listed: bool = False

    def join(self, other: Parameters) -> Parameters | None:
        """Either of the same parameters, listed or not; None where they are others."""
        plain = self._replace(listed=False)
        return plain if plain == other._replace(listed=False) else None


class StateDict(NamedTuple):
    """A state dict of a module whose parameters live at `place`, or of the optimizer built at `optimizer`.

    `sharded` says that each replica has another part of the state.
    """

    place: Place
    optimizer: Site | None = None
    sharded: bool = False

    def join(self, other: StateDict) -> StateDict:
        """Either of two, such as with copies on the host or without."""
        return StateDict(
            self.place if self.place is other.place else Place.UNKNOWN,
            self.optimizer if self.optimizer == other.optimizer else None,
            self.sharded and other.sharded,
        )


class Batch(NamedTuple):
    """What a loader of torch yields, on the host, or what is taken out of that.

    `surely` says that nothing that the loader goes over can be on a device.
    """

    surely: bool = False
    what: str = "batch"


class OfHost(NamedTuple):
    """An ordinal that counts the replicas of one host alone, and where it is asked for, if in one place."""

    asked: Site | None = None
    what: str = "of one host"

    def join(self, other: OfHost) -> OfHost:
        return self if self == other else OfHost()


class OfAllHosts(NamedTuple):
    """How many replicas there are, on all hosts together."""

    what: str = "of all hosts"


class OnHost(NamedTuple):
    """Something unknown that was moved to the host: a module or a tensor."""

    what: str = "on the host"


class Buffer(NamedTuple):
    """A tensor that a module keeps beside its parameters, and takes along where it moves."""

    what: str = "buffer"


class Scaler(NamedTuple):
    """A gradient scaler, perhaps of a class of the project. One that is disabled does nothing.

    `of_xla` says that it is torch_xla's own, which tells syncfree optimizers `found_inf` on the device, and
    `zeroes` that it tells others to step by nothing instead of asking. `elsewhere` says that it was made for
    another device.
    """

    cls: Class | None = None
    enabled: bool = True
    of_xla: bool = False
    zeroes: bool = False
    elsewhere: bool = False


class Loader(NamedTuple):
    """Something iterated: what it yields, whether each `next` cuts (None: perhaps), whether
    running out of it cuts once more, and whether its last batch is smaller than the others. `anew` is the
    call that makes it and where, if that is in a loop and starts threads. `whole` leads to where it was made,
    if every replica goes through all the samples. `of_xla` says that it is one of torch_xla's own, `once` is
    the call that makes it, if it gives its batches only once. `padded` tells what fills its batches up to
    their longest sequence."""

    element: Value
    cuts: bool | None = False
    cuts_at_end: bool = False
    ragged: Ragged | None = None
    anew: tuple[str, Site] | None = None
    whole: Whole | None = None
    of_xla: bool = False
    once: str = ""
    padded: Padded | None = None

    def join(self, other: Loader) -> Loader:
        """Either of two loaders."""
        return Loader(
            join_values(self.element, other.element),
            self.cuts if self.cuts == other.cuts else None,
            self.cuts_at_end and other.cuts_at_end,
            self.ragged if self.ragged == other.ragged else None,
            self.anew if self.anew == other.anew else None,
            self.whole if self.whole == other.whole else None,
            self.of_xla and other.of_xla,
            self.once if self.once == other.once else "",
            self.padded if self.padded == other.padded else None,
        )


class Rows(NamedTuple):
    """What a program makes up on the host, such as a tensor of random numbers, or a well-known dataset,
    with the number of its rows; None: it is not known. `given` says that it is a dataset, which has as many
    as it has, `shared` that replicas get equal parts of it, of which nobody knows how many there are,
    `is_tensor` that it is surely a tensor, `drawn` that it is one of a single number, which chance decides
    on."""

    number: int | None = None
    given: bool = False
    shared: bool = False
    is_tensor: bool = False
    drawn: Chance | None = None

    def join(self, other: Rows) -> Rows:
        """Either of two."""
        if self == other:
            return self
        given, shared = self.given and other.given, self.shared and other.shared
        return Rows(given=given, shared=shared, is_tensor=self.is_tensor and other.is_tensor)


class Copied(NamedTuple):
    """A tensor of the host that torch has made of what it was given: of numbers, or of an array."""

    what: str = "copied"


class Collator(NamedTuple):
    """What puts batches together for a loader, and fills them up to their longest text."""

    padded: Padded


class Plateau(NamedTuple):
    """A scheduler that compares, at each step, the metric that it gets with those before."""

    what: str = "scheduler"


class OpenFile(NamedTuple):
    """A file that was opened at `path` to be written, by every replica that there is."""

    path: Path

    def join(self, other: OpenFile) -> OpenFile | None:
        """Either of two files."""
        return self if self == other else None


class Counter(NamedTuple):
    """A number of Python's that is another one in each step: what counts the iterations of a loop that
    cuts the graph.

    Args:
        is_length: It is how long a stretch is, or where it begins alone.
        begun: Where it was counted up, until it is seen that each step does so; None: that is seen.
        comes_again: The same numbers come again in each round of a loop around.
        cut: The graph was cut since it was counted up.
    """

    is_length: bool = False
    begun: Site | None = None
    comes_again: bool = False
    cut: bool = False
    what: str = COUNTING

    def join(self, other: Counter) -> Counter:
        """Either of two: in one of the ways it is another one in each step, and that is enough."""
        is_known = self.begun is None or other.begun is None
        return Counter(
            self.is_length and other.is_length,
            None if is_known else self.begun,
            self.comes_again and other.comes_again,
            not is_known and (self.cut or other.cut),
        )

    def counted(self, site: Site, *, in_loop: bool) -> Counter:
        """What comes of it where it is counted up at `site`, in a loop or not."""
        again = in_loop and self.cut and self.begun == site
        return Counter() if self.begun is None or again else Counter(begun=site)

    def run(self) -> Counter:
        """The same after a cut."""
        return self._replace(cut=True) if self.begun is not None and not self.cut else self


class Uneven(NamedTuple):
    """A tensor of the host that has another shape in each step, and by what; `padded`: how, if of texts."""

    by: Form
    padded: Padded | None = None


class Chance(NamedTuple):
    """A number drawn at random on the host, or whether one came out some way.

    Args:
        whole: Whether it is an integer.
        below_one: Whether it is one from 0 on that is less than 1.
    """

    whole: bool = False
    below_one: bool = False

    def join(self, other: Chance) -> Chance:
        """Either of two."""
        return Chance(self.whole and other.whole, self.below_one and other.below_one)


class Shared(NamedTuple):
    """What several new objects of a class hold, of which one table tells: nought, or a sum made from it.

    Args:
        begun: Whether something was added. The sum differs between replicas if all that was added does.
    """

    begun: bool = False

    def join(self, other: Shared) -> Shared:
        """Either of two."""
        return Shared(self.begun or other.begun)


class Moment(NamedTuple):
    """How many of the statements of a module that bind names anew may have run."""

    passed: int
    is_moment: bool = True
    """Tells it from records of other numbers."""


class Clock(NamedTuple):
    """What a clock has shown.

    Args:
        read: Where it was read.
        after: Where one was read before, with work on the device since that nothing has waited for.
        launched: Whether no heavy work is left that is recorded and does not run yet.
    """

    read: Site
    after: Site | None = None
    launched: bool = True


class Iterated(NamedTuple):
    """An iterator around what may be a loader: what it yields, and what it goes over.

    A loop over it is a loop over the latter, except for what its variables are.
    """

    element: Value
    over: Value

    def join(self, other: Iterated) -> Iterated:
        """Either of two iterators."""
        return Iterated(join_values(self.element, other.element), join_values(self.over, other.over))


class Fields(NamedTuple):
    """What something unknown was given that matters to the engine: `args.device = torch_xla.device()`.

    `options` are those of the command line, if that is what it was before.
    """

    given: tuple[tuple[str, Value], ...]
    options: Options | None = None

    def under(self, name: str) -> Value | None:
        """What it was given under a name, as an attribute or by key."""
        return dict(self.given).get(name)

    def with_(self, name: str, value: Value) -> Fields:
        """The same, with one more or another."""
        return self._replace(given=tuple(sorted({**dict(self.given), name: value}.items())))

    @property
    def recorded(self) -> Recorded:
        """What is recorded on all that it was given."""
        held = [value.recorded for _, value in self.given]
        return Recorded(max(each.must for each in held), max(each.may for each in held)) if held else NOTHING

    def map(self, how: Callable[[Value], Value]) -> Fields:
        """The same, each as `how` makes it."""
        return self._replace(given=tuple((name, how(value)) for name, value in self.given))

    def join(self, other: Fields) -> Fields:
        """Either of two: what both were given."""
        theirs = dict(other.given)
        shared = ((name, join_values(value, theirs[name])) for name, value in self.given if name in theirs)
        return Fields(tuple(shared), self.options if self.options == other.options else None)


NO_GRAD: Final = {Opens.NO_GRAD: True, Opens.GRAD: False, Opens.PERHAPS_GRAD: None}
"""Whether autograd is off inside a scope that sets it."""


class Opening(NamedTuple):
    """A scope that has been made, perhaps at `made`, but not entered: what `torch_xla.step()` returns."""

    scope: ScopeKind | None
    spelling: str
    effect: Opens = Opens.NOTHING
    made: Site | None = None

    def join(self, other: Opening) -> Opening | None:
        """Either of two scopes."""
        if self.scope is other.scope and self.effect is other.effect:
            return self._replace(made=self.made if self.made == other.made else None)
        for one in (self, other):
            if one.effect is Opens.PERHAPS_STEP or (one.scope is not None and one.scope.is_step):
                return Opening(None, one.spelling, Opens.PERHAPS_STEP)
        return None


class Managed(NamedTuple):
    """A context manager made of a generator function of the project, called but not entered."""

    bound: Bound
    names: tuple[tuple[str, Value], ...]
    captured: tuple[tuple[str, Value], ...]


class RankTest(NamedTuple):
    """A truth value that tells replicas apart; `master` is what it is on the master.

    `assumes` and `assumes_else` are what must be so for all replicas of one sort to go where the test is
    true, and where it is false: `is_master and step == 0` lets only the master in, but keeps out anyone.
    """

    master: bool = True
    assumes: Assumptions = assumptions.NONE
    assumes_else: Assumptions = assumptions.NONE

    def negated(self) -> RankTest:
        """The test with `not` before it."""
        return RankTest(not self.master, self.assumes_else, self.assumes)

    def splits(self, site: Site) -> tuple[Split, Split]:
        """How it parts the replicas at `site`: those for which it holds, and the others."""
        return (
            Split(site, True, self.assumes, self.master),
            Split(site, False, self.assumes_else, not self.master),
        )

    def join(self, other: RankTest) -> RankTest:
        """Either of two tests; of opposite ones nothing is certain."""
        if self.master is not other.master:
            return RankTest(True, assumptions.MANY, assumptions.MANY)
        return RankTest(
            self.master,
            either(self.assumes, other.assumes),
            either(self.assumes_else, other.assumes_else),
        )


COUNTER: Final = Value(Kind.HOST, payload=Counter())


def counts(value: Value) -> bool:
    """Whether a number, or one of those in an index, is another one in each step."""
    if isinstance(held := value.payload, Container):
        return _is_whole(held.element.payload) if held.items is None else any(map(counts, held.items))
    return (isinstance(held, Counter) and held.begun is None) or _is_whole(held)


def _is_whole(held: object) -> bool:
    """Whether it is drawn at random, as an integer."""
    return isinstance(held, Chance) and held.whole


def counter_of(*values: Value, is_length: bool = False) -> Counter:
    """What is computed of numbers of which some are others in each step."""
    return Counter(is_length, comes_again=all(map(comes_again_in_each_epoch, values)))


def comes_again_in_each_epoch(value: Value) -> bool:
    """Whether a number, or all of those in an index, are the same ones in each round of a loop around."""
    if isinstance(held := value.payload, Container):
        return all(map(comes_again_in_each_epoch, (held.element,) if held.items is None else held.items))
    return held.comes_again if isinstance(held, Counter) else not counts(value)


PAYLOADS: Final[dict[Kind, tuple[type, ...]]] = {
    Kind.TENSOR: (Tensor, NoneType),
    Kind.HOST: (
        Batch,
        Buffer,
        Chance,
        Clock,
        Collator,
        Copied,
        Counter,
        Fallback,
        Mesh,
        Moment,
        OfAllHosts,
        OfNumpy,
        OpenFile,
        Options,
        Plateau,
        Rows,
        Shared,
        Switch,
        Uneven,
        NoneType,
    ),
    Kind.DEVICE: (Device,),
    Kind.MODULE: (Module,),
    Kind.PARAMETERS: (Parameters,),
    Kind.OPTIMIZER: (Optimizer,),
    Kind.SCALER: (Scaler,),
    Kind.LOADER: (Loader,),
    Kind.STATE_DICT: (StateDict,),
    Kind.CALLABLE: (Targets,),
    Kind.CLASS: (Classes,),
    Kind.INSTANCE: (Instance,),
    Kind.SCOPE: (Opening, Managed),
    Kind.RANK_TEST: (RankTest,),
    Kind.ORDINAL: (OfHost, NoneType),
    Kind.CONTAINER: (Container,),
    Kind.CONSTANT: (Constant, NoneType),
    Kind.NAMESPACE: (Namespace,),
    Kind.NONE: (NoneType,),
    Kind.UNKNOWN: (Iterated, Fields, OnHost, Recursion, NoneType),
}
"""What the payload of a value of each kind is. No class belongs to two kinds, so that asking for the
class of a payload asks for the kind, too. A constant without payload is one of several."""


def elements(value: Value | None) -> list[Value]:
    """The elements of a container of known length; nothing for anything else."""
    if value is not None and isinstance(value.payload, Container) and value.payload.items is not None:
        return list(value.payload.items)
    return []


def of_model(element: Value) -> bool:
    """Whether what is iterated goes along a model's parameters or layers, of which there are some."""
    if isinstance(element.payload, Container):
        return any(of_model(item) for item in element.payload.items or ())
    return element.kind in _OF_MODELS


_OF_MODELS: Final = frozenset({Kind.PARAMETERS, Kind.MODULE})


def classes_of(value: Value) -> tuple[Class | str, ...]:
    """What the class of an object may be; nothing when that is not known."""
    payload = value.payload
    # Asked for nearly every value; a union of classes would be made anew each time.
    return payload.of if type(payload) is Instance or type(payload) is Module else ()


DEVICE_XLA: Final = Value(Kind.DEVICE, payload=Device("xla"))
DEVICE_HOST: Final = Value(Kind.DEVICE, payload=Device("cpu"))
DEVICE_UNKNOWN: Final = Value(
    Kind.DEVICE, assumptions.assume("the device is an XLA device"), payload=Device()
)


def run(value: Value) -> Value:
    """The value after a cut: nothing in it is recorded any more."""
    payload = value.payload
    if isinstance(payload, Container):
        length = payload.length
        if length is not None and (after := length.run()) is not length:
            payload = payload._replace(length=after)
            value = value._replace(payload=payload)
        if value.recorded.may or payload.element.recorded.may:
            return value.run()._replace(payload=payload.map(run))
        return value
    if isinstance(payload, Iterated):
        return value.run()._replace(payload=Iterated(run(payload.element), run(payload.over)))
    if isinstance(payload, Counter) and (counted := payload.run()) is not payload:
        return value._replace(payload=counted)
    if isinstance(payload, Fields):
        return value.run()._replace(payload=payload.map(run))
    return value.run()


def view_of(value: Value) -> Value:
    """A value that is another view of a tensor, which stays pending where the view is read."""
    return value._replace(history=False) if value.history is None else value


def freed(value: Value) -> Value:
    """The value after gradients were computed: autograd has let go what it had kept for them."""
    held = value.payload
    if isinstance(held, Container):
        inside = held.element.history or any(item.history for item in held.items or ())
        return value._replace(payload=held.map(freed)) if inside else value
    if isinstance(held, Fields):
        return value._replace(payload=held.map(freed))
    return value._replace(history=False) if value.history else value


def gathered(value: Value) -> Value:
    """What a model computes of which each replica holds a part: they all must take part in it."""
    held = value.payload
    if isinstance(held, Container | Fields):
        return value._replace(payload=held.map(gathered))
    return value._replace(reduced=True) if value.kind is Kind.TENSOR else value


def settled(value: Value) -> Value:
    """What a function returns at last: of what it only returns if it calls itself nothing is known."""
    held = value.payload
    if isinstance(held, Container):
        return value._replace(payload=held.map(settled))
    return UNKNOWN if isinstance(held, Recursion) else value


def kept(value: Value) -> Value:
    """The value after a graph has run that it may be in: where it grows, each round has another one."""
    held = value.payload
    if isinstance(held, Container):
        return value._replace(payload=held.map(kept)) if value.recorded.may else value
    if isinstance(held, Tensor) and held.grown is not None and not held.kept:
        return value._replace(payload=held._replace(kept=True))
    return value


def grown(value: Value) -> Value:
    """A list, and the lists in it, when the loop has ended whose rounds have appended to it."""
    held = value.payload
    return (
        value._replace(payload=held.map(grown)._replace(length=None))
        if isinstance(held, Container)
        else value
    )


def targets(value: Value) -> tuple[Target, ...]:
    """What a callable may be; nothing when unknown."""
    return value.payload.of if isinstance(value.payload, Targets) else ()


def has_effect(value: Value, effect: str) -> bool:
    """Whether a callable may be a function of a library that has some effect."""
    return any(isinstance(t, Known) and functions.FUNCTIONS[t.name] == effect for t in targets(value))


def unknown_from(*values: Value) -> Value:
    """An unknown value that depends on `values`."""
    for value in values:
        if value.differs:
            return _UNKNOWN_DIFFERS
    return UNKNOWN


_UNKNOWN_DIFFERS: Final = UNKNOWN._replace(differs=True)


def placed(value: Value, owner: Module) -> Value:
    """A module or tensor that belongs to `owner`: it lives where `owner` lives."""
    held = value.payload
    if isinstance(held, Module):
        # A part moves when the whole does, wherever it was, and is in its mode.
        moved = held.place is Place.HOST or (held.place is Place.UNKNOWN and owner.place is Place.XLA)
        place = owner.place if moved else held.place
        training = held.training if owner.training is None else owner.training
        identity = owner.identity or held.identity
        sharded = held.sharded or owner.sharded
        part = held._replace(identity=identity, place=place, training=training, is_part=True, sharded=sharded)
        return value._replace(payload=part)
    if isinstance(held, Parameters) and held.place is Place.HOST:
        return value._replace(payload=held._replace(place=owner.place))
    if isinstance(held, Buffer) and owner.place is not Place.HOST:
        return Value(Kind.TENSOR) if owner.place is Place.XLA else UNKNOWN
    if isinstance(held, Container):
        return value._replace(payload=held.map(lambda item: placed(item, owner)))
    return value
