"""What the analysis has to know about a program beside its files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from xlalint.lazy.site import FRAMEWORK

_DEFINED = re.compile(r"(?m)^(?:class|def) ([A-Za-z]\w*)")
_HARNESS = re.compile(r"(?m)^def harness\w*\(\w+: (\w+)")
_CLASS = re.compile(r"(?ms)^class (\w+)[^\n]*:\n(.*?)(?=^\S|\Z)")
_BACKWARD = "    def backward(self"
_TRAIN = "    def train(self"
_MODULES = re.compile(r"(?ms)^MODULES = \((.*?)\)$")
_DERIVED = re.compile(r"(?m)^class ([A-Z]\w*)\((\w+)\):")
_NAMED_LIKE = re.compile(r"(?ms)^NAMED_LIKE = \{(.*?)\}$")
_ELSEWHERE = re.compile(r"(?ms)^ELSEWHERE = \{(.*?)\}$")
_ON_XLA = re.compile(r"(?ms)^ON_XLA = \{(.*?)\}$")
_ROW = re.compile(r"(?s)\"(\w+)\": \((.*?)\)")
_TEXT = re.compile(r"\"([^\"]+)\"")
HARNESS = "harness"
"""What the names of functions begin with that call the user's classes as a framework does."""


@dataclass(frozen=True, repr=False)
class Framework:
    """What a framework does, as a small program that is read and never run.

    Args:
        given: How it was named: `accelerate`, or the path of a file as it stands in the settings.
        name: The name of its package.
        text: The program; empty where nothing but the package is known.
        path: Where the file stands, unless it comes with xlalint.
    """

    given: str
    name: str
    text: str = ""
    path: str = ""

    def __repr__(self) -> str:
        """A text that changes when the framework does: answers rest on it."""
        return f"{self.given} {self.path} {blake2b(self.text.encode(), digest_size=16).hexdigest()}"

    @property
    def file(self) -> str:
        """What stands for the file in places of the analysis: no diagnostic is ever shown there."""
        return f"{FRAMEWORK}{self.path or self.name}>"

    @cached_property
    def modules(self) -> tuple[str, ...]:
        """The modules that it stands for, with all below them."""
        listed = _MODULES.search(self.text)
        return tuple(_TEXT.findall(listed[1])) if listed else (self.name,)

    @cached_property
    def _named_like(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple(
            (name, re.compile("|".join(map(translate, patterns))))
            for name, patterns in self._rows(_NAMED_LIKE)
        )

    @cached_property
    def elsewhere(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Arguments of its classes, each with the values by which users ask for a device other than XLA's;
        any number but 0 does where none are listed."""
        return self._rows(_ELSEWHERE)

    @cached_property
    def on_xla(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Arguments of its classes, each with the values by which users ask for a device of XLA; any number
        but 0 does where none are listed."""
        return self._rows(_ON_XLA)

    def _rows(self, table: re.Pattern[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The names in a table, each with the texts beside it."""
        listed = table.search(self.text)
        rows = _ROW.findall(listed[1]) if listed else []
        return tuple((name, tuple(_TEXT.findall(values))) for name, values in rows)

    def meant_by(self, name: str) -> str:
        """The name in the program that stands for one which users import."""
        if name in self.names:
            return name
        return next((known for known, pattern in self._named_like if pattern.match(name)), name)

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """The first names of its modules."""
        return tuple(dict.fromkeys(module.partition(".")[0] for module in self.modules))

    @cached_property
    def called(self) -> tuple[str, ...]:
        """The classes that it calls the methods of."""
        return tuple(dict.fromkeys(_HARNESS.findall(self.text)))

    @cached_property
    def hooked(self) -> tuple[str, ...]:
        """The classes that it calls the methods of, and those of its own that derive from one of these."""
        found = [*self.called]
        for name, base in _DERIVED.findall(self.text):  # what a class derives from stands above it
            if base in found:
                found.append(name)
        return tuple(found)

    @cached_property
    def trainers(self) -> tuple[str, ...]:
        """Those of these whose objects train when users ask them to: whoever makes one has made a trainer."""
        trains = {name for name, body in _CLASS.findall(self.text) if _TRAIN in body}
        for name, base in _DERIVED.findall(self.text):
            if base in trains:
                trains.add(name)
        return tuple(name for name in self.hooked if name in trains)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes that users hand their training to, or derive from: all but those of models."""
        models = {name for name, _ in self._named_like}
        return tuple(name for name in self.names if name[:1].isupper() and name not in models)

    @cached_property
    def differentiating(self) -> tuple[str, ...]:
        """The classes whose objects users ask for gradients: `accelerator.backward(loss)`."""
        return tuple(name for name, body in _CLASS.findall(self.text) if _BACKWARD in body)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The classes and functions that users call, or derive from."""
        return tuple(name for name in _DEFINED.findall(self.text) if not name.startswith(HARNESS))


class Local(NamedTuple):
    """What holds for the files of one folder.

    Args:
        packages: Libraries that bring XLA to files that import them, beside torch_xla itself.
        frameworks: Programs of frameworks that the settings add.
        false_tests: Names of tests for other backends, which never hold under torch_xla; these
            come on top of those that knowledge lists.
        roots: Absolute folders that imports start from, beside the folder itself.
    """

    packages: tuple[str, ...] = ()
    frameworks: tuple[Framework, ...] = ()
    false_tests: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """What one analysis runs under. Args: at: what holds in a folder."""

    at: Callable[[Path], Local] = lambda folder: Local()
