"""Sharded checkpoints that are restored."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed.checkpoint as checkpoints
from torch.distributed.checkpoint.api import CheckpointException

from xlalint.lazy.site import Site
from xlalint.lazy.state import State
from xlalint_runtime.sites import callee, user_chain, written
from xlalint_runtime.watch import Hook, Watch


def _load(watch: Watch, original: Any) -> Any:
    """A checkpoint is read into a state dict: what that raises tells that some of it is not there."""

    @functools.wraps(original)
    def load(state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(state_dict, *args, **kwargs)
        except CheckpointException:
            built = [watch.built[optimizer] for optimizer in _unprimed(watch, state_dict)]
            chain = user_chain()

            def transition(state: State, site: Site) -> None:
                for each in built:
                    watch.model.build_optimizer(state, each)
                    watch.model.restore_optimizer(state, each, written(site) or f"{callee(site)}(...)", site)

            if chain and built:
                watch.tell(chain, transition)
            raise

    return load


def _unprimed(watch: Watch, state_dict: Any) -> Iterator[torch.optim.Optimizer]:
    """The optimizers without a state that a state dict may have come from."""
    sizes = [list(_sizes(held["param_groups"])) for held in _of_optimizers(state_dict) if not held["state"]]
    for optimizer in watch.built:
        if not optimizer.state and list(_sizes(optimizer.param_groups)) in sizes:
            yield optimizer


def _sizes(groups: Any) -> Iterator[int]:
    return (len(group["params"]) for group in groups)


def _of_optimizers(held: Any) -> Iterator[dict[str, Any]]:
    """The state dicts of optimizers that a state dict is made of."""
    if isinstance(held, dict):
        if held.keys() >= {"state", "param_groups"}:
            yield held
        else:
            for part in held.values():
                yield from _of_optimizers(part)


HOOKS = (Hook(checkpoints, "load", _load),)
