"""What a file imports, seen from its bytes: without parsing, and rather too much than too little."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

_WORD: Final = b"import "
_FROM: Final = re.compile(rb"[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+$")
_NAMES: Final = re.compile(rb"[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\r?\n)*)")
_NAME: Final = re.compile(rb"([\w.]+)(?:[ \t]+as[ \t]+\w+)?")
_BOUND: Final = re.compile(rb"[ \t]*(?:\((?:[^)#]|#[^\n]*)*\)|(?:[^\n\\]|\\\r?\n)*)")
_WORDS: Final = re.compile(rb"\w+")
_COMMENT: Final = re.compile(rb"#[^\n]*")
_OF_PACKAGE: Final = (
    rb"(?m)^[ \t]*(?:(?P<origin>from[ \t]+%s[\w.]*[ \t]+)import[ \t]*|import[ \t]+)"
    rb"(?P<names>\([^)]*\)|(?:[^\n\\]|\\\r?\n)*)"
)
_ALIASED: Final = re.compile(rb"([\w.]+)(?:[ \t]+as[ \t]+(\w+))?")


def imported(data: bytes) -> tuple[str, ...]:
    """The dotted names of all that a file may import: `a.b`, and with its leading dots `..c.d`.

    Of `from a import b` both `a` and `a.b` count, since `b` may be a module. What stands in a text or a
    comment may be among them.
    """
    found: dict[str, None] = {}
    at = data.find(_WORD)
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        start = max(start, data.rfind(b";", start, at) + 1)
        before = data[start:at]
        names = _NAMES.match(data, at + len(_WORD))
        if names is not None and (origin := _FROM.match(before)) is not None:
            dots, module = origin[1].decode("ascii"), origin[2].decode("utf-8", "replace")
            found[dots + module] = None
            link = "." if module else ""
            for name in _listed(names[1]):
                found[f"{dots}{module}{link}{name}"] = None
        elif names is not None and not before.strip():
            found.update(dict.fromkeys(_listed(names[1])))
        at = data.find(_WORD, at + len(_WORD))
    return tuple(found)


def brought(data: bytes, package: str) -> tuple[str, ...]:
    """The names under which a file may import a package, or something of it: `xm`, and `torch_xla`."""
    found: dict[str, None] = {}
    for line in re.finditer(_OF_PACKAGE % package.encode(), data):
        for name, alias in _ALIASED.findall(_COMMENT.sub(b"", line["names"])):
            if line["origin"] is not None or name.partition(b".")[0] == package.encode():
                found[(alias or name.partition(b".")[0]).decode("utf-8", "replace")] = None
    return tuple(found)


def from_folder(name: str, folders: Sequence[str]) -> str:
    """An imported name as it reads from some folder above: `.a` in a file of the folder `b` is `b.a`.

    Args:
        folders: The names of the folders that the file stands in, the innermost first.
    """
    plain = name.lstrip(".")
    level = len(name) - len(plain)
    return f"{folders[level - 1]}.{plain}" if 0 < level <= len(folders) else plain


def of_folder(name: str) -> str:
    """The last two parts of a module's name: its folder, if that is there, and itself."""
    return ".".join(name.rsplit(".", 2)[-2:])


def taken(
    read: Callable[[], bytes | str], names: Iterable[str], passed: Mapping[str, Collection[str]],
    others: Collection[str], folders: Sequence[str],
) -> tuple[str, ...]:  # fmt: skip
    """Which of the names that modules pass on a file takes from them: by import, or as their members.

    Args:
        read: Gives the file, or says why it cannot be read; few must be looked into.
        names: What it may import; see `imported`.
        passed: By the last part of a module's name, the names that it passes on.
        others: Modules that pass on nothing, and are called like some of these, with their folders.
        folders: The names of the folders that the file stands in, the innermost first.
    """
    found: dict[str, None] = {}
    looked_for: set[str] = set()
    offered = {name for own in passed.values() for name in own}
    for name in names:
        last = name.rpartition(".")[2]
        if last in offered:
            module = from_folder(name, folders).rpartition(".")[0]
            if last in passed.get(module.rpartition(".")[2], ()) and of_folder(module) not in others:
                found[last] = None
        if last in passed and last not in looked_for and of_folder(from_folder(name, folders)) not in others:
            looked_for.add(last)
            data = read()
            if isinstance(data, str):
                return ()
            found.update(dict.fromkeys(_members(data, last, passed[last])))
    return tuple(found)


def _members(data: bytes, module: str, names: Collection[str]) -> list[str]:
    """Which names are taken of a module that is imported as it is, or with all its names."""
    # Fixed bytes are found several times faster than a pattern, and most files hold none of the names.
    present = [name for word in sorted(names) if (name := word.encode()) in data]
    if not present:
        return []
    own = re.escape(module.encode())
    called = [own, *map(re.escape, re.findall(rb"%s(?<!\w%s)[ \t]+as[ \t]+(\w+)" % (own, own), data))]
    of_module = rb"(?<![\w.])(?:%s)[ \t]*\.[ \t]*" % b"|".join(called)
    if re.search(rb"%s(?<!\w%s)[ \t]+import[ \t]*\(?[ \t]*\*" % (own, own), data):
        words = b"|".join(map(re.escape, present))
        found = re.findall(rb"(?:%s|(?<![\w.]))(%s)\b" % (of_module, words), data)
    else:
        before = re.compile(of_module + b"$")
        places = sorted((at, name) for name in present for at in _places(data, name))
        found = [name for at, name in places if before.search(data, data.rfind(b"\n", 0, at) + 1, at)]
    return [name.decode("utf-8", "replace") for name in found]


def _places(data: bytes, name: bytes) -> Iterator[int]:
    """Where a name stands that nothing is added to."""
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        if _IN_WORD.match(data, end) is None:
            yield at
        at = data.find(name, end)


_IN_WORD: Final = re.compile(rb"\w")


def bound(data: bytes) -> frozenset[bytes]:
    """The names that a file's imports may bind, wherever; the names that they bind them to are among them."""
    found: set[bytes] = set()
    at = data.find(b"import")
    while at >= 0:
        names = _BOUND.match(data, at + len(b"import"))
        if names is not None:
            found.update(_WORDS.findall(names[0]))
        at = data.find(b"import", at + len(b"import"))
    return frozenset(found)


def _listed(names: bytes) -> list[str]:
    plain = _COMMENT.sub(b"", names) if b"#" in names else names
    return [name.decode("utf-8", "replace") for name in _NAME.findall(plain)]
