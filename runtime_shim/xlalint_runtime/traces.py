"""What Python asks torch to record between two cuts, operation by operation, and at which line."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode, _len_torch_function_stack, _pop_mode, _push_mode

from xlalint.knowledge.operations import GRAPH_NUMBERS
from xlalint.lazy.site import Site
from xlalint_runtime.sites import is_user_file, site_in

MOST_OPERATIONS = 20_000
"""A trace is not followed further than that."""

_CALLS_NO_GRAPH = frozenset({
    "__get__", "__set__", "detach", "detach_", "requires_grad_", "size", "dim", "numel", "stride",
    "is_floating_point", "is_complex", "__len__", "__repr__", "__format__", "item", "tolist", "cpu", "numpy",
    "register_hook", "retain_grad", "backward", "data_ptr", "element_size", "is_contiguous", "type",
})  # fmt: skip
"""Functions that record nothing, or nothing that the shape of a graph rests on."""
WRITING = "__setitem__"
_RETURNS_NOTHING = (WRITING, "_foreach_")
_INDEXING = frozenset({"__getitem__", WRITING})
_ARITHMETIC = re.compile(
    r"_{0,2}[ir]?(?:add|sub|mul|div|true_?div(?:ide)?|floor_?div(?:ide)?|mod|remainder|eq|ne|lt|le|gt|ge"
    r"|lerp|addcmul|addcdiv|subtract|multiply|divide)_{0,2}"
)
"""Operations whose numbers are data: another number is no other graph, but for 0 and 1."""
_DATA: dict[str, Collection[int | str]] = {
    name: {each for parameter in data for each in parameter} for name, data in GRAPH_NUMBERS.items() if data
}
"""Of other operations, those parameters whose numbers are that, by their place and their name."""
_NO_DATA: Collection[int | str] = frozenset()


class Shaped(NamedTuple):
    """What a graph knows of a tensor; of one that is `on_host` it is given a copy."""

    shape: tuple[int, ...]
    dtype: str
    on_host: bool = False


class Operation(NamedTuple):
    """One call of a function of torch.

    Args:
        name: The function.
        inputs: The tensors among its arguments.
        arguments: The others as text; a number that may be data is `#`.
        outputs: The tensors that it returned.
        numbers: The numbers that may be data.
        site: Where the user's code asked for it.
    """

    name: str
    inputs: tuple[Shaped, ...]
    arguments: tuple[str, ...]
    outputs: tuple[Shaped, ...]
    numbers: tuple[float, ...]
    site: Site

    @property
    def form(self) -> tuple[object, ...]:
        """By this the graph of the operation is known again, as far as numbers are data."""
        return self[:4]

    @property
    def computes_with_numbers(self) -> bool:
        """Whether its numbers are data, whole ones too."""
        return _is_arithmetic(self.name) or bool(GRAPH_NUMBERS.get(self.name))


class Trace(NamedTuple):
    """What was recorded between two cuts.

    Args:
        operations: In their order.
        batch: How many there were when a loader handed out its batch; None: none did.
        is_whole: Whether it begins at the cut, and not at the batch.
    """

    operations: tuple[Operation, ...]
    batch: int | None
    is_whole: bool

    def beside(self, other: Trace) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
        """The operations of both, from where both were recorded."""
        if self.is_whole and other.is_whole:
            return self.operations, other.operations
        return self.operations[self.batch or 0 :], other.operations[other.batch or 0 :]


class Recorder(TorchFunctionMode):  # type: ignore[misc]
    """Notes operations of this thread while it is on torch's stack of modes."""

    def __init__(self, fails: Callable[[Exception], None]) -> None:
        """Args: fails: is told of a fault of ours; then nothing is noted any more."""
        super().__init__()
        self._fails = fails
        self._known: dict[Operation, Operation] = {}
        """Steps record the same again: each operation is kept once."""
        self._noted: list[Operation] = []
        self._batch: int | None = None
        self._is_whole = True
        self.is_on = False

    def begin(self, *, at_cut: bool) -> None:
        """Note from here on. Modes of the user that lie above stay there, and can be left as they expect."""
        self._noted, self._batch, self._is_whole, self.is_on = [], None, at_cut, True
        above = [_pop_mode() for _ in range(_len_torch_function_stack())]
        if above and above[-1] is getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None):
            _push_mode(above.pop())  # The default device insists on being the lowest.
        _push_mode(self)
        for mode in reversed(above):
            _push_mode(mode)

    def batch(self) -> None:
        """A loader has handed out a batch."""
        self._batch = len(self._noted)

    def end(self) -> Trace:
        """Note no longer. Returns what was noted."""
        self.is_on = False
        above = []
        while _len_torch_function_stack():
            mode = _pop_mode()
            if mode is self:
                break
            above.append(mode)
        for mode in reversed(above):
            _push_mode(mode)
        noted, self._noted = tuple(self._noted), []
        return Trace(noted, self._batch, self._is_whole)

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        if self.is_on and len(self._noted) < MOST_OPERATIONS:
            name = getattr(function, "__name__", "")
            if name not in _CALLS_NO_GRAPH:
                try:
                    self._note(name, args, kwargs, result)
                except Exception as error:
                    self.is_on = False
                    self._fails(error)
        return result

    def _note(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None, result: Any) -> None:
        outputs = tuple(_shaped(result))
        if not outputs and not (name.startswith(_RETURNS_NOTHING) and any(_shaped(args[0]))):
            return
        site = _site()
        if site is None:
            return
        said = _Said(_is_arithmetic(name), of_index=name in _INDEXING)
        data = _DATA.get(name, _NO_DATA) if name != WRITING else {len(args) - 1}
        given = [*enumerate(args), *(kwargs or {}).items()]
        texts = []
        for which, each in given:
            text = said.data(each) if which in data and type(each) is int else said.text(each)
            if text is not None:
                texts.append(f"{which}={text}" if isinstance(which, str) else text)
        inputs = tuple(said.inputs)
        made = Operation(name, inputs, tuple(texts), outputs, tuple(said.numbers), site)
        self._noted.append(self._known.setdefault(made, made))


