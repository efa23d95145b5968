"""Work of a model's weight: modules, gradients, optimizers, gradient scalers."""

from __future__ import annotations

import functools
import inspect
import itertools
import types
import weakref
from collections.abc import Iterable
from types import CodeType
from typing import Any

import torch
import torch.nn.utils.clip_grad as clip_grad
import torch.utils.checkpoint as checkpointing
import torch_xla._patched_functions as patched_functions
import torch_xla.core.xla_model as xm
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer

from xlalint.knowledge.classes import SHARDED_OPTIMIZER
from xlalint.lazy.events import Use
from xlalint.lazy.scopes import Scope, ScopeKind
from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint.lazy.values import Kind, Value, Weight
from xlalint_runtime import pending
from xlalint_runtime.hooks import Patches
from xlalint_runtime.shield import Faults
from xlalint_runtime.sites import callee, frames_below_user, user_chain, written
from xlalint_runtime.stopping import Deliberate
from xlalint_runtime.summary import Launch
from xlalint_runtime.ties import Tied, tied_in
from xlalint_runtime.watch import Gone, Hook, Watch, running_optimizers
from xlalint_runtime.watching.sharding import tell_of_device

_XLA_CLIP = patched_functions.clip_grad_norm_.__code__
_CHECKPOINT_FUNCTION = checkpointing.CheckpointFunction.forward.__code__
_CLIPS = {"_clip_grads_with_norm_": Use.CLIP, "clip_grad_value_": Use.CUT_OFF}


def _module_call(watch: Watch, original: Any) -> Any:
    """A model on the device is run: the outermost call of a module."""

    def running(state: State, site: Site) -> None:
        # A round whose first forward this is may be seen here first.
        watch.model.begin_round(state)
        watch.model.record(state, Weight.HEAVY, site)

    @functools.wraps(original)
    def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        this = watch.this_thread
        if this.in_forward or not _on_device(module.parameters()):
            return original(module, *args, **kwargs)
        this.in_forward = True
        try:
            watch.report.summary.models.ran(module)
            if chain := user_chain():
                watch.tell(chain, running)
                if not torch.is_grad_enabled():
                    watch.answers(args)
            return original(module, *args, **kwargs)
        finally:
            this.in_forward = False

    return call


def _is_inside(watch: Watch, _: tuple[Any, ...]) -> bool:
    """Whether a module calls this one."""
    return watch.this_thread.in_forward


def _backward(watch: Watch, original: Any) -> Any:
    """Gradients are computed."""

    @functools.wraps(original)
    def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        loss = next(filter(pending.is_device_tensor, pending.tensors_in(tensors)), None)
        if loss is not None and (chain := user_chain()):
            watch.replica.work.may_wait(loss)
            watch.tell(chain, watch.model.backward)
            watch.replica.backwards += 1
            if watch.replica.recorded.must is not Weight.HEAVY:
                watch.report.summary.backward()
        return original(tensors, *args, **kwargs)

    return backward


def _device_of_checkpointed(watch: Watch, original: Any) -> Any:
    """Activation checkpointing of PyTorch asks what it is given for its device."""

    @functools.wraps(original)
    def infer(*args: Any) -> Any:
        tensors = (each for each in pending.tensors_in(args) if pending.is_device_tensor(each))
        if next(tensors, None) is not None and (chain := user_chain()):
            reentrant = _CHECKPOINT_FUNCTION in {frame.f_code for frame in frames_below_user()}

            def transition(state: State, site: Site) -> None:
                spelling = written(site) or "checkpoint(..)"
                watch.model.checkpoint(state, Value(Kind.TENSOR), spelling, site, reentrant=reentrant)

            watch.tell(chain, transition)
        return original(*args)

    return infer


# Gradients ---------------------------------------------------------------------------------------


