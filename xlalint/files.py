"""Files of a project: read when they must be, and known again from one run to the next."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from xlalint.configuration import Framework
from xlalint.knowledge.functions import BRINGING_XLA, LIBRARIES
from xlalint.knowledge.gone import AT_IMPORT
from xlalint.knowledge.stubs import shipped
from xlalint.settings import Settings
from xlalint.sources.file import CHANGED, NOTEBOOK, SourceFile, Unreadable, decode, digest, read_bytes, show
from xlalint.sources.imports import imported, taken
from xlalint.sources.usage import (
    DERIVES,
    ELSEWHERE,
    HANDS,
    HOLDS,
    OFFERS,
    PASSES,
    TRAINS,
    asks_for_xla,
    brings_xla,
    is_for_another_device,
    leading,
    may_import_xla,
    names_xla,
    shared,
    touched,
)

if TYPE_CHECKING:
    from xlalint.sources.suppressions import Remembered, Suppressions

_ENCODING: Final = re.compile(rb"coding[:=][ \t]*([-\w.]+)")
"""How a file declares, in its first two lines, that it is not UTF-8."""


_SETTLED: Final = 2_000_000_000
"""So many nanoseconds after it was written, a file's time tells whether it was written once more."""


class Stat(NamedTuple):
    """What tells, without reading it, that a file has not changed."""

    size: int
    modified: int
    inode: int


class Traits(NamedTuple):
    """What the bytes of a file say at a glance.

    Args:
        hot: It brings XLA: it imports torch_xla, or names an XLA device.
        commented: It may hold comments that suppress in vain.
        sound: There is surely nothing wrong with its encoding.
        asking: It is hot only as a trainer that it makes is told to use XLA, which says nothing of others.
        gone: It names something that is gone from torch, and that programs use without importing it.
    """

    hot: bool
    commented: bool
    sound: bool
    asking: bool = False
    gone: bool = False


class Known(NamedTuple):
    """What was known of a file when it had this stat."""

    stat: Stat
    digest: str
    traits: Traits
    touched: tuple[str, ...] = ()
    """What it has to do with frameworks; see `usage.touched`."""
    imports: tuple[str, ...] | None = None
    """What it may import, where that was looked for."""
    suppressions: Remembered | None = None
    """What its comments suppress, where that was looked for; see `Suppressions.to_remember`."""
    taken: tuple[tuple[str, ...], ...] = ()
    """What `File.takes` was asked for, each time as a digest, and what it takes of that."""

    @property
    def counts(self) -> bool:
        """Whether something in the file may be analyzed by itself, not only where a call leads there."""
        return self.traits.hot or bool(self.touched)


