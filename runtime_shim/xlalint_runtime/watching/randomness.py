"""Random numbers: seeds of the host and of the device, and what is drawn on the device."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch_xla

from xlalint.lazy.obligations import Owed
from xlalint_runtime import pending
from xlalint_runtime.sites import user_chain
from xlalint_runtime.watch import Hook, Transition, Watch


def _seed_of_host(watch: Watch, original: Any) -> Any:
    """`torch.manual_seed` hands its seed to devices that have registered a module, as XLA has not."""

    return _telling(watch, original, watch.model.seed_host)


def _seed_of_device(watch: Watch, original: Any) -> Any:
    """The device gets a seed."""

    return _telling(watch, original, watch.model.seed_device)


def _telling(watch: Watch, original: Any, transition: Transition) -> Any:
    @functools.wraps(original)
    def seed(*args: Any) -> Any:
        if chain := user_chain():
            watch.tell(chain, transition)
        return original(*args)

    return seed


def _dropout(watch: Watch, original: Any) -> Any:
    """Dropout draws what it drops, which matters while the device lacks a seed."""

    @functools.wraps(original)
    def dropout(tensor: Any, p: float, train: bool) -> Any:
        if train and p and pending.is_device_tensor(tensor) and (chain := user_chain()):
            watch.tell(chain, functools.partial(watch.model.draw, trains=True))
        return original(tensor, p, train)

    return dropout


def _multinomial(watch: Watch, original: Any) -> Any:
    """One sample is picked by a number of the device, and so are those that may be the same; the host picks
    several that differ. Other operations that draw are not seen. Where nothing trains it chooses a token."""

    @functools.wraps(original)
    def multinomial(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(("input", "num_samples", "replacement"), args, strict=False)) | kwargs
        on_device = given.get("num_samples") == 1 or given.get("replacement")
        if (
            watch.replica.state.is_owed(Owed.SEED)
            and on_device
            and given.get("generator") is None
            and pending.is_device_tensor(given.get("input"))
            and (chain := user_chain())
        ):
            watch.tell(chain, functools.partial(watch.model.draw, trains=False))
        drawn = original(*args, **kwargs)
        if not torch.is_grad_enabled() and pending.is_device_tensor(drawn) and (chain := user_chain()):
            watch.chosen(chain, drawn)
        return drawn

    return multinomial


def _is_seeded(watch: Watch, _: tuple[Any, ...]) -> bool:
    return not watch.replica.state.is_owed(Owed.SEED)


def _trains_with_a_seed(watch: Watch, given: tuple[Any, ...]) -> bool:
    return torch.is_grad_enabled() and _is_seeded(watch, given)


HOOKS = (
    Hook(torch.random, "_seed_custom_device", _seed_of_host),
    Hook(torch_xla._XLAC, "_xla_set_rng_seed", _seed_of_device),
    Hook(torch.nn.functional._VF, "dropout", _dropout, _is_seeded),
    Hook(torch, "multinomial", _multinomial, _trains_with_a_seed),
    Hook(torch.Tensor, "multinomial", _multinomial, _trains_with_a_seed),
)