class _Said:
    """The arguments of one call, sorted by what they are to a graph."""

    def __init__(self, numbers_are_data: bool, *, of_index: bool) -> None:
        self._numbers_are_data = numbers_are_data
        self._of_index = of_index
        self.inputs: list[Shaped] = []
        self.numbers: list[float] = []

    def data(self, number: float) -> str:
        """A number that is no part of the graph."""
        self.numbers.append(number)
        return "#"

    def text(self, value: Any) -> str | None:
        """An argument as text; None: it is a tensor, or says nothing of the graph."""
        match value:
            case torch.Tensor():
                self.inputs.append(_of(value))
                return None
            case bool() | str() | None:
                return repr(value)
            case float():
                return self.data(value)
            case int() if self._numbers_are_data:
                return self.data(value)
            case slice(start=start, stop=stop, step=step):
                parts = ["" if part is None else self.text(part) or "tensor" for part in (start, stop, step)]
                return ":".join(parts if step is not None else parts[:2])
            case list() if self._of_index:
                return f"[{len(value)}]"  # the engine makes a tensor of it
            case list() | tuple():
                texts = [self.text(each) for each in value]
                if texts and not any(texts):
                    return None
                return f"({', '.join(text or 'tensor' for text in texts)})"
            case torch.device():
                return None
            case _ if isinstance(value, type(...)):
                return "..."
            case int() | torch.dtype():
                return str(value).removeprefix("torch.")
        return None


def _shaped(value: Any) -> Iterator[Shaped]:
    """The tensors of the device in a result."""
    if isinstance(value, torch.Tensor):
        if value.device.type == "xla":
            yield _of(value)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _shaped(each)


@cache
def _is_arithmetic(name: str) -> bool:
    return _ARITHMETIC.fullmatch(name) is not None


def _of(tensor: torch.Tensor) -> Shaped:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return Shaped(tuple(tensor.shape), dtype, tensor.device.type != "xla")


def _site() -> Site | None:
    """Where the user's code asks for what is noted now; None: nowhere."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            return site_in(frame)
        frame = frame.f_back
    return None