def _zero_grad(watch: Watch, original: Any) -> Any:
    """The gradients of one optimizer are dropped."""

    @functools.wraps(original)
    def zero_grad(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        if chain := user_chain():
            built = watch.built.get(optimizer)
            watch.tell(chain, lambda state, site: watch.model.zero_gradients(state, built))
        return original(optimizer, *args, **kwargs)

    return zero_grad


def _xla_clip(watch: Watch, original: Any) -> Any:
    """Gradients are clipped by torch_xla's own function, which alone looks at this name of torch: it
    asks for `where` once at every call."""

    def where(*args: Any, **kwargs: Any) -> Any:
        if _caller() is _XLA_CLIP:
            _tell_change(watch, Use.CLIP)
        return original.where(*args, **kwargs)

    return types.SimpleNamespace(**{**vars(original), "where": where})


def _clip(watch: Watch, original: Any) -> Any:
    """Gradients are clipped by torch's functions, all of which sort them by device here."""

    @functools.wraps(original)
    def group(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        caller = _caller()
        use = _CLIPS.get(caller.co_name) if caller is not None else None
        if use is not None and any(map(pending.is_device_tensor, pending.tensors_in(tensors))):
            _tell_change(watch, use)
        return original(tensors, *args, **kwargs)

    return group


def _unscale(watch: Watch, original: Any) -> Any:
    """A gradient scaler divides gradients by its scale, asked by the user or by its own step."""

    @functools.wraps(original)
    def unscale(scaler: Any, optimizer: Any) -> Any:
        if scaler.is_enabled() and _on_device(_held(optimizer)):
            _tell_change(watch, Use.UNSCALE)
        return original(scaler, optimizer)

    return unscale


def _caller() -> CodeType | None:
    """The function of a library that called what is hooked."""
    frame = next(frames_below_user(), None)
    return frame and frame.f_code


def _tell_change(watch: Watch, use: Use) -> None:
    if chain := user_chain():
        watch.tell(
            chain, lambda state, site: watch.model.change_gradients(state, use, _spelling(site, use), site)
        )


def _spelling(site: Site, use: Use) -> str:
    return written(site) or callee(site) or use.value


# Optimizers --------------------------------------------------------------------------------------


def _optimizer_built(watch: Watch, original: Any) -> Any:
    """An optimizer is built."""

    @functools.wraps(original)
    def built(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        if chain := user_chain():
            watch.built[optimizer] = chain[-1].site
        return original(optimizer, *args, **kwargs)

    return built


def _sharded(watch: Watch, original: Any) -> Any:
    """An optimizer shares its parameters out among the replicas: it raises if they are not on the device."""

    @functools.wraps(original)
    def shard(optimizer: Any) -> Any:
        if (chain := user_chain()) and not _on_device(_held(optimizer)):
            watch.tell(chain, watch.model.refuse_optimizer)
        return original(optimizer)

    return shard


def _module_move(watch: Watch, original: Any) -> Any:
    """A module moves to the device: the outermost of the calls by which its parts do."""

    @functools.wraps(original)
    def apply(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        if watch.this_thread.is_moving:
            return original(module, *args, **kwargs)
        watch.this_thread.is_moving = True
        try:
            before, tied = list(module.parameters()), tied_in(module)
            result = original(module, *args, **kwargs)
        finally:
            watch.this_thread.is_moving = False
        leaves = _on_device(before) and not _on_device(module.parameters())
        if (chain := user_chain()) and (leaves or _on_device(module.parameters())):
            watch.report.chain(chain)
            tell_of_device(watch)
            kept = {id(parameter) for parameter in module.parameters()}
            for parameter in before:
                if id(parameter) not in kept:
                    watch.gone[id(parameter)] = Gone(weakref.ref(parameter), chain[-1].site, leaves)
            watch.tied += (Tied(weakref.ref(module), names, chain[-1].site) for names in tied)
        return result

    return apply


def _stale(watch: Watch, held: list[torch.Tensor]) -> Gone | None:
    """What became of the parameters that an optimizer holds, if the model has moved away from them."""
    for parameter in held:
        gone = watch.gone.get(id(parameter))
        if gone is not None and gone.parameter() is parameter:
            return gone
    return None


def _tell_of_apart(watch: Watch) -> None:
    """An optimizer is about to step: tell the model what is trained apart, unless it was tied again."""
    moved, watch.tied = watch.tied, []
    for each in moved:
        if each.is_apart:
            watch.model.come_apart(watch.replica.state, each.site, ", ".join((*each.names, "")))


def register(watch: Watch, patches: Patches, faults: Faults) -> None:
    """Optimizers step. All of them, whenever they were built, call back before it."""

    backwards: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
    """How many there had been when a step of an optimizer began."""

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        try:
            stepping(optimizer)
            watch.at_end_of_step()
            backwards[optimizer] = watch.replica.backwards
        except Deliberate:
            raise
        except Exception as error:
            faults.note(error, "Optimizer.step")

    def stepping(optimizer: Any) -> None:
        chain, held = user_chain(), _held(optimizer)
        stale = _stale(watch, held)
        if not chain or not (stale or _on_device(held)):
            return
        trained = _first_trained(held)
        watch.replica.work.may_wait(None if trained is None else trained.grad)
        if watch.tied:
            _tell_of_apart(watch)
        asked = [frame for frame in frames_below_user() if frame.f_code is xm.optimizer_step.__code__]
        reducing, barrier = bool(asked), any(frame.f_locals["barrier"] for frame in asked)
        watch.report.summary.step(id(optimizer))
        built = watch.built.get(optimizer)
        step = inspect.unwrap(type(optimizer).step)

        def transition(state: State, site: Site) -> None:
            watch.model.step_optimizer(
                state,
                site,
                stale=(stale.site,) if stale else (),
                off_device=bool(stale and stale.off_device),
                built=(built,) if built else (),
                barrier=barrier,
                reducing=reducing,
                plain=type(optimizer).__module__.startswith("torch.optim") and not is_sharded(optimizer),
            )
            watch.enter(state, Scope(ScopeKind.OPTIMIZER, site), step.__code__)

        watch.tell(chain, transition)
        watch.stepped(optimizer)

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        try:
            held = _held(optimizer)
            watch.report.summary.models.stepped(held)
            replica = watch.replica
            replica.work.may_wait(_first_trained(held))
            if replica.backwards > backwards.get(optimizer, replica.backwards):  # its closure computes them
                watch.model.apply_gradients(replica.state, watch.built.get(optimizer))
        except Exception as error:
            faults.note(error, "Optimizer.step")

    patches.on_undo(register_optimizer_step_pre_hook(before).remove)
    patches.on_undo(register_optimizer_step_post_hook(after).remove)


def _scaler_step(watch: Watch, original: Any) -> Any:
    """A gradient scaler asks on the host whether its optimizer may step."""

    @functools.wraps(original)
    def step(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        chain = user_chain()
        if not chain or not scaler.is_enabled() or not _on_device(_held(optimizer)):
            return original(scaler, optimizer, *args, **kwargs)

        built = watch.built.get(optimizer)

        def transition(state: State, site: Site) -> None:
            by = written(site) or "step()"
            watch.model.step_scaler(state, by, site, built=(built,) if built else ())
            watch.leave_optimizers(state, still_in=running_optimizers())
            decides = type(scaler)._maybe_opt_step.__code__
            watch.enter(state, Scope(ScopeKind.OPTIMIZER, site), decides)

        watch.tell(chain, transition)
        watch.replica.launched_at.add(chain[-1].site)
        with watch.report.cost(chain[-1].site, Launch.SCALER, waiting=True):
            return original(scaler, optimizer, *args, **kwargs)

    return step


def _held(optimizer: Any) -> list[torch.Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _first_trained(held: list[torch.Tensor]) -> torch.Tensor | None:
    return next((parameter for parameter in held if parameter.grad is not None), None)


def is_sharded(optimizer: Any) -> bool:
    """Whether an optimizer updates the part of the parameters that FSDP has left this replica."""
    flags = [getattr(parameter, "_is_sharded", False) for parameter in _held(optimizer)]
    return any(flags)  # A generator would be called for each parameter of each step.


def is_of_zero(optimizer: Any) -> bool:
    """Whether an optimizer shares its work out over the replicas, and sums gradients where it steps."""
    return any(
        f"{each.__module__}.{each.__qualname__}" == SHARDED_OPTIMIZER for each in type(optimizer).__mro__
    )


def _on_device(parameters: Iterable[torch.Tensor]) -> bool:
    return any(pending.is_device_tensor(first) for first in itertools.islice(parameters, 1))


HOOKS = (
    Hook(torch.nn.Module, "_call_impl", _module_call, _is_inside),
    Hook(torch.autograd, "backward", _backward),
    Hook(checkpointing, "_infer_device_type", _device_of_checkpointed),
    Hook(torch.optim.Optimizer, "zero_grad", _zero_grad),
    Hook(patched_functions, "torch", _xla_clip),
    Hook(clip_grad, "_group_tensors_by_device_and_dtype", _clip),
    Hook(torch.amp.GradScaler, "unscale_", _unscale),
    Hook(torch.amp.GradScaler, "step", _scaler_step),
    Hook(torch.nn.Module, "_apply", _module_move),
    Hook(torch.optim.Optimizer, "__init__", _optimizer_built),
    Hook(ZeroRedundancyOptimizer, "_shard_parameters", _sharded),
)
