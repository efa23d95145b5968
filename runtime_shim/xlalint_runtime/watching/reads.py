"""Values that are read on the host or written to files: what launches a graph between cuts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType
from typing import Any, Final

import torch
import torch_xla

from xlalint.knowledge.classes import ASKING_OF_MASKS
from xlalint.lazy.events import Reading
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import Weight
from xlalint_runtime import counters, pending, replicas, separate
from xlalint_runtime.sites import (
    callee,
    changed_on_cpu,
    frames_below_user,
    is_closure_argument,
    is_tracing,
    user_chain,
    written,
)
from xlalint_runtime.summary import Launch
from xlalint_runtime.watch import Hook, Transition, Watch

_READS = {
    "item": (Reading.EXPLICIT, ".item()"),
    "tolist": (Reading.EXPLICIT, ".tolist()"),
    "cpu": (Reading.EXPLICIT, ".cpu()"),
    "numpy": (Reading.EXPLICIT, ".numpy()"),
    "to": (Reading.EXPLICIT, ".to()"),
    "__float__": (Reading.SCALAR, "float()"),
    "__int__": (Reading.SCALAR, "int()"),
    "__bool__": (Reading.BOOL, "bool()"),
    "__index__": (Reading.INDEX, "int()"),
    "__repr__": (Reading.TEXT, "repr()"),
    "__format__": (Reading.FORMAT, "format()"),
}
"""The methods by which a tensor is read, and how it is shown where the source does not tell more."""

_OF_NUMBERS = {"item", "__float__", "__int__"}
_OF_ROWS = "tolist"
_LOOKING = _OF_NUMBERS | {"__bool__", "__index__"}
"""Those that look at a number and leave the tensor as it is: what it needs still waits for a cut."""

_SHOWS_FOR_THE_USER = {"master_print"}


_INTO_HOST = ("__iadd__", "__isub__", "__imul__", "__itruediv__", "__setitem__", "copy_")
"""The methods by which a tensor on the CPU takes up one of the device, which is read for that; but for those
that optimizers call for each parameter, such as `add_`."""


def _read(watch: Watch, original: Any) -> Any:
    """A tensor's method reads it on the host."""
    method = original.__name__

    @functools.wraps(original)
    def read(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if not pending.is_device_tensor(tensor):
            replica = watch.replica
            if method == "to" and id(tensor) in replica.batch:
                # Not told as a place: a round may move several tensors at one, and places count rounds.
                replica.batch = frozenset()
                watch.model.move_batch(replica.state)
            return original(tensor, *args, **kwargs)
        with counters.known_reads():
            return of_device(tensor, *args, **kwargs)

    def of_device(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        act = functools.partial(original, tensor, *args, **kwargs)
        if method == "to" and not _to_host(args, kwargs):
            return act()
        if method == "numpy":
            if not (kwargs.get("force") or any(args)):
                return act()  # it raises, and has run nothing
            if replicas.running():  # `numpy` lets no other thread run while it waits for a collective
                act = functools.partial(_numpy_of_copy, tensor)
        return _of_device(watch, tensor, method, act)

    return read


def _numpy_of_copy(tensor: torch.Tensor) -> Any:
    """What `numpy(force=True)` returns."""
    return tensor.detach().cpu().numpy(force=True)


def _read_into_host(watch: Watch, original: Any) -> Any:
    """A tensor on the CPU is changed in place, by one that may be on the device."""
    method = original.__name__
    place = 1 if method == "__setitem__" else 0  # there the index comes first

    @functools.wraps(original)
    def change(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        act = functools.partial(original, tensor, *args, **kwargs)
        taken = args[place] if len(args) > place else None
        if not (isinstance(taken, torch.Tensor) and pending.is_device_tensor(taken)):
            return act()
        with counters.known_reads():
            return _of_device(watch, taken, method, act)

    return change


def _takes_nothing_of_device(_: Watch, args: tuple[Any, ...]) -> bool:
    return args[0].is_xla or not any(isinstance(each, torch.Tensor) and each.is_xla for each in args[1:])


def _of_device(watch: Watch, tensor: torch.Tensor, method: str, act: Callable[[], Any]) -> Any:
    """Tell of a tensor of the device that a method reads on the host, and do it."""
    reading, spelling = _READS.get(method, (Reading.INTO_HOST, f"{method}()"))
    if watch.this_thread.is_launching or is_tracing() or _is_internal() or not (chain := user_chain()):
        return act()
    graph = pending.graph_of([tensor])
    value, of_part = pending.value_of(graph), pending.is_part(graph)
    one_of_many = method in _OF_NUMBERS or (method == _OF_ROWS and of_part)
    unless = _spared_by() if reading is Reading.BOOL else ""

    def transition(state: State, site: Site) -> None:
        how, shown = _as_written(reading, spelling, site)
        if unless not in ("", _VALIDATE):
            how = Reading.MASK
        argument = is_closure_argument(site) and not state.scopes.in_closure
        if not reading.as_bool and value.recorded.must is Weight.LIGHT and state.scopes.step is None:
            site = watch.replica.between_steps(chain)
        one_by_one = one_of_many and separate.computes_each(chain)
        watch.model.read(
            state, value, how, shown, site, closure_argument=argument, one_by_one=one_by_one, unless=unless
        )
        watch.has_read(graph)
        if one_of_many:
            watch.number_read(chain, value.recorded, of_part=of_part)

    looks = method in _LOOKING or (method == "__format__" and tensor.dim() == 0)
    result = watch.launch(chain, Launch.READ, [tensor], transition, act, leaves_pending=looks)
    if value.recorded.must is Weight.HEAVY:
        watch.was_read(tensor)
    return result


def _is_on_host(_: Watch, args: tuple[Any, ...]) -> bool:
    """Whether the tensor is none of the device: optimizers read the numbers of their steps, one by one."""
    return bool(args) and not args[0].is_xla


def _moves_no_batch(watch: Watch, args: tuple[Any, ...]) -> bool:
    return _is_on_host(watch, args) and not watch.replica.batch


def _save(watch: Watch, original: Any) -> Any:
    """`torch.save`, in either of its formats, also of what `xm.save` has left on the device."""

    @functools.wraps(original)
    def save(obj: Any, *args: Any, **kwargs: Any) -> Any:
        tensors = [tensor for tensor in pending.tensors_in(obj) if pending.is_device_tensor(tensor)]
        chain, by_xla = user_chain(), _is_saved_by_xla()
        if not tensors or not chain or (_is_internal() and not by_xla):
            return original(obj, *args, **kwargs)
        has_parameters = pending.has_parameters(obj)
        transition = _saving(watch, tensors, by_xla=by_xla, has_parameters=has_parameters)
        act = functools.partial(original, obj, *args, **kwargs)
        return watch.launch(chain, Launch.SAVE, tensors, transition, act)

    return save


def _sync_multi(watch: Watch, original: Any) -> Any:
    """What `xm.save` launches before it writes."""

    @functools.wraps(original)
    def sync_multi(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        chain = user_chain()
        if not chain or not _is_saved_by_xla():
            return original(tensors, *args, **kwargs)
        transition = _saving(watch, tensors, by_xla=True)
        act = functools.partial(original, tensors, *args, **kwargs)
        return watch.launch(chain, Launch.SAVE, tensors, transition, act, ordered=True)

    return sync_multi


def _is_saved_by_xla() -> bool:
    """Whether the user has called `xm.save`."""
    return any(
        frame.f_code.co_name == "save" and "/torch_xla/" in frame.f_code.co_filename
        for frame in frames_below_user()
    )


def _saving(
    watch: Watch, tensors: Iterable[torch.Tensor], *, by_xla: bool, has_parameters: bool = False
) -> Transition:
    value = pending.device_value(tensors)

    def transition(state: State, site: Site) -> None:
        shown = written(site) or callee(site) or ("xm.save" if by_xla else "torch.save")
        watch.model.save(
            state, shown, value, value.recorded, site, by_xla=by_xla, on_device=True, of_parameters=True,
            has_parameters=has_parameters,
        )  # fmt: skip

    return transition


def _is_internal() -> bool:
    """Whether not the user reads but torch_xla itself, or a gradient scaler, whose step tells of it."""
    return any(
        ("/torch_xla/" in frame.f_code.co_filename and frame.f_code.co_name not in _SHOWS_FOR_THE_USER)
        or frame.f_code.co_filename == torch.amp.grad_scaler.__file__
        for frame in frames_below_user()
    )


def _spared_by() -> str:
    """The parameter that spares a layer of torch the question about its mask, or a distribution the one about
    what it is given; empty where they ask none."""
    file, below = torch.nn.modules.transformer.__file__, list(frames_below_user())
    if any(_validates(frame.f_code) for frame in below):
        return _VALIDATE
    of_layers = [frame for frame in below if frame.f_code.co_filename == file]
    if not any(frame.f_code.co_name == _COMPARING for frame in of_layers):
        return ""
    layers = [
        type(frame.f_locals["self"]).__name__ for frame in of_layers if frame.f_code.co_name == "forward"
    ]
    asking = ASKING_OF_MASKS.get(layers[-1], {})
    found = asking.get("") or asking.get(layers[0])
    return found[1][1] if found is not None else ""


def _validates(code: CodeType) -> bool:
    """Whether this is where a distribution of torch looks at its parameters, or at a value."""
    return code.co_name in ("__init__", "_validate_sample") and code.co_filename.startswith(_DISTRIBUTIONS)


_VALIDATE: Final = "validate_args"
_DISTRIBUTIONS: Final = str(Path(torch.distributions.__file__).parent)
_COMPARING = torch.nn.modules.transformer._detect_is_causal_mask.__name__


def _as_written(reading: Reading, spelling: str, site: Site) -> tuple[Reading, str]:
    """How the program read, given the tensor's method and where the program was."""
    if reading is Reading.INTO_HOST:
        return reading, changed_on_cpu(site) or spelling
    called = callee(site)
    simple = called.rpartition(".")[2]
    if called.startswith("math.") or called in ("max", "min"):
        reading = Reading.MATH
    as_text = reading in (Reading.TEXT, Reading.FORMAT)
    is_called = reading is Reading.MATH or as_text or simple == "range" or any(frames_below_user())
    return reading, written(site) or (f"{called}()" if called and is_called else spelling)


def _to_host(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    for target in (*args, *kwargs.values()):
        if isinstance(target, torch.Tensor):
            return str(target.device.type) == "cpu"
        if isinstance(target, (str, torch.device)):
            return str(torch.device(target).type) == "cpu"
    return False


HOOKS = (
    *(Hook(torch.Tensor, method, _read, _is_on_host) for method in _READS if method != "to"),
    Hook(torch.Tensor, "to", _read, _moves_no_batch),
    *(Hook(torch.Tensor, method, _read_into_host, _takes_nothing_of_device) for method in _INTO_HOST),
    Hook(torch.serialization, "_save", _save),
    Hook(torch.serialization, "_legacy_save", _save),
    Hook(torch_xla._XLAC, "_xla_sync_multi", _sync_multi),
)
