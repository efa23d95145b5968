"""Tells when the program has imported a module, without importing it any earlier than the program does."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

ENGINE = "torch_xla"


def when_imported(name: str, then: Callable[[], None]) -> Callable[[], None]:
    """Call `then` as soon as the module `name` has been imported; at once, if it has been.

    Returns what sees to it that it is not called any more.
    """
    finder = _Finder(name, then)
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, finder)
    return finder.stop


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name = name
        self._then = then

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        self.stop()
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
