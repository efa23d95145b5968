"""Leaves one hook of the guard out, to see whether any proof notices."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch.optim.optimizer as optimizers

from xlalint_runtime.hooks import Patches

BEFORE_STEP = "torch.optim.optimizer._global_optimizer_pre_hooks"
"""Torch's own list of what is called before every optimizer's step: no attribute is replaced there."""


@contextlib.contextmanager
def leaving_out(hook: str | None) -> Iterator[list[str]]:
    """Meanwhile `hook` is not installed, all others are. Yields the names of those that were asked for.

    A hook is known by the attribute that it replaces, as `module.Class.attribute`.
    """
    asked: list[str] = []
    before_step = _Registry(asked, deaf=hook == BEFORE_STEP)

    def around(install: Any) -> Any:
        def replace(patches: Patches, owner: Any, name: str, make: Any) -> None:
            asked.append(f"{_dotted(owner)}.{name}")
            if asked[-1] != hook:
                install(patches, owner, name, make)

        return replace

    own = Patches()
    own.replace(optimizers, "_global_optimizer_pre_hooks", lambda _: before_step)
    own.replace(Patches, "replace", around)
    try:
        yield asked
    finally:
        own.undo()


class _Registry(OrderedDict[int, Any]):
    """Hooks that are called before every optimizer's step; a deaf one keeps none."""

    def __init__(self, asked: list[str], deaf: bool) -> None:
        super().__init__()
        self._asked = asked
        self._deaf = deaf

    def __setitem__(self, key: int, hook: Any) -> None:
        self._asked.append(BEFORE_STEP)
        if not self._deaf:
            super().__setitem__(key, hook)


def _dotted(owner: Any) -> str:
    return (
        str(owner.__name__) if isinstance(owner, ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
    )
