"""What a file imports, seen from its bytes: without parsing, and rather too much than too little."""

from __future__ import annotations

import re

_WORD = b"import "
_FROM = re.compile(rb"[ \t]*from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+$")
_NAMES = re.compile(rb"[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\r?\n)*)")
_NAME = re.compile(rb"([\w.]+)(?:[ \t]+as[ \t]+\w+)?")
_BOUND = re.compile(rb"[ \t]*(?:\((?:[^)#]|#[^\n]*)*\)|(?:[^\n\\]|\\\r?\n)*)")
_WORDS = re.compile(rb"\w+")
_COMMENT = re.compile(rb"#[^\n]*")


def imported(data: bytes) -> tuple[str, ...]:
    """The dotted names of all that a file may import: `a.b`, and with its leading dots `..c.d`.

    Of `from a import b` both `a` and `a.b` count, since `b` may be a module. What stands in a text or a
    comment may be among them.
    """
    found: dict[str, None] = {}
    at = data.find(_WORD)
    while at >= 0:
        start = max(data.rfind(b"\n", 0, at), data.rfind(b";", 0, at)) + 1
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
    return [name.decode("utf-8", "replace") for name in _NAME.findall(_COMMENT.sub(b"", names))]
