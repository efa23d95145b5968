"""Tells when the program has imported torch_xla, without importing it any earlier than the program does."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

_NAME = "torch_xla"


def when_imported(then: Callable[[], None]) -> None:
    """Call `then` as soon as torch_xla has been imported; at once, if it has been."""
    if _NAME in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Finder(then))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._then)
        return spec


class _Loader(importlib.abc.Loader):
    """The module's own loader, which tells when it is done; afterwards nobody sees it any more."""

    def __init__(self, own: importlib.abc.Loader, then: Callable[[], None]) -> None:
        self._own = own
        self._then = then

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._own
        self._own.exec_module(module)
        self._then()
