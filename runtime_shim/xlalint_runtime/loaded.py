"""Which of the user's files the program has loaded, and what stood in them then."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from xlalint.sources.file import digest
from xlalint_runtime.sites import is_user_file


class Loaded:
    """Remembers the files of all modules."""

    def __init__(self) -> None:
        self._began = time.time()
        self._modules = (0, 0)
        self._files: dict[str, str] = {}

    def files(self) -> dict[str, str]:
        """By absolute path, a digest of each; an empty one where it was written after the program began."""
        modules = len(sys.modules), id(sys.modules.get("__main__"))
        if modules != self._modules:
            self._modules = modules
            for name, module in tuple(sys.modules.items()):
                path = getattr(module, "__file__", None)
                if isinstance(path, str) and path not in self._files and _is_users(name, path):
                    self._files[path] = self._digest(Path(path))
        return dict(self._files)

    def _digest(self, path: Path) -> str:
        try:
            return "" if path.stat().st_mtime > self._began else digest(path.read_bytes())
        except OSError:
            return ""


def _is_users(name: str, path: str) -> bool:
    of_ours = name.partition(".")[0] in _OURS
    return not of_ours and is_user_file(path) and path.endswith(".py") and Path(path).is_absolute()


_OURS = frozenset({"xlalint", "xlalint_rules", "xlalint_runtime"})
