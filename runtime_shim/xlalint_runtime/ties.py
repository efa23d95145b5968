"""Weights that are one under two names, until their module moves to the device."""

from __future__ import annotations

import weakref
from typing import NamedTuple

import torch

from xlalint.lazy.site import Site


class Tied(NamedTuple):
    """A parameter that a module had under two names when it moved.

    Args:
        module: The module.
        names: The two, such as `head.weight` and `embedding.weight`.
        site: Where it moved.
    """

    module: weakref.ref[torch.nn.Module]
    names: tuple[str, str]
    site: Site

    @property
    def is_apart(self) -> bool:
        """Whether the two are different parameters by now."""
        module = self.module()
        if module is None:
            return False
        parameters = dict(module.named_parameters(remove_duplicate=False))
        one, other = (parameters.get(name) for name in self.names)
        return one is not None and other is not None and one is not other


def tied_in(module: torch.nn.Module) -> list[tuple[str, str]]:
    """The parameters that a module has under several names: each later name, and the first one."""
    first: dict[int, str] = {}
    tied = []
    for name, parameter in module.named_parameters(remove_duplicate=False):
        known = first.setdefault(id(parameter), name)
        if known != name:
            tied.append((name, known))
    return tied