class File:
    """One file of a project, read when it must be."""

    __slots__ = (
        "_data", "_digest", "_former", "_imports", "_is_digested", "_known", "_suppressions", "_taken",
        "_touched", "_traits", "_was_let_go", "given", "path", "settings", "shown", "stat",
    )  # fmt: skip

    def __init__(
        self, path: str, settings: Settings, *, data: bytes | None = None, shown: str | None = None
    ) -> None:
        """
        Args:
            data: What stands in the file, where it is not read from disk.
            shown: How it is named then.
        """
        self.path = path
        self.settings = settings
        self.shown = shown
        self.given = data is not None
        self.stat: Stat | None = None
        self._data: bytes | str | None = data
        self._digest: str | None = None
        self._traits: Traits | None = None
        self._touched: tuple[str, ...] | None = None
        self._imports: tuple[str, ...] | None = None
        self._suppressions: Remembered | None = None
        self._taken: tuple[tuple[str, ...], ...] = ()
        self._known: Known | None = None
        """What was known before, if that is what it is."""
        self._former: Known | None = None
        """What was known before, if it has changed since."""
        self._is_digested = False
        self._was_let_go = False

    def compare(self, known: Known | None, *, digested: bool = True) -> None:
        """Look at the file, and take what is known of it if it has not changed since.

        Args:
            digested: Whether its digest will be asked for.
        """
        self._is_digested = digested
        self.stat = None if self.given else _stat(self.path)
        self._known, self._former = None, known
        if known is not None and known.stat == self.stat:
            self._digest, self._traits, self._imports = known.digest, known.traits, known.imports
            self._touched, self._suppressions = known.touched, known.suppressions
            self._known = known

    @property
    def is_known(self) -> bool:
        """Whether it is what it was when it was known before."""
        return self._known is not None

    @property
    def says_as_before(self) -> bool:
        """Whether it surely says the same as before of which files of the project are analyzed.

        Of a file that brings XLA by itself only its imports count, and what it has to do with frameworks;
        of others, their texts may, too.
        """
        if self._known is not None:
            return True
        former = self._former
        return (
            former is not None
            and former.traits.hot
            and (former.traits, former.touched, former.imports) == (self.traits, self.touched, self.imports)
        )

    @property
    def data(self) -> bytes | str:
        """What stands in the file; or, as a string, why it cannot be read."""
        if self._data is None:
            self._data = read_bytes(self.path)
            if self._was_let_go and _stat(self.path) != self.stat:
                self._data = CHANGED
        return self._data

    @property
    def is_as_it_was(self) -> bool:
        """Whether nothing has been written to the file since it was looked at."""
        return self.given or _stat(self.path) == self.stat

    def let_go(self) -> None:
        """Hold no longer what stands in a file of which enough is known: it is read anew where it is needed.

        A project is larger than all that is found out of it.
        """
        if self.stat is not None and isinstance(self._data, bytes):
            if self._is_digested:
                self._digest = self.digest
            self._data = None
            self._was_let_go = True

    @property
    def program(self) -> bytes | str:
        """The Python in the file: all of it, but for notebooks."""
        if not self._is_notebook:
            return self.data
        source = self.source(hot=False)
        return source.text.encode("utf-8", "replace") if isinstance(source, SourceFile) else source.reason

    @property
    def _is_notebook(self) -> bool:
        return self.path.endswith(NOTEBOOK)

    @property
    def may_import_xla(self) -> bool:
        """Whether its code, not its prose, names torch_xla, be it in a text."""
        data = self.program
        return not isinstance(data, str) and may_import_xla(data)

    @property
    def _names_xla(self) -> bool:
        return not isinstance(self.data, str) and b"torch_xla" in self.data

    @property
    def _has_broken_cells(self) -> bool:
        source = self.source(hot=False)
        notebook = source.notebook if isinstance(source, SourceFile) else None
        return notebook is not None and bool(notebook.broken)

    @property
    def digest(self) -> str:
        """What changes when the file does; empty where it cannot be read."""
        if self._digest is None:
            data = self.data
            self._digest = "" if isinstance(data, str) else digest(data)
        return self._digest

    @property
    def traits(self) -> Traits:
        """What the bytes say at a glance."""
        if self._traits is None:
            data = self.program
            if isinstance(data, str):
                self._traits = Traits(False, False, self._is_notebook and not self._names_xla)
            else:
                names_it, packages = names_xla(data), self.settings.packages
                brings = (
                    bool(names_it or packages)
                    and brings_xla(data, packages)
                    and not is_for_another_device(self.path, data, self.imports, self._frameworks, packages)
                )
                asks = not brings and asks_for_xla(data, self.imports, self._frameworks)
                sound = not self._has_broken_cells if self._is_notebook else _is_text(data)
                commented = names_it and _may_suppress_in_vain(data)
                gone = any(word in data for word in AT_IMPORT)
                self._traits = Traits(brings or asks, commented, sound, asks, gone)
        return self._traits

    @property
    def _frameworks(self) -> tuple[Framework, ...]:
        return (*shipped(), *self.settings.stubs)

    @property
    def may_need_what_is_gone(self) -> bool:
        """Whether to import it may need something that is gone from torch or torch_xla.

        What a function, a branch or a `try` imports is indented, and does not count.
        """
        from xlalint.knowledge import lifecycle

        of_torch = (name for name in self.imports if name.partition(".")[0] in LIBRARIES)
        gone = [name.encode() for name in of_torch if lifecycle.gone_part(name)]
        return self.traits.gone or bool(gone and self._imports_at_once(gone))

    def _imports_at_once(self, names: list[bytes]) -> bool:
        """Whether an import that is not indented may be of one of some names."""
        data = self.program
        if isinstance(data, str):
            return False
        of = {part for name in names for part in (name, name.rpartition(b".")[0])}
        outermost = (line for line in data.splitlines() if not line[:1].isspace())
        return any(name in line for line in outermost for name in of)

    @property
    def hands_to(self) -> set[str]:
        """The frameworks that it hands something to, on a device that may be XLA's."""
        return self._touches(HANDS)

    @property
    def derives_from(self) -> set[str]:
        """The frameworks that classes of its have a base in."""
        return self._touches(DERIVES)

    @property
    def trains_elsewhere(self) -> set[str]:
        """The frameworks that it hands something to, on other devices than XLA's."""
        return self._touches(ELSEWHERE)

    def _touches(self, verb: str) -> set[str]:
        return {how.removeprefix(verb) for how in self.touched if how.startswith(verb)}

    @property
    def touched(self) -> tuple[str, ...]:
        """What it has to do with frameworks; see `usage.touched`."""
        if self._touched is None:
            data = self.program
            self._touched = () if isinstance(data, str) else self._look(data, self._frameworks)
        return self._touched

    def _look(self, data: bytes, known: tuple[Framework, ...]) -> tuple[str, ...]:
        found = touched(self.path, data, self.imports, known)
        makers = tuple(name for each in known if HANDS + each.name in found for name in each.differentiating)
        return (*found, *shared(data, BRINGING_XLA, makers, hot=self.traits.hot))

    @property
    def trains(self) -> bool:
        """Whether it computes gradients."""
        return TRAINS in self.touched

    @property
    def offers(self) -> set[str]:
        """The functions, and classes that train, by which it brings XLA to others."""
        return self._touches(OFFERS)

    @property
    def holds(self) -> set[str]:
        """The classes that hold a device of XLA for others that train, and what leads to one."""
        return self._touches(HOLDS)

    def leads(self, taken: Iterable[str]) -> set[str]:
        """The functions and classes by which others train on XLA through it; see `usage.leading`.

        Args:
            taken: What it takes of others to train there itself.
        """
        data = self.program
        return set() if isinstance(data, str) else leading(data, taken)

    @property
    def is_script(self) -> bool:
        """Whether it does something where it is run by itself."""
        data = self.program
        return not isinstance(data, str) and b"__main__" in data

    @property
    def passes(self) -> set[str]:
        """The names under which it imports torch_xla, or something of it."""
        return self._touches(PASSES)

    def takes(
        self, passed: Mapping[str, Collection[str]], others: Collection[str], asked: str
    ) -> tuple[str, ...]:
        """Which of the names that modules pass on it takes from them.

        Args:
            passed: By the last part of a module's name, the names that it passes on.
            others: Modules that are called like these, and pass on nothing; see `imports.taken`.
            asked: The digest of both.
        """
        told = self._told(self._taken, asked)
        if told is None:
            before = () if self._known is None else self._known.taken
            told = self._told(before, asked) or (asked, *self._take(passed, others))
            self._taken += (told,)
        return told[1:]

    @staticmethod
    def _told(taken: tuple[tuple[str, ...], ...], asked: str) -> tuple[str, ...] | None:
        return next((each for each in taken if each[0] == asked), None)

    def _take(self, passed: Mapping[str, Collection[str]], others: Collection[str]) -> tuple[str, ...]:
        return taken(lambda: self.program, self.imports, passed, others, self.folders)

    @property
    def folders(self) -> list[str]:
        """The names of the folders that it stands in, the innermost first."""
        return self.path.split(os.sep)[-2::-1]  # noqa: PTH206 - paths are slow to make

    @property
    def counts(self) -> bool:
        """Whether something in the file may be analyzed by itself, not only where a call leads there."""
        return not self._is_stub and (self.traits.hot or bool(self.touched))

    @property
    def _is_stub(self) -> bool:
        """Whether the file is the program of a framework, which is read and not looked at."""
        return bool(self.settings.frameworks) and any(
            framework.path == self.path for framework in self.settings.stubs
        )

    @property
    def imports(self) -> tuple[str, ...]:
        """The names of what it may import; see `imported`."""
        if self._imports is None:
            data = self.program
            self._imports = () if isinstance(data, str) else imported(data)
        return self._imports

    def suppressions(self, source: SourceFile, names: Collection[str]) -> Suppressions:
        """What its comments suppress.

        Args:
            source: Its text.
            names: The names of rules.
        """
        from xlalint.sources.suppressions import find_suppressions, remembered

        if self._suppressions is None:
            self._suppressions = find_suppressions(source, names).to_remember()
        return remembered(self._suppressions)

    def to_remember(self) -> Known | None:
        """What may be remembered of the file; None where it is not on disk, or cannot be read."""
        known = self._known
        # What it takes is not asked for where nothing has changed.
        taken = self._taken or (() if known is None else known.taken)
        now = self._imports, self._suppressions, taken
        if known is not None and (known.imports, known.suppressions, known.taken) == now:
            return known
        if self.stat is None or not self.digest:
            return None
        stat = self.stat
        if stat.modified > time.time_ns() - _SETTLED:
            # It may change once more without looking different.
            stat = stat._replace(modified=0)
        return Known(stat, self.digest, self.traits, self.touched, *now)

    def source(self, *, hot: bool | None = None) -> SourceFile | Unreadable:
        """The text.

        Args:
            hot: Whether it brings XLA, where that is not to be found out.
        """
        path = Path(self.path)
        data = self.data
        if isinstance(data, str):
            return Unreadable(path, self.shown or show(path), data)
        return decode(path, self.shown or show(path), data, hot=self.traits.hot if hot is None else hot)


def _stat(path: str) -> Stat | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for every file
    except OSError:
        return None
    return Stat(found.st_size, found.st_mtime_ns, found.st_ino)


def _is_text(data: bytes) -> bool:
    """Whether there is surely nothing wrong with the bytes of a file; a quick look."""
    second = data.find(b"\n") + 1
    third = second and data.find(b"\n", second) + 1
    declared = _ENCODING.search(data, 0, third or len(data))
    if b"\0" in data or (declared is not None and declared[1].lower() not in (b"utf-8", b"utf8")):
        return False
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _may_suppress_in_vain(data: bytes) -> bool:
    if not (b"xlalint:" in data or (b"XLA" in data and b"noqa" in data)):
        return False
    from xlalint.sources.suppressions import may_be_unused

    return may_be_unused(data)
