"""Keeps what a program computes, so that two runs of it can be compared: losses, and trained parameters."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch

from xlalint import numbers
from xlalint_runtime.hooks import Patches

MOST_LOSSES = 10_000


def seed() -> None:
    """Let a program that sets no seed draw the same random numbers in each run."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


class Kept:
    """Keeps the losses and the optimizers of a program while it runs; reads nothing meanwhile."""

    def __init__(self, patches: Patches) -> None:
        self._losses: list[torch.Tensor] = []
        self._optimizers: list[torch.optim.Optimizer] = []
        patches.replace(torch.autograd, "backward", self._backward)
        patches.replace(torch.optim.Optimizer, "__init__", self._built)

    def write(self, file: Path) -> None:
        """Read all, and write it: the program has ended."""
        import torch_xla

        torch_xla.sync(wait=True)
        losses = tuple(float(loss.cpu()) for loss in self._losses)
        held = {
            id(parameter): parameter
            for optimizer in self._optimizers
            for group in optimizer.param_groups
            for parameter in group["params"]
        }
        on_host = [parameter.detach().cpu().double().flatten() for parameter in held.values()]
        values = torch.cat(on_host).tolist() if on_host else []
        shapes = tuple(tuple(parameter.shape) for parameter in held.values())
        numbers.write(file, numbers.Numbers(losses, shapes, values))

    def _backward(self, original: Any) -> Any:
        @functools.wraps(original)
        def backward(tensors: Any, *args: Any, **kwargs: Any) -> Any:
            for loss in tensors if isinstance(tensors, (list, tuple)) else (tensors,):
                if loss.numel() == 1 and len(self._losses) < MOST_LOSSES:
                    self._losses.append(loss.detach())
            return original(tensors, *args, **kwargs)

        return backward

    def _built(self, original: Any) -> Any:
        @functools.wraps(original)
        def built(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            self._optimizers.append(optimizer)
            return original(optimizer, *args, **kwargs)

        return built
