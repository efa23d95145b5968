"""Lets a program draw other random numbers than those of the seeds that it sets."""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch_xla

from xlalint_runtime.hooks import Patches

_SETTING_A_SEED = (
    (torch, "manual_seed"),
    (torch.random, "manual_seed"),
    (torch_xla._XLAC, "_xla_set_rng_seed"),
    (random, "seed"),
    (np.random, "seed"),
    (np.random, "default_rng"),
)


@contextlib.contextmanager
def shifted(by: int) -> Iterator[None]:
    """Add `by` to every seed that is set meanwhile. Whoever sets none draws as if it were zero.

    A `torch.Generator` cannot be patched: a program that draws only from one of its own computes the
    same under every seed, and its proof fails for that.
    """
    torch.manual_seed(by)
    random.seed(by)
    np.random.seed(by)
    patches = Patches()
    for owner, name in _SETTING_A_SEED:
        patches.replace(owner, name, functools.partial(_shift, by))
    try:
        yield
    finally:
        patches.undo()


def _shift(by: int, original: Any) -> Any:
    @functools.wraps(original)
    def set_seed(seed: Any = None, *args: Any, **kwargs: Any) -> Any:
        return original(seed + by if isinstance(seed, int) else seed, *args, **kwargs)

    return set_seed
