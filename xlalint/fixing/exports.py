"""What files take from each other by name, so that no import goes that another file relies on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePath

from xlalint.sources.file import read_bytes

_FROM = re.compile(rb"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\r\n;]+)", re.MULTILINE)
_NAME = re.compile(rb"(\w+)(?:[ \t]+as[ \t]+\w+)?")


class Exports:
    """The names that some files import from modules, by the last part of the module's name.

    Files are read when first asked for. Two modules of the same name are not told apart, which keeps more
    imports than need be.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = paths
        self._taken: dict[str, set[str]] | None = None

    def of(self, path: str) -> set[str]:
        """The names that others may import from the module at `path`."""
        if self._taken is None:
            self._taken = defaultdict(set)
            for each in self.paths:
                data = read_bytes(each)
                if isinstance(data, bytes):
                    self._read(data)
        module = PurePath(path)
        name = module.parent.name if module.stem == "__init__" else module.stem
        return self._taken.get(name, set())

    def _read(self, data: bytes) -> None:
        assert self._taken is not None
        for source, names in _FROM.findall(data):
            module = source.decode("ascii", "ignore").rpartition(".")[2]
            if module:
                without_comments = re.sub(rb"#[^\r\n]*", b"", names)
                self._taken[module] |= {name.decode() for name in _NAME.findall(without_comments)}
