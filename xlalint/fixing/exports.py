"""What files take from each other, so that no import goes that another file relies on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import PurePath
from types import MappingProxyType

from xlalint.sources.file import read_bytes

_FROM = re.compile(rb"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\r\n;]+)", re.MULTILINE)
_MEMBER = re.compile(rb"\b(\w+)[ \t]*\.[ \t]*(\w+)")
_NAME = re.compile(rb"(\w+)(?:[ \t]+as[ \t]+\w+)?")


class Exports:
    """The names that some files take from modules, by the last part of the module's name: by import, or as
    members of what has its name.

    Files are read when first asked for. Two modules of the same name are not told apart, which keeps more
    imports than need be.
    """

    def __init__(self, paths: Collection[str], texts: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Args: paths: the files of the project; texts: by path, what stands in some instead of on disk."""
        self.paths = paths
        self._texts = texts
        self._taken: dict[str, set[str]] | None = None

    def of(self, path: str) -> set[str]:
        """The names that others may take from the module at `path`; "*" are all."""
        if self._taken is None:
            self._taken = defaultdict(set)
            for each in self.paths:
                data = self._texts.get(each) or read_bytes(each)
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
                if b"*" in without_comments:
                    self._taken[module].add("*")
        for source, name in _MEMBER.findall(data):
            self._taken[source.decode("ascii", "ignore")].add(name.decode("ascii", "ignore"))
